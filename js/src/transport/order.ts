/** Puts envelopes in order: drops those that were delivered and holds those that came too early. */

import type { WireEnvelope } from "../envelope";

export class Sequence {
  /** Place of the last envelope delivered; -1 before the first. */
  lastSeq = -1;
  private readonly early = new Map<number, WireEnvelope>();

  /** Returns what can be delivered now, in order. */
  take(envelopes: readonly WireEnvelope[]): WireEnvelope[] {
    for (const envelope of envelopes) {
      if (envelope.seq > this.lastSeq) this.early.set(envelope.seq, envelope);
    }
    const ready: WireEnvelope[] = [];
    let next = this.early.get(this.lastSeq + 1);
    while (next) {
      this.early.delete(next.seq);
      this.lastSeq = next.seq;
      ready.push(next);
      next = this.early.get(this.lastSeq + 1);
    }
    return ready;
  }

  /** True when something was sent that never arrived. */
  get hasGap(): boolean {
    return this.early.size > 0;
  }
}
