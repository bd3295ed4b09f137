/** What became of an answer, in words. */

import type { CodingInput } from "../events.gen";
import type { Sent } from "../store";

/** What was sent, as a title: only the kernel's own event says that it was done. */
export function sentTitle(input: CodingInput): string {
  if (input.type === "question") return "Answer sent";
  return (input.type === "approval" || input.type === "plan") && input.decision === "approve"
    ? "Approval sent"
    : "Rejection sent";
}

const WHY: Readonly<Record<string, string>> = {
  message: "The agent did not get it",
  withdraw: "It could not be taken back",
  unknown: "The kernel no longer waits for this",
  invalid: "The kernel could not read the answer",
};

/** Why an answer had no effect; `""` when it had, or nobody knows yet. */
export function refusedReply(sent: Sent | undefined): string {
  const { reply } = sent ?? {};
  if (!reply || reply.status === "ok") return "";
  if (reply.status === "conflict")
    return reply.message || `Already ${reply.recorded || "answered"} in another view`;
  const why = WHY[sent?.input.type ?? ""] ?? WHY[reply.status] ?? "";
  return reply.message ? `${why}: ${reply.message}` : why;
}
