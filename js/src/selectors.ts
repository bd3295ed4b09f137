/** Questions that the view asks of a turn's state; pure. */

import type { FileDiff } from "./events.gen";
import type { ApprovalItem, ChangesItem, Item, PlanItem, QuestionItem, ToolItem, TurnState } from "./items";

/** What waits for a person. */
export type WaitingItem = ApprovalItem | PlanItem | QuestionItem;

/** Returns what waits for a person, in the order in which it was asked. */
export function waitingFor(state: TurnState): WaitingItem[] {
  return state.items.filter(
    (item): item is WaitingItem =>
      ((item.kind === "approval" || item.kind === "question") && item.status === "pending") ||
      (item.kind === "plan" && item.status === "proposed"),
  );
}

export function isApproval(item: Item): item is ApprovalItem {
  return item.kind === "approval";
}

/** True once the turn has ended, however it did. */
export function isSettled({ status }: TurnState): boolean {
  return status === "completed" || status === "failed" || status === "aborted";
}

/**
 * Returns how long the agent has worked until `at`, in seconds: the turn's clock stands still while a person is asked.
 *
 * @param at Unix seconds of the kernel's clock; the end of the turn counts once there is one.
 */
export function workedSeconds({ startedAt, endedAt, items }: TurnState, at: number): number {
  if (startedAt === null) return 0;
  const end = endedAt ?? at;
  const waits = items.flatMap((item) =>
    item.kind === "approval" || item.kind === "plan" || item.kind === "question"
      ? [[item.askedAt, item.decidedAt ?? end] as const]
      : [],
  );
  let waited = 0;
  let until = startedAt;
  for (const [from, to] of waits.sort(([a], [b]) => a - b)) {
    // Several questions may wait at once; the time counts once.
    waited += Math.max(0, Math.min(to, end) - Math.max(from, until));
    until = Math.max(until, to);
  }
  return Math.max(0, end - startedAt - waited);
}

/** Returns what the turn changed by the snapshots of its workspace; `null` before its end, or when there are none. */
export function snapshotOf({ items }: TurnState): ChangesItem | null {
  const item = items.findLast(({ kind }) => kind === "changes");
  return item?.kind === "changes" ? item : null;
}

/** Returns the changes of the turn by file: those of the snapshots, or else those that tool calls made. */
export function changedFiles(turn: TurnState): ReadonlyMap<string, readonly FileDiff[]> {
  const snapshot = snapshotOf(turn);
  return snapshot ? new Map(snapshot.diffs.map((diff) => [diff.path, [diff]])) : changesByTools(turn);
}

/** Returns the changes that tool calls made, by file in the order of the first one. */
export function changesByTools({ items }: TurnState): ReadonlyMap<string, readonly FileDiff[]> {
  const files = new Map<string, FileDiff[]>();
  for (const item of items) {
    if (item.kind !== "tool" || item.status !== "ok") continue;
    for (const diff of item.diffs) files.set(diff.path, [...(files.get(diff.path) ?? []), diff]);
  }
  return files;
}

/** Returns lines added and removed over all changes. */
export function changeTotals(diffs: Iterable<FileDiff>): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const diff of diffs) {
    added += diff.added;
    removed += diff.removed;
  }
  return { added, removed };
}

/** Returns the newest call that changed a file, `null` if none did. */
export function lastChange({ items }: TurnState): ToolItem | null {
  const item = items.findLast(
    (each) => each.kind === "tool" && each.status === "ok" && each.diffs.length > 0,
  );
  return item?.kind === "tool" ? item : null;
}
