/** What the forms of one question and of several share. */

import { useRef } from "preact/hooks";
import type { Question, QuestionOption } from "../../events.gen";
import { Act } from "../band";
import { useFocus } from "../forms/use-focus";
import { Inspected } from "../inspected";
import type { Draft } from "./draft";

export interface FormProps {
  /** False while nobody could take an answer, and in the first moment. */
  readonly isReady: boolean;
  readonly onDraft: (draft: Draft) => void;
  /** Sends what was chosen and written, if that is an answer to everything. */
  readonly onAnswer: () => void;
}

interface OptionProps {
  readonly option: QuestionOption;
}

/** An option in the agent's words, and what it says of it. */
export function OptionWords({ option: { label, description } }: OptionProps) {
  return (
    <>
      <Inspected text={label} />
      {description && (
        <span class="nbh-meta">
          <Inspected text={description} />
        </span>
      )}
    </>
  );
}

export function WriteButton({ isReady, onClick }: { isReady: boolean; onClick: () => void }) {
  return (
    <Act look="q" hook="write" isReady={isReady} onClick={onClick}>
      Write an answer
    </Act>
  );
}

interface AnswerButtonProps {
  readonly isReady: boolean;
  readonly isComplete: boolean;
  readonly onClick: () => void;
}

/** Filled once there is something to send. */
export function AnswerButton({ isReady, isComplete, onClick }: AnswerButtonProps) {
  return (
    <Act
      {...(isComplete && { look: "go" as const })}
      hook="answer"
      isReady={isReady && isComplete}
      onClick={onClick}
    >
      Answer
    </Act>
  );
}

interface FieldProps extends FormProps {
  readonly question: Question;
  readonly draft: Draft;
}

const NOWHERE = { current: null };

/** Where an answer is written. It has the cursor when it was asked for, not when it came with the question. */
export function AnswerField({ question, draft, onDraft, onAnswer }: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useFocus(question.options.length > 0 ? field : NOWHERE);
  return (
    <input
      ref={field}
      class="nbh-wide"
      {...(question.secret && { type: "password" as const })}
      autocomplete="off"
      aria-label={`Answer: ${question.text}`}
      placeholder="Your answer"
      value={draft.text}
      onInput={({ currentTarget }) => onDraft({ ...draft, text: currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.isComposing) onAnswer();
        else if (event.key === "Escape" && question.options.length > 0)
          onDraft({ ...draft, isWriting: false });
      }}
    />
  );
}
