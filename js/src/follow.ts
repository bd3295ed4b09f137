/** Keeps the end of a running turn in sight, but only for a reader who is there. */

import { type Signal, signal } from "@preact/signals";

/** A reader this close to the end is at the end, in CSS pixels. */
const NEAR = 40;
/** Growth this long after an event is taken for the event's, in milliseconds; later growth is the reader's own doing. */
const WINDOW = 200;

export class Follower {
  /** True when something was added below what the reader sees. */
  readonly hasNews: Signal<boolean> = signal(false);
  private readonly root: HTMLElement;
  private readonly resize: ResizeObserver | null;
  private readonly end: IntersectionObserver | null;
  private height = 0;
  private grownUntil = 0;

  /** @param root The turn's element. @param edge What stands at its end. */
  constructor(root: HTMLElement, edge: HTMLElement) {
    this.root = root;
    this.resize = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(() => this.grown());
    this.resize?.observe(root);
    this.end =
      typeof IntersectionObserver === "undefined"
        ? null
        : new IntersectionObserver((entries) => {
            if (entries.at(-1)?.isIntersecting) this.hasNews.value = false;
          });
    this.end?.observe(edge);
  }

  /** Tells that the turn is about to grow by itself. */
  expectGrowth(): void {
    this.grownUntil = performance.now() + WINDOW;
  }

  /** Scrolls to the end of the turn. */
  toEnd(): void {
    this.hasNews.value = false;
    scrollBy(scrollerOf(this.root), this.root);
  }

  dispose(): void {
    this.resize?.disconnect();
    this.end?.disconnect();
  }

  private grown(): void {
    const height = this.root.offsetHeight;
    const growth = height - this.height;
    this.height = height;
    if (growth <= 0 || growth === height || performance.now() > this.grownUntil) return;
    const scroller = scrollerOf(this.root);
    const below = this.root.getBoundingClientRect().bottom - bottomOf(scroller);
    if (below <= 0) return;
    if (below - growth <= NEAR) scrollBy(scroller, this.root);
    else this.hasNews.value = true;
  }
}

function scrollBy(scroller: Element, root: Element): void {
  scroller.scrollTop += Math.max(0, root.getBoundingClientRect().bottom - bottomOf(scroller));
}

function bottomOf(scroller: Element): number {
  return scroller === document.scrollingElement
    ? window.innerHeight
    : scroller.getBoundingClientRect().bottom;
}

/** Returns the nearest element around `element` that scrolls: an output, the notebook, or the page. */
function scrollerOf(element: Element): Element {
  for (let outer = element.parentElement; outer; outer = outer.parentElement) {
    const scrolls = /auto|scroll/.test(getComputedStyle(outer).overflowY);
    if (scrolls && outer.scrollHeight > outer.clientHeight + 1) return outer;
  }
  return document.scrollingElement ?? document.documentElement;
}
