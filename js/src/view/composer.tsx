/** A further message for the agent while it works. */

import { useRef } from "preact/hooks";
import { uuid } from "../uuid";
import { useView } from "./context";
import { useFocus } from "./forms/use-focus";
import { Icon } from "./icon";

interface ComposerProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

/** The text outlives it: who goes back finds it again. */
export function Composer({ text, onText, onClose }: ComposerProps) {
  const { store } = useView();
  const field = useRef<HTMLTextAreaElement>(null);
  useFocus(field);
  const known = store.turn.value.capabilities;
  const canSteer = known.length === 0 || known.includes("steer");
  const send = (when: "now" | "after"): void => {
    if (text.trim() === "") return;
    store.send({ type: "message", text, when }, `message ${uuid()}`);
    onText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(canSteer ? "now" : "after");
  };
  return (
    <div class="nbh-queue nbh-compose" data-nbh="composer">
      <Icon name="you" class="nbh-g nbh-i-mute" />
      <textarea
        ref={field}
        class="nbh-c"
        rows={Math.min(6, text.split("\n").length)}
        aria-label="Message for the agent"
        placeholder="Tell the agent something"
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span class="nbh-r">
        {canSteer && (
          <button
            type="button"
            aria-disabled={text.trim() === ""}
            data-nbh="send"
            onClick={() => send("now")}
          >
            Send now
          </button>
        )}
        <button
          type="button"
          class={canSteer ? "nbh-q" : ""}
          aria-disabled={text.trim() === ""}
          data-nbh="queue"
          onClick={() => send("after")}
        >
          Queue
        </button>
        <button type="button" class="nbh-q" onClick={onClose}>
          Back
        </button>
      </span>
    </div>
  );
}
