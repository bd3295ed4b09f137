/** The answers to an approval, the rare ones behind "More". */

import { useState } from "preact/hooks";
import { Act } from "../band";
import { Inspected } from "../inspected";
import { type AnswerProps, onceAnswer } from "./answer";

interface ChoicesProps extends AnswerProps {
  readonly count: number;
  readonly onForm: (form: "edit" | "reason") => void;
  /** Approves all that are on view. */
  readonly onAll: () => void;
}

export function Choices(props: ChoicesProps) {
  const { approval, canAnswer, count, onForm } = props;
  const [isMore, setMore] = useState(false);
  const { choices, options } = approval;
  const hasMore = count > 1 || choices.includes("remember") || choices.includes("reject_stop");
  return (
    <>
      <div class="nbh-wide nbh-btns">
        {options.length > 0 ? (
          <div class="nbh-offered">
            <Offered {...props} />
          </div>
        ) : (
          <Ours {...props} />
        )}
        {choices.includes("approve_edited") && (
          <Act look="q" hook="edit" hint="e" isReady={canAnswer} onClick={() => onForm("edit")}>
            Edit
          </Act>
        )}
        <Act look="q" hook="reason" hint="R" isReady={canAnswer} onClick={() => onForm("reason")}>
          Reject with reason
        </Act>
        {hasMore && (
          <button
            type="button"
            class="nbh-q nbh-push"
            data-nbh="more"
            aria-expanded={isMore}
            onClick={() => setMore(!isMore)}
          >
            More
          </button>
        )}
      </div>
      {isMore && <More {...props} />}
    </>
  );
}

function Ours({ canAnswer, isArmed, answer }: AnswerProps) {
  return (
    <>
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
    </>
  );
}

const LOOKS = { yes: { look: "go", hint: "a" }, always: { look: "q" } } as const;

/** The agent's own answers in its own words and order; one that also answers for later is set apart. */
function Offered({ approval, canAnswer, isArmed, answer }: AnswerProps) {
  const yes = onceAnswer(approval, "approve")?.optionId;
  const no = onceAnswer(approval, "reject")?.optionId;
  return (
    <>
      {approval.options.map(({ id, name, kind }) => {
        const isYes = kind.startsWith("allow");
        const look = id === yes ? LOOKS.yes : kind.endsWith("always") ? LOOKS.always : {};
        return (
          <Act
            key={id}
            {...look}
            {...(id === no && { hint: "r" })}
            hook={isYes ? "approve" : "reject"}
            isReady={isYes ? isArmed : canAnswer}
            onClick={() => answer({ decision: isYes ? "approve" : "reject", optionId: id })}
          >
            <Inspected text={name} />
          </Act>
        );
      })}
      {no === undefined && (
        <Act hook="reject" hint="r" isReady={canAnswer} onClick={() => answer({ decision: "reject" })}>
          Reject
        </Act>
      )}
    </>
  );
}

function More({ approval, canAnswer, isArmed, answer, count, onAll }: ChoicesProps) {
  return (
    <div class="nbh-wide nbh-menu">
      {approval.choices.includes("remember") && (
        <Act
          look="q"
          hook="remember"
          isReady={isArmed}
          onClick={() => answer({ decision: "approve", remember: true })}
        >
          Approve and remember
          <span class="nbh-meta">
            exactly this, for this agent in this folder, kept in your nbharness settings
          </span>
        </Act>
      )}
      {count > 1 && (
        <Act look="q" hook="approve-all" hint="A" isReady={isArmed} onClick={onAll}>
          Approve all {count}
          <span class="nbh-meta">what waits now in this turn, nothing later</span>
        </Act>
      )}
      {approval.choices.includes("reject_stop") && (
        <Act
          look="q"
          hook="reject-stop"
          isReady={canAnswer}
          onClick={() => answer({ decision: "reject", stop: true })}
        >
          Reject and stop
          <span class="nbh-meta">ends the turn</span>
        </Act>
      )}
    </div>
  );
}
