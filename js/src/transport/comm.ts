/**
 * The transport inside a notebook: everything goes out on two roads at once, and what comes back is made one stream.
 *
 * The kernel forgets nothing but sends nothing twice by itself, so the page asks: `hello` until it is welcomed, `resync` when
 * a place in the sequence is missing, and a `beat` that tells both sides that the other one lives.
 */

import type { WireEnvelope } from "../envelope";
import type { CodingInput } from "../events.gen";
import { uuid } from "../uuid";
import { type KernelMessage, type PageMessage, readMessage } from "./messages";
import { Sequence } from "./order";
import type { Ticker } from "./ticker";
import type { Link, Sink, Transport } from "./transport";

/** One way to the kernel and back; a message may get lost on it. */
export interface Road {
  send(message: PageMessage): void;
  listen(listener: (message: unknown) => void): () => void;
}

export interface CommOptions {
  readonly turnId: string;
  /** Comm messages; the kernel handles them when it is not computing. */
  readonly comm: Road;
  /** Control messages, which it handles at any time; `null` where there is no such road. */
  readonly control: Road | null;
  readonly ticker: Ticker;
}

const TICK_MS = 2000;
/** Ticks without an answer after which the kernel is taken for gone. */
const SILENT_TICKS = 3;

const TERMINAL = new Set(["turn.completed", "turn.failed", "turn.aborted"]);

export class CommTransport implements Transport {
  private readonly options: CommOptions;
  private readonly view = uuid();
  private readonly sequence = new Sequence();
  private readonly waiting = new Map<string, CodingInput>();
  private sink: Sink | null = null;
  private link: Link = { state: "connecting", detached: false, heardAt: null };
  private secret: string | null = null;
  private nonce = 0;
  private silent = 0;
  private isAsking = false;
  private controlAnswers = false;
  private stopTicking: () => void = () => undefined;

  constructor(options: CommOptions) {
    this.options = options;
  }

  connect(sink: Sink): () => void {
    this.sink = sink;
    const { comm, control, ticker } = this.options;
    const stops = [
      comm.listen((message) => this.receive(message)),
      control?.listen((message) => {
        this.controlAnswers = true;
        this.receive(message);
      }),
    ];
    this.stopTicking = ticker(TICK_MS, () => this.tick());
    this.tick();
    return () => {
      this.sink = null;
      this.stopTicking();
      for (const stop of stops) stop?.();
    };
  }

  send(inputId: string, input: CodingInput): void {
    this.waiting.set(inputId, input);
    // Without the secret the kernel would refuse it; the welcome sends what waits.
    if (this.secret !== null) this.post(inputId, input, this.secret);
  }

  private post(inputId: string, input: CodingInput, secret: string): void {
    this.broadcast({ kind: "input", view: this.view, inputId, turnId: this.options.turnId, secret, input });
  }

  private tick(): void {
    if (this.silent >= SILENT_TICKS && this.control) this.update({ state: "gone" });
    this.silent += 1;
    if (this.secret === null || this.link.state === "gone") this.ask("hello");
    else if (this.isAsking) this.ask("resync");
    else this.beat();
  }

  private ask(kind: "hello" | "resync"): void {
    const { lastSeq } = this.sequence;
    this.broadcast({ kind, view: this.view, nonce: this.nextNonce(), turnId: this.options.turnId, lastSeq });
  }

  private beat(): void {
    const { comm, turnId } = this.options;
    (this.control ?? comm).send({ kind: "beat", view: this.view, nonce: this.nextNonce(), turnId });
  }

  /**
   * The road on which silence means something, if there is one: the comm road is silent as long as the kernel computes, and
   * so is the other one where the kernel could not open it.
   */
  private get control(): Road | null {
    return this.controlAnswers || this.link.heardAt === null ? this.options.control : null;
  }

  private broadcast(message: PageMessage): void {
    this.options.comm.send(message);
    this.options.control?.send(message);
  }

  private nextNonce(): string {
    this.nonce += 1;
    return String(this.nonce);
  }

  private receive(value: unknown): void {
    const message = readMessage(value);
    if (!message || !this.sink || !this.isForUs(message)) return;
    if (message.kind === "reply" && message.inputId === "") {
      // A kernel answers, but it is a new one: it does not know this turn.
      this.update({ state: "gone" });
      return;
    }
    this.heard();
    switch (message.kind) {
      case "batch":
        this.deliver(message.events, true);
        break;
      case "welcome":
        this.welcome(message);
        break;
      case "detached":
        this.update({ detached: true });
        break;
      case "reply":
        // Both roads answer; only the first answer counts.
        if (this.waiting.delete(message.inputId)) this.sink.reply(message);
        break;
      case "alive":
        break;
    }
  }

  private isForUs(message: KernelMessage): boolean {
    if (message.kind === "reply") return true;
    if ("view" in message && message.view !== this.view) return false;
    return !("turnId" in message) || message.turnId === this.options.turnId;
  }

  private welcome(message: Extract<KernelMessage, { kind: "welcome" }>): void {
    const isFirst = this.secret === null;
    this.secret = message.secret;
    this.isAsking = false;
    this.update({ detached: message.detached });
    this.deliver(message.events, false);
    if (message.more || message.lastSeq > this.sequence.lastSeq) this.resync();
    if (!isFirst) return;
    for (const [inputId, input] of this.waiting) this.post(inputId, input, message.secret);
  }

  private deliver(envelopes: readonly WireEnvelope[], live: boolean): void {
    const ready = this.sequence.take(envelopes);
    if (ready.length > 0) this.sink?.events(ready, live);
    // Nothing more will come, and nobody has to be there any more.
    if (ready.some(({ type }) => TERMINAL.has(type))) this.stopTicking();
    if (this.sequence.hasGap) this.resync();
  }

  /** Asks once; until that is answered the tick asks again. */
  private resync(): void {
    if (!this.isAsking) this.ask("resync");
    this.isAsking = true;
  }

  private heard(): void {
    this.silent = 0;
    this.update({ state: "live", heardAt: Date.now() });
  }

  private update(change: Partial<Link>): void {
    const next = { ...this.link, ...change };
    const isNew = next.state !== this.link.state || next.detached !== this.link.detached;
    this.link = next;
    if (isNew) this.sink?.link(next);
  }
}
