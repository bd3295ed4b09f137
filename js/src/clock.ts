/** Time as a signal, for what counts seconds; it ticks only while something on the page reads it. */

import { type ReadonlySignal, signal } from "@preact/signals";

let timer: ReturnType<typeof setInterval> | undefined;

const ticking = signal(Date.now(), {
  watched(): void {
    ticking.value = Date.now();
    timer = setInterval(() => {
      ticking.value = Date.now();
    }, 1000);
  },
  unwatched(): void {
    clearInterval(timer);
  },
});

/** `Date.now()` of this page, once a second. */
export const now: ReadonlySignal<number> = ticking;

/** How far the kernel's clock is from the page's. */
export class ClockOffset {
  private offset: number | null = null;

  /** Learns from an event that happened just now. The quickest one tells best. */
  observe(at: number): void {
    const seen = Date.now() / 1000 - at;
    this.offset = this.offset === null ? seen : Math.min(this.offset, seen);
  }

  /** Converts this page's `Date.now()` to the kernel's Unix seconds. */
  kernelTime(pageTime: number): number {
    return pageTime / 1000 - (this.offset ?? 0);
  }
}
