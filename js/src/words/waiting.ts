/** What waits for a person, in words. */

import type { WaitingItem } from "../selectors";
import { plural } from "./format";

/** `2 approvals, 1 question`: how many of each kind, in the order in which they were asked. */
export function waitingWords(waiting: readonly WaitingItem[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of waiting) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => plural(count, kind)).join(", ");
}
