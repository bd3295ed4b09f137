/** The form of several questions, or of one that takes several answers: nothing is sent before all of them have one. */

import { useMemo } from "preact/hooks";
import type { Question } from "../../events.gen";
import { uuid } from "../../uuid";
import { Act } from "../band";
import { Inspected } from "../inspected";
import { type Draft, withField, withOption } from "./draft";
import { AnswerButton, AnswerField, type FormProps, OptionWords, WriteButton } from "./parts";

interface ManyProps extends Omit<FormProps, "onDraft"> {
  readonly questions: readonly Question[];
  readonly drafts: readonly Draft[];
  readonly isComplete: boolean;
  readonly onDraft: (place: number, draft: Draft) => void;
  readonly onSkip: () => void;
}

export function ManyQuestions(props: ManyProps) {
  const { questions, drafts, isReady, isComplete, onDraft, onAnswer, onSkip } = props;
  return (
    <>
      {drafts.map((draft, place) => {
        const question = questions[place];
        return (
          question && (
            <OneOfMany
              key={question.id}
              {...{ question, draft, isReady, onAnswer }}
              isAlone={questions.length === 1}
              onDraft={(next) => onDraft(place, next)}
            />
          )
        );
      })}
      <div class="nbh-wide nbh-btns">
        <AnswerButton isReady={isReady} isComplete={isComplete} onClick={onAnswer} />
        <Act look="q" hook="skip" isReady={isReady} onClick={onSkip}>
          Skip
        </Act>
      </div>
    </>
  );
}

interface OneProps extends FormProps {
  readonly question: Question;
  readonly draft: Draft;
  /** True when the title above is the question. */
  readonly isAlone: boolean;
}

function OneOfMany({ question, draft, isReady, isAlone, onDraft, onAnswer }: OneProps) {
  // The same question may be on the page twice, and options of one name are one choice.
  const name = useMemo(uuid, []);
  return (
    <fieldset class="nbh-wide">
      <legend class={isAlone ? "nbh-hidden" : ""}>
        <Inspected text={question.text} />
      </legend>
      {question.options.map((option) => (
        <label>
          <input
            type={question.multiple ? "checkbox" : "radio"}
            name={name}
            data-nbh="option"
            checked={draft.chosen.includes(option.label)}
            disabled={!isReady}
            onChange={() => onDraft(withOption(draft, option.label, question))}
          />
          <span>
            <OptionWords option={option} />
          </span>
        </label>
      ))}
      {draft.isWriting && <AnswerField {...{ question, draft, isReady, onDraft, onAnswer }} />}
      {!draft.isWriting && question.freeText && (
        <WriteButton isReady={isReady} onClick={() => onDraft(withField(draft, question))} />
      )}
    </fieldset>
  );
}
