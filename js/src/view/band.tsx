/** What approvals and plans share: the tinted band with a question, the only thing in a turn that needs somebody. */

import type { ComponentChildren } from "preact";
import { now } from "../clock";
import type { Sent } from "../store";
import { capitalised } from "../words/format";
import { useView } from "./context";
import { Icon, type IconName } from "./icon";

interface BandProps {
  readonly hook: "approval" | "plan" | "question";
  /** Read out when the band gets the focus. */
  readonly label: string;
  readonly title: ComponentChildren;
  readonly meta?: ComponentChildren;
  readonly icon?: IconName;
  readonly iconClass?: string;
  /** A key pressed while the band has the focus; returns whether it meant something. */
  readonly onKey?: (key: string) => boolean;
  readonly children: ComponentChildren;
}

export function Band({ hook, label, title, meta, icon = "ask", iconClass = "", onKey, children }: BandProps) {
  const keyDown = (event: KeyboardEvent): void => {
    const isTyping = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement;
    if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (onKey?.(event.key)) event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form, and this is a question
    // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys work while it has the focus
    <div class="nbh-ask" data-nbh={hook} role="group" aria-label={label} tabIndex={0} onKeyDown={keyDown}>
      <Icon name={icon} class={`nbh-g nbh-i-ask ${iconClass}`.trim()} />
      <h3 class="nbh-c">{title}</h3>
      {meta && <span class="nbh-r nbh-meta">{meta}</span>}
      {children}
    </div>
  );
}

/** A line with a warning sign. */
export function Why({ text }: { readonly text: string }) {
  return (
    <div class="nbh-why">
      <Icon name="warn" class="nbh-i-warn" />
      <span>{capitalised(text)}</span>
    </div>
  );
}

interface ButtonProps {
  readonly onClick: () => void;
  /** `go` is the one filled button, `q` a quiet one. */
  readonly look?: "go" | "q" | "push";
  readonly hook?: string;
  /** Shown while the band has the focus. */
  readonly hint?: string;
  readonly isReady?: boolean;
  readonly children: ComponentChildren;
}

const LOOKS = { go: "nbh-go", q: "nbh-q", push: "nbh-q nbh-push" } as const;

/** A button that does nothing until it is ready, but can be reached and read before. */
export function Act({ onClick, look, hook, hint, isReady = true, children }: ButtonProps) {
  return (
    <button
      type="button"
      class={look && LOOKS[look]}
      data-nbh={hook}
      aria-disabled={!isReady}
      aria-keyshortcuts={hint}
      onClick={() => isReady && onClick()}
    >
      {children}
      {hint && (
        <span class="nbh-kbd" aria-hidden="true">
          {hint}
        </span>
      )}
    </button>
  );
}

const AGAIN_MS = 2000;

interface SentProps {
  readonly about: string;
  readonly sent: Sent;
}

/** How long the kernel has not answered, and from two seconds on a way to try again. */
export function SentMeta({ sent }: Omit<SentProps, "about">) {
  const seconds = Math.max(0, Math.floor((now.value - sent.at) / 1000));
  if (sent.reply?.status === "ok") return "received";
  if (sent.reply?.status === "conflict") return "";
  return seconds < 1 ? "waiting for the kernel" : `waiting for the kernel, ${seconds} s`;
}

export function SendAgain({ about, sent }: SentProps) {
  const { store } = useView();
  if (sent.reply !== null || now.value - sent.at < AGAIN_MS) return null;
  return (
    <div class="nbh-wide nbh-btns">
      <Act hook="send-again" onClick={() => store.sendAgain(about)}>
        Send again
      </Act>
    </div>
  );
}
