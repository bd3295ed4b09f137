/** One turn, whole. */

import { useState } from "preact/hooks";
import type { Follower } from "../follow";
import { snapshotOf } from "../selectors";
import { Changes } from "./changes";
import { Composer } from "./composer";
import { useView } from "./context";
import { Head } from "./head";
import { Queue } from "./queue";
import { Rows } from "./row";
import { Status } from "./status";
import { StepsCard, splitSteps } from "./steps";

export function Turn({ follower }: { readonly follower: Follower }) {
  const { store } = useView();
  const [isComposing, setComposing] = useState(false);
  const [draft, setDraft] = useState("");
  const [edits, setEdits] = useState(0);
  const onEdit = (text: string): void => {
    setDraft(draft.trim() === "" ? text : `${draft}\n${text}`);
    setEdits(edits + 1);
    setComposing(true);
  };
  const isSettled = store.isSettled.value;
  return (
    <>
      <Head />
      <Log />
      <div class="nbh-edge">
        {follower.hasNews.value && (
          <button type="button" class="nbh-new" onClick={() => follower.toEnd()}>
            New output ↓
          </button>
        )}
        <Queue onEdit={onEdit} />
        {isComposing && !isSettled && (
          // A new one for each message that comes back, so that the cursor is in it.
          <Composer key={edits} text={draft} onText={setDraft} onClose={() => setComposing(false)} />
        )}
        <Status isComposing={isComposing} onCompose={() => setComposing(true)} />
      </div>
    </>
  );
}

/**
 * Everything that happened, in order. Not a live region: the announcer says what matters. The focus goes here when what had
 * it is gone.
 */
function Log() {
  const { store } = useView();
  const rows = store.tree.top.value;
  const isDone = store.status.value === "completed";
  const hasSnapshot = store.isSettled.value && snapshotOf(store.turn.peek()) !== null;
  const { steps, answer } = isDone ? splitSteps(rows) : { steps: [], answer: rows };
  if (rows.length === 0) return null;
  return (
    <div class="nbh-log" role="log" aria-live="off" aria-label="Transcript" tabIndex={-1}>
      {steps.length > 0 && <StepsCard rows={steps} />}
      <Rows rows={answer} />
      {(isDone || hasSnapshot) && <Changes />}
    </div>
  );
}
