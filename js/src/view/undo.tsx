/** The button that takes back what a settled turn changed, and what came of that. */

import type { UndoControl } from "../undo";
import { Dotted } from "./foldable";
import { Icon } from "./icon";
import { Inspected } from "./inspected";

interface UndoProps {
  readonly undo: UndoControl;
}

export function UndoButton({ undo }: UndoProps) {
  const { next, isBusy } = undo.state.value;
  if (next === "") return null;
  const isUndo = next === "undo";
  return (
    <button
      type="button"
      data-nbh="undo"
      title={
        isUndo
          ? "Put the files back as they were before this turn"
          : "Put the files back as this turn left them"
      }
      aria-disabled={isBusy}
      onClick={() => undo.press()}
    >
      {isBusy ? (isUndo ? "Undoing" : "Redoing") : isUndo ? "Undo" : "Redo"}
    </button>
  );
}

/** A line that is always there, so that a screen reader hears what comes into it. */
export function UndoLine({ undo }: UndoProps) {
  const { outcome } = undo.state.value;
  return (
    <div class="nbh-undone" role="status" data-nbh="undone">
      {outcome && (
        <>
          <Icon
            name={outcome.isDone ? "undo" : "warn"}
            class={outcome.isDone ? "nbh-i-mute" : "nbh-i-warn"}
          />
          <span>
            <Dotted parts={[<b>{outcome.title}</b>, outcome.text && <Inspected text={outcome.text} />]} />
          </span>
        </>
      )}
    </div>
  );
}
