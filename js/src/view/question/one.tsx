/** The form of one question that takes one answer: its options are the buttons. */

import type { Question } from "../../events.gen";
import { Act } from "../band";
import { answersOf, type Draft, withField } from "./draft";
import { AnswerButton, AnswerField, type FormProps, OptionWords, WriteButton } from "./parts";

interface OneProps extends FormProps {
  readonly question: Question;
  readonly draft: Draft;
  readonly onPick: (label: string) => void;
  readonly onSkip: () => void;
}

export function OneQuestion({ question, draft, isReady, onDraft, onAnswer, onPick, onSkip }: OneProps) {
  const { options } = question;
  // With a word on each they are lines, without they are a row of buttons.
  const isList = options.some(({ description }) => description);
  const buttons = options.map((option) => (
    <Act hook="option" isReady={isReady} onClick={() => onPick(option.label)}>
      <OptionWords option={option} />
    </Act>
  ));
  const skip = (
    <Act look="q" hook="skip" isReady={isReady} onClick={onSkip}>
      Skip
    </Act>
  );
  return (
    <>
      {isList && <div class="nbh-wide nbh-options">{buttons}</div>}
      {!(draft.isWriting && (isList || options.length === 0)) && (
        <div class="nbh-wide nbh-btns">
          {!isList && buttons}
          {!draft.isWriting && question.freeText && (
            <WriteButton isReady={isReady} onClick={() => onDraft(withField(draft, question))} />
          )}
          {!draft.isWriting && skip}
        </div>
      )}
      {draft.isWriting && (
        <>
          <AnswerField {...{ question, draft, isReady, onDraft, onAnswer }} />
          <div class="nbh-wide nbh-btns">
            <AnswerButton isReady={isReady} isComplete={answersOf(draft).length > 0} onClick={onAnswer} />
            {skip}
          </div>
        </>
      )}
    </>
  );
}
