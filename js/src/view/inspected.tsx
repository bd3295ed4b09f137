/** An inspected text in a card; see `suspicious/chips.ts` for the plain DOM. */

import { type Reading, segmentsOf } from "../suspicious/inspect";

interface InspectedProps {
  readonly text: string;
  readonly reading?: Reading;
}

/** The text, with a chip for what cannot be seen in it. */
export function Inspected({ text, reading = "text" }: InspectedProps) {
  return (
    <bdi>
      {segmentsOf(text, reading).map((segment) =>
        segment.kind === "text" ? (
          segment.text
        ) : (
          <span class="nbh-chip" title={segment.title}>
            {segment.text}
          </span>
        ),
      )}
    </bdi>
  );
}

/** The same for a title of one line: a long text is cut, since it is shown whole when the row is opened. */
export function OneLine({ text }: { readonly text: string }) {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return <Inspected text={line.length > 300 ? `${line.slice(0, 300)}…` : line} />;
}
