/** Reject, and tell the agent why. */

import { useRef, useState } from "preact/hooks";
import { Act } from "../band";
import { useFocus } from "./use-focus";

interface ReasonProps {
  /** False while nobody is there to take an answer. */
  readonly canAnswer: boolean;
  readonly canStop: boolean;
  readonly onReject: (reason: string, stop: boolean) => void;
  readonly onBack: () => void;
}

export function ReasonForm({ canAnswer, canStop, onReject, onBack }: ReasonProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useFocus(field);
  return (
    <>
      <input
        ref={field}
        class="nbh-wide"
        aria-label="Reason, goes to the agent"
        placeholder="Why, and what to do instead"
        value={reason}
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onBack();
          else if (event.key === "Enter" && !event.isComposing && canAnswer) onReject(reason, false);
        }}
      />
      <div class="nbh-wide nbh-btns">
        <Act hook="reject" isReady={canAnswer} onClick={() => onReject(reason, false)}>
          Reject
        </Act>
        {canStop && (
          <Act hook="reject-stop" isReady={canAnswer} onClick={() => onReject(reason, true)}>
            Reject and stop
          </Act>
        )}
        <Act look="q" onClick={onBack}>
          Back
        </Act>
      </div>
    </>
  );
}
