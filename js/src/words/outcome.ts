/** How an approval ended, in the few words that stand at the right of its row. */

import type { ApprovalItem, PlanItem } from "../items";
import type { Sent } from "../store";
import { timeOfDay, wholeDuration } from "./format";

/** What a row says instead of the tool's own verb when the call was not allowed. */
export interface Refusal {
  readonly verb: string;
  readonly icon: "no" | "clock";
  readonly meta: string;
  /** The reason a person or rule gave; `""` when it is in the meta already. */
  readonly reason: string;
}

/** Returns how the call was refused, `null` while it waits and when it was approved. */
export function refusalOf(approval: ApprovalItem): Refusal | null {
  const { status, by, reason } = approval;
  if (status === "expired")
    return { verb: "Expired", icon: "clock", meta: "nobody answered in time", reason: "" };
  if (status === "cancelled")
    return { verb: "Expired", icon: "clock", meta: "the turn ended first", reason: "" };
  if (status !== "rejected") return null;
  if (by === "nobody") return { verb: "Refused", icon: "no", meta: "nobody could answer", reason: "" };
  if (by === "rule")
    return { verb: "Refused", icon: "no", meta: reason ? `by rule: ${reason}` : "by a rule", reason: "" };
  if (by === "mode")
    return { verb: "Refused", icon: "no", meta: reason || "by the approval mode", reason: "" };
  const meta = isForGood(approval) ? `${whoRejected(by)}, always` : whoRejected(by);
  return { verb: "Rejected", icon: "no", meta, reason };
}

/** True when the agent's own answer was chosen that holds for later calls too. */
function isForGood({ options, optionId }: ApprovalItem): boolean {
  return options.some(({ id, kind }) => id === optionId && kind.endsWith("_always"));
}

function whoRejected(by: string): string {
  if (by === "user") return "by you";
  return by === "terminal" ? "in the terminal" : by === "code" ? "by code" : "";
}

/** Returns `approved`, `approved, edited`, `approved, always`, `by rule: …`; `""` when nobody had to be asked. */
export function approvedWords(approval: ApprovalItem, sent: Sent | undefined): string {
  const { status, by, reason, edited } = approval;
  if (status !== "approved" || by === "mode") return "";
  const tail = edited ? ", edited" : isForGood(approval) ? ", always" : "";
  // Somebody pressed a button here as well, and was second.
  const first = sent?.reply?.status === "conflict" ? " first" : "";
  if (by === "rule") return reason ? `by rule: ${reason}${tail}` : `by a rule${tail}`;
  if (by === "terminal") return `approved in the terminal${first}${tail}`;
  if (by === "code") return `approved by code${first}${tail}`;
  return first ? `approved in another view first${tail}` : `approved${tail}`;
}

/** One sentence about who decided, when, and after how long; `""` when no person did. */
export function decisionSentence({ status, by, askedAt, decidedAt }: ApprovalItem | PlanItem): string {
  if (decidedAt === null || (by !== "user" && by !== "terminal")) return "";
  const where = by === "terminal" ? "in the terminal" : "by you";
  const verb = status === "approved" ? "Approved" : "Rejected";
  return `${verb} ${where} at ${timeOfDay(decidedAt)}, after ${wholeDuration(decidedAt - askedAt)}.`;
}
