/** Draws an inspected text with plain DOM; see `view/inspected.tsx` for the cards. */

import { element } from "../dom";
import { type Reading, type Segment, segmentsOf } from "./inspect";

/** Appends a text to `parent`, with a chip for what cannot be seen. */
export function appendInspected(parent: Node, text: string, reading: Reading = "text"): void {
  for (const segment of segmentsOf(text, reading)) parent.appendChild(drawn(segment));
}

function drawn(segment: Segment): Node {
  if (segment.kind === "text") return document.createTextNode(segment.text);
  const chip = element("span", "nbh-chip", segment.text);
  chip.title = segment.title;
  return chip;
}
