/** What a view needs to know of the road to its turn: events come in order, inputs go out, and whether anybody is there. */

import type { WireEnvelope } from "../envelope";
import type { CodingInput } from "../events.gen";

/** The kernel's answer to one input. */
export interface Reply {
  readonly inputId: string;
  /** `conflict`: it was answered otherwise before. `unknown`: nothing by that id waits. `invalid`: it could not be read. */
  readonly status: "ok" | "conflict" | "unknown" | "invalid";
  /** One sentence; `""` when there is nothing to add. */
  readonly message: string;
  /** The status that stands, when another answer came first. */
  readonly recorded: string;
}

/** Who is at the other end. */
export interface Link {
  /** `gone`: nothing was heard for longer than a living kernel is silent. */
  readonly state: "connecting" | "live" | "gone";
  /** True when the cell that started the turn no longer waits for it. */
  readonly detached: boolean;
  /** When something was last heard, `Date.now()` of this page; `null` before the first time. */
  readonly heardAt: number | null;
}

/** Where a transport puts what it receives. */
export interface Sink {
  /** Envelopes in order of seq, none twice, none missing. `live` ones happened just now, others are history. */
  events(envelopes: readonly WireEnvelope[], live: boolean): void;
  /** The first answer to an input; further ones are dropped. */
  reply(reply: Reply): void;
  link(link: Link): void;
}

/** One turn's connection. */
export interface Transport {
  /** Begins to deliver, from the first envelope of the turn; call the returned function to stop for good. */
  connect(sink: Sink): () => void;
  /** Sends an input. Sending it again with the same id is safe: the kernel takes it once. */
  send(inputId: string, input: CodingInput): void;
}
