/** Copies a text, and says whether that worked. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { copyText } from "../copy";

interface CopyProps {
  readonly text: string;
  /** Classes of the button. */
  readonly look?: string;
  readonly children: ComponentChildren;
}

export function CopyButton({ text, look = "nbh-q", children }: CopyProps) {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => setSaid((await copyText(text)) ? "Copied" : "Could not copy");
  return (
    <button type="button" class={look || undefined} onClick={copy} onBlur={() => setSaid("")}>
      {said || children}
    </button>
  );
}
