/** What the parts of an approval card share. */

import type { ApprovalDecision } from "../../events.gen";
import type { ApprovalItem } from "../../items";
import type { Described } from "../../words/verbs";

/** The answer that a person gives, without what binds it to the approval. */
export type Answer = Omit<ApprovalDecision, "type" | "id" | "argsHash">;

/**
 * The answer that counts once: the agent's own one of that kind, where it offers its own. `null` when it offers none that
 * allows once, since nothing may be granted for good by the way.
 */
export function onceAnswer({ options }: ApprovalItem, decision: "approve" | "reject"): Answer | null {
  const isYes = decision === "approve";
  const option = options.find(({ kind }) => kind === (isYes ? "allow_once" : "reject_once"));
  if (option) return { decision, optionId: option.id };
  return isYes && options.length > 0 ? null : { decision };
}

export interface AnswerProps {
  readonly approval: ApprovalItem;
  readonly described: Described;
  /** False while nobody is there to take an answer. */
  readonly canAnswer: boolean;
  /** True once Approve may act as well. */
  readonly isArmed: boolean;
  readonly answer: (given: Answer) => void;
  /** Returns from a form to the choices. */
  readonly onBack: () => void;
}
