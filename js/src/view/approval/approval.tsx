/** An approval that waits: the question, everything it would let through, and the answers. */

import { useMemo, useState } from "preact/hooks";
import type { ApprovalItem } from "../../items";
import { isApproval } from "../../selectors";
import { changeCount } from "../../words/format";
import { refusedReply, sentTitle } from "../../words/reply";
import { type Described, describe, questionOf } from "../../words/verbs";
import { Arguments } from "../arguments";
import { Band, SendAgain, SentMeta, Why } from "../band";
import { useView } from "../context";
import { ReasonForm } from "../forms/reason-form";
import { useArmed } from "../forms/use-armed";
import { Inspected } from "../inspected";
import { type Answer, type AnswerProps, onceAnswer } from "./answer";
import { Choices } from "./choices";
import { EditForm } from "./edit-form";
import { warningsOf } from "./findings";

interface ApprovalProps {
  readonly approval: ApprovalItem;
  /** Which one of those that wait now, from 1, and how many there are. */
  readonly place: number;
  readonly count: number;
}

export function ApprovalCard({ approval, place, count }: ApprovalProps) {
  const { store } = useView();
  const described = useMemo(() => describe(approval.toolName, approval.args, approval.toolKind), [approval]);
  const warnings = useMemo(() => warningsOf(approval, described), [approval]);
  const canAnswer = store.link.value.state !== "gone";
  const isArmed = useArmed(warnings.length > 0) && canAnswer;
  const [form, setForm] = useState<"choices" | "edit" | "reason">("choices");
  const sent = store.sent.value.get(approval.id);
  const problem = refusedReply(sent);
  const answer = (given: Answer): void => {
    const bound = approval.argsHash === "" ? {} : { argsHash: approval.argsHash };
    store.send({ type: "approval", id: approval.id, ...bound, ...given }, approval.id);
  };
  const onAll = (): void => {
    // By name: what comes up between the look and the click still waits.
    const covers = store.waiting
      .peek()
      .filter(isApproval)
      .map(({ id }) => id);
    answer({ decision: "approve", scope: "turn", covers });
  };
  // After "conflict" the decision of the other one is on its way; after the rest a person may try again.
  if (sent && (problem === "" || sent.reply?.status === "conflict")) {
    return <SentCard approval={approval} described={described} problem={problem} />;
  }
  const shared = { approval, described, canAnswer, isArmed, answer, onBack: () => setForm("choices") };
  const isEdited = form === "edit";
  return (
    <Band
      hook="approval"
      label={`Approval: ${questionText(described)}`}
      title={<Question described={described} />}
      meta={isEdited ? "" : metaOf(approval, place, count)}
      onKey={(key) =>
        form === "choices" &&
        canAnswer &&
        onKey(key, { approval, isArmed, answer, onForm: setForm, onAll, count })
      }
    >
      {!isEdited && (
        <div class="nbh-wide nbh-args">
          {approval.message && <p class="nbh-thought">{approval.message}</p>}
          <Arguments args={approval.args} diffs={approval.diffs} described={described} isTitled />
        </div>
      )}
      <div class="nbh-wide nbh-whys">
        {[problem, ...warnings]
          .filter((text) => text !== "")
          .map((text) => (
            <Why text={text} />
          ))}
      </div>
      {form === "choices" && <Choices {...shared} count={count} onForm={setForm} onAll={onAll} />}
      {isEdited && <EditForm {...shared} />}
      {form === "reason" && (
        <ReasonForm
          canAnswer={canAnswer}
          canStop={approval.choices.includes("reject_stop")}
          onReject={(reason, stop) =>
            answer({ decision: "reject", ...(reason && { reason }), ...(stop && { stop }) })
          }
          onBack={shared.onBack}
        />
      )}
    </Band>
  );
}

interface Keys extends Pick<AnswerProps, "approval" | "isArmed" | "answer"> {
  readonly onForm: (form: "edit" | "reason") => void;
  readonly onAll: () => void;
  readonly count: number;
}

/** The keys of the answers that count once: nothing is granted for good by a letter. */
function onKey(key: string, { isArmed, answer, onForm, onAll, approval, count }: Keys): boolean {
  const once = key === "a" || key === "r" ? onceAnswer(approval, key === "a" ? "approve" : "reject") : null;
  if (once && (isArmed || key === "r")) answer(once);
  else if (key === "A" && isArmed && count > 1) onAll();
  else if (key === "R") onForm("reason");
  else if (key === "e" && approval.choices.includes("approve_edited")) onForm("edit");
  else return false;
  return true;
}

function SentCard({
  approval,
  described,
  problem,
}: Pick<ApprovalProps, "approval"> & { described: Described; problem: string }) {
  const { store } = useView();
  const sent = store.sent.value.get(approval.id);
  if (!sent) return null;
  const title = sentTitle(sent.input);
  return (
    <Band
      hook="approval"
      label={title}
      title={title}
      meta={<SentMeta sent={sent} />}
      icon="run"
      iconClass="nbh-spin"
    >
      <div class="nbh-wide nbh-args">
        <Arguments args={approval.args} diffs={approval.diffs} described={described} isTitled />
      </div>
      {problem !== "" && (
        <div class="nbh-wide">
          <Why text={problem} />
        </div>
      )}
      <SendAgain about={approval.id} sent={sent} />
    </Band>
  );
}

function Question({ described }: { readonly described: Described }) {
  const { words, subject } = questionOf(described);
  if (subject === "") return <>{words}</>;
  return (
    <>
      {words}{" "}
      <code>
        <Inspected text={subject} reading="command" />
      </code>
      ?
    </>
  );
}

function questionText(described: Described): string {
  const { words, subject } = questionOf(described);
  return subject === "" ? words : `${words} ${subject}?`;
}

function metaOf({ diffs }: ApprovalItem, place: number, count: number): string {
  if (count > 1) return `${place} of ${count}`;
  if (diffs.length === 0) return "";
  const sum = (field: "added" | "removed"): number => diffs.reduce((total, diff) => total + diff[field], 0);
  return changeCount(sum("added"), sum("removed"));
}
