/** Approve something else than what was asked: the text, and what is different about it. */

import { useMemo, useRef, useState } from "preact/hooks";
import { patchBetween } from "../../diff/between";
import { markWords } from "../../diff/words";
import { Act, Why } from "../band";
import { PatchView } from "../diff";
import { useFocus } from "../forms/use-focus";
import { Icon } from "../icon";
import { Inspected } from "../inspected";
import type { AnswerProps } from "./answer";
import { editableOf } from "./editing";

export function EditForm({ approval, described, canAnswer, isArmed, answer, onBack }: AnswerProps) {
  const editable = useMemo(() => editableOf(approval.args, described), [approval.args]);
  const [text, setText] = useState(editable.text);
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useFocus(field);
  const approve = (): void => {
    try {
      answer(
        text === editable.text
          ? { decision: "approve" }
          : { decision: "approve", args: editable.parse(text) },
      );
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      setProblem(`This is not JSON: ${error.message}`);
    }
  };
  const isChanged = text !== editable.text;
  return (
    <>
      {isChanged && (
        <span class="nbh-r nbh-edited">
          <Icon name="pen" />
          Edited by you
        </span>
      )}
      <textarea
        ref={field}
        class="nbh-wide"
        rows={Math.min(16, text.split("\n").length)}
        aria-label={editable.label}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onBack();
          else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && isArmed) approve();
        }}
      />
      {isChanged && <Changed before={editable.text} after={text} />}
      {problem !== "" && (
        <div class="nbh-wide">
          <Why text={problem} />
        </div>
      )}
      <div class="nbh-wide nbh-btns">
        <Act look="go" hook="approve" isReady={isArmed} onClick={approve}>
          {isChanged ? "Approve edited" : "Approve"}
        </Act>
        <Act hook="reject" isReady={canAnswer} onClick={() => answer({ decision: "reject" })}>
          Reject
        </Act>
        <Act look="q" onClick={onBack}>
          {isChanged ? "Discard edit" : "Back"}
        </Act>
      </div>
    </>
  );
}

interface ChangedProps {
  readonly before: string;
  readonly after: string;
}

/** What the edit changes: marked words of a line, a diff of more. */
function Changed({ before, after }: ChangedProps) {
  if (before.includes("\n") || after.includes("\n")) {
    return (
      <div class="nbh-wide">
        <PatchView patch={patchBetween(before, after)} name="the arguments" />
      </div>
    );
  }
  const words = markWords(before, after, "argument") ?? { removed: ["", before, ""], added: ["", after, ""] };
  const [start, removed, end] = words.removed;
  return (
    <div class="nbh-wide nbh-cmp">
      <span class="nbh-verb">Changed</span>
      <code>
        <Inspected text={start} />
        {removed !== "" && (
          <del>
            <Inspected text={removed} reading="command" />
          </del>
        )}{" "}
        {words.added[1] !== "" && (
          <ins>
            <Inspected text={words.added[1]} reading="command" />
          </ins>
        )}
        <Inspected text={end} />
      </code>
    </div>
  );
}
