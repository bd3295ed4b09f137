/** A plan: a band while it waits for a yes or no, a row afterwards. */

import { useRef, useState } from "preact/hooks";
import type { PlanDecision } from "../events.gen";
import type { PlanItem } from "../items";
import { plural } from "../words/format";
import { decisionSentence } from "../words/outcome";
import { refusedReply, sentTitle } from "../words/reply";
import { Act, Band, SendAgain, SentMeta, Why } from "./band";
import { useView } from "./context";
import { Foldable } from "./foldable";
import { ReasonForm } from "./forms/reason-form";
import { useArmed } from "./forms/use-armed";
import { useFocus } from "./forms/use-focus";
import { Markdown } from "./message";

interface PlanProps {
  readonly id: string;
  readonly item: PlanItem;
}

export function PlanCard({ id, item }: PlanProps) {
  return item.status === "proposed" ? <Proposed item={item} /> : <Decided id={id} item={item} />;
}

function Decided({ id, item }: PlanProps) {
  const isApproved = item.status === "approved";
  const isEdited = item.plan.trim() !== item.proposedPlan.trim();
  const meta =
    item.by === "turn" ? "the turn ended first" : item.by === "nobody" ? "nobody could answer" : "";
  const words = isApproved ? (isEdited ? "approved, edited" : "approved") : meta || "by you";
  return (
    <Foldable
      id={id}
      hook="plan"
      icon={isApproved ? "tick" : item.by === "turn" ? "clock" : "no"}
      title={
        <>
          <span class="nbh-verb">
            {isApproved ? "Plan" : item.by === "turn" ? "Plan expired" : "Plan rejected"}
          </span>
          {stepCount(item.plan)}
          {item.reason && <span class="nbh-meta"> “{item.reason}”</span>}
        </>
      }
      meta={words}
      body={() => (
        <div class="nbh-body">
          <Markdown text={item.plan} />
          <p class="nbh-thought nbh-small">{decisionSentence(item)}</p>
        </div>
      )}
    />
  );
}

/** `4 steps`, as many as the plan has items at its outermost level; `""` for prose. */
function stepCount(plan: string): string {
  const steps = plan.split("\n").filter((line) => /^(?:[-*+]|\d+[.)])\s+\S/.test(line)).length;
  return steps > 0 ? plural(steps, "step") : "";
}

type Answer = Omit<PlanDecision, "type" | "id" | "planHash">;

function Proposed({ item }: { readonly item: PlanItem }) {
  const { store } = useView();
  const canAnswer = store.link.value.state !== "gone";
  const isArmed = useArmed(false) && canAnswer;
  const [form, setForm] = useState<"choices" | "edit" | "reason">("choices");
  const about = `plan ${item.id}`;
  const sent = store.sent.value.get(about);
  const problem = refusedReply(sent);
  const answer = (given: Answer): void => {
    const bound = item.planHash === "" ? {} : { planHash: item.planHash };
    store.send({ type: "plan", id: item.id, ...bound, ...given }, about);
  };
  const isSent = sent !== undefined && (problem === "" || sent.reply?.status === "conflict");
  const title = isSent ? sentTitle(sent.input) : "Go ahead with this plan?";
  const onKey = (key: string): boolean => {
    if (isSent || form !== "choices" || !canAnswer) return false;
    if (key === "a" && isArmed) answer({ decision: "approve" });
    else if (key === "r") answer({ decision: "reject" });
    else if (key === "R") setForm("reason");
    else if (key === "e") setForm("edit");
    else return false;
    return true;
  };
  const onBack = (): void => setForm("choices");
  return (
    <Band
      hook="plan"
      label={`Plan: ${title}`}
      title={title}
      meta={isSent ? <SentMeta sent={sent} /> : "nothing changed yet"}
      icon={isSent ? "run" : "ask"}
      iconClass={isSent ? "nbh-spin" : ""}
      onKey={onKey}
    >
      {(isSent || form !== "edit") && <Markdown text={item.plan} class="nbh-wide" />}
      {problem !== "" && (
        <div class="nbh-wide">
          <Why text={problem} />
        </div>
      )}
      {isSent && <SendAgain about={about} sent={sent} />}
      {!isSent && form === "choices" && <Choices {...{ canAnswer, isArmed, answer }} onForm={setForm} />}
      {!isSent && form === "edit" && (
        <EditForm plan={item.plan} isArmed={isArmed} answer={answer} onBack={onBack} />
      )}
      {!isSent && form === "reason" && (
        <ReasonForm
          canAnswer={canAnswer}
          canStop={false}
          onReject={(reason) => answer({ decision: "reject", ...(reason && { reason }) })}
          onBack={onBack}
        />
      )}
    </Band>
  );
}

interface ChoicesProps {
  readonly canAnswer: boolean;
  readonly isArmed: boolean;
  readonly answer: (given: Answer) => void;
  readonly onForm: (form: "edit" | "reason") => void;
}

function Choices({ canAnswer, isArmed, answer, onForm }: ChoicesProps) {
  return (
    <div class="nbh-wide nbh-btns">
      <Act
        look="go"
        hook="approve"
        hint="a"
        isReady={isArmed}
        onClick={() => answer({ decision: "approve" })}
      >
        Approve
      </Act>
      <Act hook="reject" hint="r" isReady={canAnswer} onClick={() => answer({ decision: "reject" })}>
        Reject
      </Act>
      <Act look="q" hook="edit" hint="e" isReady={canAnswer} onClick={() => onForm("edit")}>
        Edit
      </Act>
      <Act look="q" hook="reason" hint="R" isReady={canAnswer} onClick={() => onForm("reason")}>
        Reject with reason
      </Act>
    </div>
  );
}

interface EditProps {
  readonly plan: string;
  readonly isArmed: boolean;
  readonly answer: (given: Answer) => void;
  readonly onBack: () => void;
}

function EditForm({ plan, isArmed, answer, onBack }: EditProps) {
  const [text, setText] = useState(plan);
  const field = useRef<HTMLTextAreaElement>(null);
  useFocus(field);
  const isChanged = text !== plan;
  const canApprove = isArmed && text.trim() !== "";
  const approve = (): void => {
    if (canApprove) answer({ decision: "approve", ...(isChanged && { plan: text }) });
  };
  return (
    <>
      <textarea
        ref={field}
        class="nbh-wide"
        rows={Math.min(20, text.split("\n").length + 1)}
        aria-label="Plan, edited"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onBack();
          else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) approve();
        }}
      />
      <div class="nbh-wide nbh-btns">
        <Act look="go" hook="approve" isReady={canApprove} onClick={approve}>
          {isChanged ? "Approve edited" : "Approve"}
        </Act>
        <Act look="q" onClick={onBack}>
          {isChanged ? "Discard edit" : "Back"}
        </Act>
      </div>
    </>
  );
}
