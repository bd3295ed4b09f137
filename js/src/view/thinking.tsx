/** The agent's reasoning: folded, since it is rarely what one came for. */

import type { ThinkingItem } from "../items";
import { wholeDuration } from "../words/format";
import { Foldable } from "./foldable";
import { Seconds } from "./seconds";

interface ThinkingProps {
  readonly id: string;
  readonly item: ThinkingItem;
  readonly isOpen: boolean;
}

export function ThinkingCard({ id, item, isOpen }: ThinkingProps) {
  const seconds = item.endedAt - item.startedAt;
  const words = isOpen ? "Thinking" : seconds < 1 ? "Thought" : `Thought for ${wholeDuration(seconds)}`;
  return (
    <Foldable
      id={id}
      hook="thinking"
      icon="think"
      title={<span class="nbh-verb">{words}</span>}
      meta={isOpen && <Seconds since={item.startedAt} />}
      body={() => (
        <div class="nbh-body nbh-thought nbh-plain" dir="auto">
          {item.text.trim()}
        </div>
      )}
    />
  );
}
