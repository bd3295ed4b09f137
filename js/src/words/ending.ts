/** How a turn ended: what happened, why, and what is kept. */

import type { TurnState } from "../items";
import { changedFiles, changeTotals } from "../selectors";
import { changeCount, plural } from "./format";

/** How an ending looks: nothing to do, stopped on purpose, out of time, something to see to, broken. */
export type Tone = "done" | "stopped" | "limit" | "careful" | "failed";

export interface Ending {
  readonly tone: Tone;
  readonly words: string;
  /** A few words beside; `""` when the words say it all. */
  readonly why: string;
  /** A sentence of its own, for what is too long to stand beside. */
  readonly detail: string;
}

const FAILURES: Readonly<Record<string, string>> = {
  rate_limited: "Rate limited",
  auth: "Sign-in needed",
  context_exhausted: "Context full",
  max_turns: "Turn limit reached",
};
const ABORTS: Readonly<Record<string, string>> = {
  timeout: "Timed out",
  budget: "Budget reached",
  interrupted: "Interrupted",
};

/** Longer explanations go on a line of their own. */
const SHORT = 60;

export function endingOf(turn: TurnState): Ending {
  if (turn.status === "completed") return completed(turn);
  const text = turn.error ?? "";
  const isShort = text.length <= SHORT && !text.includes("\n");
  const rest = { why: isShort ? text.replace(/\.$/, "") : "", detail: isShort ? "" : text };
  const code = turn.code ?? "";
  if (turn.status === "aborted") {
    const words = ABORTS[code];
    return words ? { tone: "limit", words, ...rest } : { tone: "stopped", words: "Stopped", ...rest };
  }
  const words = FAILURES[code];
  if (!words) return { tone: "failed", words: "Failed", ...rest };
  return { tone: code === "rate_limited" ? "limit" : "careful", words, ...rest };
}

function completed({ metadata }: TurnState): Ending {
  const refused = typeof metadata.refused === "number" ? metadata.refused : 0;
  if (refused === 0) return { tone: "done", words: "Done", why: "", detail: "" };
  const what = refused === 1 ? "one approval was" : `${refused} approvals were`;
  const detail = `${what.charAt(0).toUpperCase()}${what.slice(1)} refused because nobody could answer.`;
  return { tone: "careful", words: "Done in part", why: "", detail };
}

/** `2 files +4 −2`; `""` when nothing changed. */
export function resultOf(turn: TurnState): string {
  const files = changedFiles(turn);
  if (files.size === 0) return "";
  const { added, removed } = changeTotals([...files.values()].flat());
  return `${plural(files.size, "file")} ${changeCount(added, removed)}`;
}

/** What a turn that did not complete leaves behind; only what is known of it. */
export function keptOf(turn: TurnState): string {
  if (turn.status === "completed") return "";
  const { size } = changedFiles(turn);
  if (size > 0) return `${plural(size, "file")} changed so far, kept.`;
  return turn.items.some(({ kind }) => kind === "tool") ? "" : "Nothing was changed.";
}
