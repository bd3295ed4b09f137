/** The right end of a tool's row: who allowed it, how it ended, how much came of it, how long it took. */

import type { VNode } from "preact";
import type { ApprovalItem, ToolItem } from "../items";
import { linesOf } from "../json";
import type { Row } from "../rows";
import { duration, plural } from "../words/format";
import { approvedWords, type Refusal } from "../words/outcome";
import type { Described } from "../words/verbs";
import { useView } from "./context";
import { Dotted } from "./foldable";
import { Seconds } from "./seconds";

export interface ToolParts {
  readonly row: Row;
  readonly item: ToolItem;
  readonly approval: ApprovalItem | null;
  readonly described: Described;
  readonly refusal: Refusal | null;
  /** Draws the rows of a sub-agent. */
  readonly drawInside: (rows: readonly Row[]) => VNode;
}

/** From this many characters on, the meta of a narrow card goes under its title. */
const LONG = 18;

export function ToolMeta({ row, item, approval, described, refusal }: ToolParts) {
  const { store } = useView();
  if (refusal) return <>{refusal.meta}</>;
  const calls = row.children.value.filter(({ item: child }) => child.value.kind === "tool").length;
  const inside = described.kind === "agent" && calls > 0 ? plural(calls, "tool") : "";
  if (item.status === "running") return <Dotted parts={[inside, <Seconds since={item.startedAt} />]} />;
  const allowed = approval ? approvedWords(approval, store.sent.value.get(approval.id)) : "";
  return (
    <Dotted parts={[allowed, inside, exitOf(item), amountOf(item, described), tookOf(item, described)]} />
  );
}

export function hasLongMeta({ approval, refusal }: ToolParts): boolean {
  return (refusal?.meta ?? (approval ? approvedWords(approval, undefined) : "")).length > LONG;
}

function exitOf({ exitCode, synthetic }: ToolItem): string {
  if (synthetic) return "never ended";
  return exitCode === null || exitCode === 0 ? "" : `exit ${exitCode}`;
}

/** `84 lines`, `7 hits`. */
function amountOf({ status, output }: ToolItem, { kind }: Described): string {
  if (status !== "ok") return "";
  if (typeof output !== "string" || output === "") return "";
  if (kind === "read") return plural(linesOf(output).length, "line");
  return kind === "search" ? plural(linesOf(output).length, "hit") : "";
}

function tookOf({ durationMs }: ToolItem, { kind }: Described): string {
  const isQuick =
    kind === "read" || kind === "search" || kind === "list" || kind === "edit" || kind === "write";
  if (durationMs === null || durationMs < (isQuick ? 2000 : 50)) return "";
  return duration(durationMs / 1000);
}
