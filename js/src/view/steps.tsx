/** What a finished turn did, folded into one line above its answer. */

import type { Item, ToolItem } from "../items";
import { approvalOf, type Row } from "../rows";
import { plural, wholeDuration } from "../words/format";
import { refusalOf } from "../words/outcome";
import { describe, type ToolKind } from "../words/verbs";
import { useView } from "./context";
import { Foldable } from "./foldable";
import { Rows } from "./row";

/** Fewer steps than this are not worth folding. */
const FEWEST = 2;

/** Splits the rows of a turn into the steps and the answer after them: the messages and notices at its end. */
export function splitSteps(rows: readonly Row[]): { steps: readonly Row[]; answer: readonly Row[] } {
  const isStep = ({ item }: Row): boolean => {
    const { kind } = item.value;
    // What changed is told after the answer, and drawn below it.
    return kind !== "notice" && kind !== "changes" && !(kind === "message" && item.value.role === "agent");
  };
  const end = rows.findLastIndex(isStep) + 1;
  const isWorthIt = tally(rows.slice(0, end)).steps >= FEWEST;
  return isWorthIt ? { steps: rows.slice(0, end), answer: rows.slice(end) } : { steps: [], answer: rows };
}

export function StepsCard({ rows }: { readonly rows: readonly Row[] }) {
  const { store } = useView();
  const { steps, done, thought, approved, rejected } = tally(rows);
  const parts = [...done].map(([kind, count]) => `${WORDS[kind]} ${count}`);
  if (thought >= 1) parts.push(`thought ${wholeDuration(thought)}`);
  const meta = [approved > 0 ? `${approved} approved` : "", rejected > 0 ? `${rejected} rejected` : ""];
  return (
    <Foldable
      id="steps"
      hook="steps"
      icon="tick"
      // Who has opened something while it ran wants to go on reading it.
      isOpen={store.byHand.value.size > 0 && !store.byHand.value.has("steps")}
      title={
        <>
          <span class="nbh-verb">{plural(steps, "step")}</span>
          {parts.join(", ")}
        </>
      }
      meta={meta.filter((text) => text !== "").join(", ")}
      isLongMeta
      body={() => <Rows rows={rows} />}
    />
  );
}

const WORDS: Readonly<Record<ToolKind, string>> = {
  command: "ran",
  read: "read",
  write: "wrote",
  edit: "edited",
  delete: "deleted",
  search: "searched",
  list: "listed",
  fetch: "fetched",
  move: "moved",
  agent: "sub-agents",
  think: "thought",
  other: "other tools",
};

interface Tally {
  steps: number;
  /** Tool calls that went through, by kind. */
  readonly done: Map<ToolKind, number>;
  /** Seconds of thinking. */
  thought: number;
  approved: number;
  rejected: number;
}

function tally(rows: readonly Row[]): Tally {
  const sum: Tally = { steps: 0, done: new Map(), thought: 0, approved: 0, rejected: 0 };
  for (const row of rows) count(row, sum);
  return sum;
}

function count(row: Row, sum: Tally): void {
  const item: Item = row.item.value;
  const approval = item.kind === "approval" ? item : approvalOf(row);
  if (approval?.by !== "mode") {
    sum.approved += Number(approval?.status === "approved");
    sum.rejected += Number(approval !== null && refusalOf(approval) !== null);
  }
  if (item.kind === "tool" || item.kind === "thinking" || item.kind === "plan") sum.steps += 1;
  if (item.kind === "thinking") sum.thought += item.endedAt - item.startedAt;
  if (item.kind === "tool" && !(approval && refusalOf(approval))) countTool(item, sum);
  for (const child of row.children.value) count(child, sum);
}

function countTool({ name, args, toolKind, title }: ToolItem, { done }: Tally): void {
  const { kind } = describe(name, args, toolKind, title);
  done.set(kind, (done.get(kind) ?? 0) + 1);
}
