/** A decided approval that belongs to no tool call: one line, still readable. */

import type { ApprovalItem } from "../items";
import { approvedWords, decisionSentence, refusalOf } from "../words/outcome";
import { describe } from "../words/verbs";
import { Arguments } from "./arguments";
import { useView } from "./context";
import { Foldable } from "./foldable";
import { Inspected, OneLine } from "./inspected";

interface DecidedProps {
  readonly id: string;
  readonly approval: ApprovalItem;
}

export function DecidedApproval({ id, approval }: DecidedProps) {
  const { store } = useView();
  const refusal = refusalOf(approval);
  const { toolName, edited, editedArgs, args, toolKind } = approval;
  const described = describe(toolName, edited ? editedArgs : args, toolKind);
  return (
    <Foldable
      id={id}
      hook="approval-decided"
      icon={refusal?.icon ?? "tick"}
      title={
        <>
          <span class="nbh-verb">{refusal?.verb ?? "Approved"}</span>
          <code>
            <OneLine text={described.subject} />
          </code>
          {refusal?.reason && (
            <span class="nbh-meta">
              {" “"}
              <Inspected text={refusal.reason} />”
            </span>
          )}
        </>
      }
      meta={refusal?.meta ?? approvedWords(approval, store.sent.value.get(approval.id))}
      body={() => (
        <div class="nbh-body">
          <p class="nbh-thought nbh-small">{decisionSentence(approval)}</p>
          <Arguments args={approval.args} diffs={approval.diffs} described={described} />
        </div>
      )}
    />
  );
}
