/** One view's copy of its turn: events in, signals out. Nothing here touches the DOM. */

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ClockOffset } from "./clock";
import type { WireEnvelope } from "./envelope";
import type { CodingInput } from "./events.gen";
import { EMPTY_TURN, type TurnState, type TurnStatus } from "./items";
import { RowTree } from "./rows";
import { isSettled, lastChange, type WaitingItem, waitingFor } from "./selectors";
import { foldAll } from "./state";
import type { Link, Reply, Sink, Transport } from "./transport/transport";
import { uuid } from "./uuid";

/** An input that a person gave, and what became of it. */
export interface Sent {
  readonly inputId: string;
  readonly input: CodingInput;
  /** `Date.now()` of the click. */
  readonly at: number;
  /** The kernel's answer; `null` until it comes. */
  readonly reply: Reply | null;
}

/** Called after each flush, with the state before and after it and whether what is new happened just now. */
export type Listener = (before: TurnState, after: TurnState, live: boolean) => void;

export class TurnStore {
  readonly tree = new RowTree();
  readonly clock = new ClockOffset();
  readonly turn: ReadonlySignal<TurnState>;
  /** What waits for a person, first asked first. */
  readonly waiting: ReadonlySignal<readonly WaitingItem[]>;
  readonly isSettled: ReadonlySignal<boolean>;
  readonly status: ReadonlySignal<TurnStatus>;
  /** Place of the newest item: the only one whose text may still grow; -1 once the turn has ended. */
  readonly openKey: ReadonlySignal<number>;
  /** Id of the newest call that changed a file; `""` if none did. */
  readonly lastChangeId: ReadonlySignal<string>;
  readonly link: Signal<Link> = signal({ state: "connecting", detached: false, heardAt: null });
  /** Answers that were given here, by approval or plan id; messages and Stop by their own. */
  readonly sent: Signal<ReadonlyMap<string, Sent>> = signal(new Map());
  /** What a person opened or closed by hand, by row; it stays so. */
  readonly byHand: Signal<ReadonlyMap<string, boolean>> = signal(new Map());
  private readonly state: Signal<TurnState> = signal(EMPTY_TURN);
  private readonly transport: Transport;
  private readonly listeners = new Set<Listener>();
  private readonly replyListeners = new Set<(sent: Sent) => void>();
  private queue: WireEnvelope[] = [];
  private isLive = false;

  constructor(transport: Transport) {
    this.transport = transport;
    this.turn = this.state;
    let waiting: readonly WaitingItem[] = [];
    this.waiting = computed(() => {
      const next = waitingFor(this.state.value);
      // The same items are the same list, so that a band is not drawn anew with every event beside it.
      if (next.length !== waiting.length || next.some((item, i) => item !== waiting[i])) waiting = next;
      return waiting;
    });
    this.status = computed(() => this.state.value.status);
    this.isSettled = computed(() => isSettled(this.state.value));
    this.openKey = computed(() => (this.isSettled.value ? -1 : this.state.value.items.length - 1));
    this.lastChangeId = computed(() => lastChange(this.state.value)?.id ?? "");
  }

  /** Begins to receive. `onNews` is called when there is something to flush. */
  connect(onNews: () => void): () => void {
    const sink: Sink = {
      events: (envelopes, live) => {
        for (const { at } of live ? envelopes : []) this.clock.observe(at);
        this.queue = this.queue.concat(envelopes);
        this.isLive ||= live;
        onNews();
      },
      reply: (reply) => this.answered(reply),
      link: (link) => {
        this.link.value = link;
      },
    };
    return this.transport.connect(sink);
  }

  /** Folds what has arrived and updates the signals of what changed. */
  flush(): void {
    if (this.queue.length === 0) return;
    const before = this.state.peek();
    const after = foldAll(this.queue, before);
    const live = this.isLive;
    this.queue = [];
    this.isLive = false;
    batch(() => {
      this.tree.update(after.items);
      this.state.value = after;
    });
    for (const listener of this.listeners) listener(before, after, live);
  }

  /** Adds a listener, which is called after each flush. */
  onFlush(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** Adds a listener for the kernel's answers to what was sent here. */
  onReply(listener: (sent: Sent) => void): void {
    this.replyListeners.add(listener);
  }

  /** Sends an input; `about` is the approval or plan it answers. */
  send(input: CodingInput, about: string = input.type): void {
    const sent: Sent = { inputId: uuid(), input, at: Date.now(), reply: null };
    this.remember(about, sent);
    this.transport.send(sent.inputId, input);
  }

  /** Sends the same input once more; the kernel takes it once. */
  sendAgain(about: string): void {
    const sent = this.sent.peek().get(about);
    if (!sent) return;
    this.remember(about, { ...sent, at: Date.now() });
    this.transport.send(sent.inputId, sent.input);
  }

  /** Forgets an answer that had no effect, so that another one can be given. */
  forget(about: string): void {
    const next = new Map(this.sent.peek());
    next.delete(about);
    this.sent.value = next;
  }

  /** Notes that a person opened or closed something. */
  openByHand(key: string, isOpen: boolean): void {
    this.byHand.value = new Map(this.byHand.peek()).set(key, isOpen);
  }

  private answered(reply: Reply): void {
    for (const [about, sent] of this.sent.peek()) {
      if (sent.inputId !== reply.inputId) continue;
      const answered = { ...sent, reply };
      this.remember(about, answered);
      for (const listener of this.replyListeners) listener(answered);
    }
  }

  private remember(about: string, sent: Sent): void {
    this.sent.value = new Map(this.sent.peek()).set(about, sent);
  }
}
