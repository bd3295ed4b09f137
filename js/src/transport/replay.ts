/** Plays recorded envelopes: for tests, the demo page and pages without a kernel. */

import type { WireEnvelope } from "../envelope";
import type { CodingInput } from "../events.gen";
import type { Sink, Transport } from "./transport";

export interface ReplayOptions {
  /** Called for each input a person gives; a test or the demo answers it with `push` and `reply` of the sink. */
  readonly onInput?: (inputId: string, input: CodingInput, sink: Sink) => void;
}

export class ReplayTransport implements Transport {
  /** Inputs in the order in which they were sent. */
  readonly sent: { readonly inputId: string; readonly input: CodingInput }[] = [];
  private readonly recorded: readonly WireEnvelope[];
  private readonly options: ReplayOptions;
  private sink: Sink | null = null;

  constructor(recorded: readonly WireEnvelope[], options: ReplayOptions = {}) {
    this.recorded = recorded;
    this.options = options;
  }

  connect(sink: Sink): () => void {
    this.sink = sink;
    sink.link({ state: "live", detached: false, heardAt: Date.now() });
    sink.events(this.recorded, false);
    return () => {
      this.sink = null;
    };
  }

  send(inputId: string, input: CodingInput): void {
    this.sent.push({ inputId, input });
    if (this.sink) this.options.onInput?.(inputId, input, this.sink);
  }

  /** Delivers more events as if they happened now. */
  push(...envelopes: readonly WireEnvelope[]): void {
    this.sink?.events(envelopes, true);
  }

  /** The sink, to script what a kernel would say. */
  get connected(): Sink | null {
    return this.sink;
  }
}
