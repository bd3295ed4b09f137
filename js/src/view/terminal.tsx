/** Output of a tool, as a terminal would show it. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { type Fold, TerminalView } from "../term/view";

interface OutputProps {
  /** All of it so far. */
  readonly text: string;
  readonly fold: Fold;
}

/** Draws what was added since the last time; Preact owns the element around it. */
export function Output({ text, fold }: OutputProps) {
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<{ view: TerminalView; text: string } | null>(null);
  const { head, tail } = fold;
  useLayoutEffect(() => {
    if (!host.current) return;
    let { view, text: before } = shown.current ?? { view: null, text: "" };
    // The final output of a tool may differ from what it printed on the way.
    if (!view || !text.startsWith(before)) {
      view = new TerminalView({ head, tail });
      before = "";
      host.current.replaceChildren(view.element);
    }
    view.write(text.slice(before.length), { head, tail });
    shown.current = { view, text };
  }, [text, head, tail]);
  return <div ref={host} class="nbh-body nbh-output" />;
}
