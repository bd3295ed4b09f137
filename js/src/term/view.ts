/** Draws a terminal buffer: finished lines once, the open line again each time, and a fold where there are too many. */

import { button, element } from "../dom";
import { TermBuffer } from "./buffer";
import type { Line } from "./line";
import { classesOf, PLAIN } from "./style";

/** How many lines are shown at the beginning and at the end; what lies between is folded. */
export interface Fold {
  readonly head: number;
  readonly tail: number;
}

/** One block of output that may still grow. */
export class TerminalView {
  readonly element = element("div", "nbh-term");
  private readonly buffer = new TermBuffer();
  private readonly drawn = new Map<number, HTMLElement>();
  private readonly seam = element("div", "nbh-fold");
  private isOpen = false;
  private fold: Fold;

  constructor(fold: Fold) {
    this.fold = fold;
    this.element.dataset.nbh = "terminal";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Output");
  }

  /** Takes more output, and perhaps another fold now that the tool has ended; draws both. */
  write(chunk: string, fold: Fold = this.fold): void {
    this.buffer.write(chunk);
    this.fold = fold;
    this.draw();
  }

  private draw(): void {
    const { lines, dropped, open } = this.buffer;
    const total = dropped + lines.length + (open.length > 0 ? 1 : 0);
    const [headEnd, tailStart] = this.visible(dropped, total);
    for (const [number, node] of this.drawn) {
      const isShown = number >= dropped && (number < headEnd || number >= tailStart);
      if (isShown && number < dropped + lines.length && node.dataset.open === undefined) continue;
      node.remove();
      this.drawn.delete(number);
    }
    this.place(dropped, headEnd, null);
    this.place(tailStart, total, this.drawSeam(dropped, headEnd, tailStart));
  }

  /** Returns the end of the lines shown before the seam and the start of those shown after it. */
  private visible(first: number, total: number): [headEnd: number, tailStart: number] {
    const { head, tail } = this.fold;
    // One hidden line would take as much room as the button that stands for it.
    if (this.isOpen || total - first <= head + tail + 1) return [first, first];
    return [first + head, total - tail];
  }

  private drawSeam(first: number, headEnd: number, tailStart: number): HTMLElement | null {
    this.seam.remove();
    const hidden = tailStart - headEnd;
    if (hidden === 0 && first === 0) return null;
    this.seam.replaceChildren(
      hidden > 0 ? this.showButton(hidden) : `${first.toLocaleString("en")} earlier lines are not kept`,
    );
    if (headEnd > first) this.drawn.get(headEnd - 1)?.after(this.seam);
    else this.element.prepend(this.seam);
    return this.seam;
  }

  private showButton(hidden: number): HTMLButtonElement {
    return button("nbh-q nbh-sm", `Show ${hidden.toLocaleString("en")} lines`, () => {
      this.isOpen = true;
      this.draw();
      this.element.focus({ preventScroll: true });
    });
  }

  /** Draws the lines from `start` to `end` that are not there yet, after `before` or at the beginning. */
  private place(start: number, end: number, before: Element | null): void {
    const { lines, dropped, open } = this.buffer;
    let previous = before;
    for (let number = start; number < end; number += 1) {
      let node = this.drawn.get(number);
      if (!node) {
        const finished = lines[number - dropped];
        node = drawLine(finished ?? open);
        if (!finished) node.dataset.open = "";
        this.drawn.set(number, node);
        if (previous) previous.after(node);
        else this.element.prepend(node);
      }
      previous = node;
    }
  }
}

function drawLine(line: Line): HTMLElement {
  const node = element("span", "nbh-line");
  for (const { text, style } of line) {
    node.append(style === PLAIN ? text : element("span", classesOf(style), text));
  }
  return node;
}
