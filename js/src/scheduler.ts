/**
 * One flush a frame for all views of the page. A view that cannot be seen is still kept up to date, since an approval has to be
 * announced, but four times a second is enough for it.
 */

const HIDDEN_MS = 250;

/** One view's place in the schedule. */
export interface Slot {
  /** Asks for a flush in the next frame, or a little later when nobody can see it. */
  request(): void;
  dispose(): void;
}

class Scheduled implements Slot {
  isVisible = true;
  private readonly flush: () => void;
  private readonly observer: IntersectionObserver | null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(element: Element, flush: () => void) {
    this.flush = flush;
    this.observer =
      typeof IntersectionObserver === "undefined"
        ? null
        : new IntersectionObserver((entries) => this.see(entries.at(-1)?.isIntersecting ?? true), {
            rootMargin: "200px",
          });
    this.observer?.observe(element);
  }

  request(): void {
    if (this.isVisible && document.visibilityState === "visible") nextFrame(this);
    else this.timer ??= setTimeout(() => this.run(), HIDDEN_MS);
  }

  run(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flush();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.observer?.disconnect();
    due.delete(this);
  }

  private see(isVisible: boolean): void {
    this.isVisible = isVisible;
    if (isVisible && this.timer !== undefined) this.run();
  }
}

const due = new Set<Scheduled>();
let frame = 0;

function nextFrame(slot: Scheduled): void {
  due.add(slot);
  if (frame !== 0) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    const slots = [...due];
    due.clear();
    for (const each of slots) each.run();
  });
}

/** Registers a view; `flush` runs at most once a frame, after `request`. */
export function schedule(element: Element, flush: () => void): Slot {
  return new Scheduled(element, flush);
}
