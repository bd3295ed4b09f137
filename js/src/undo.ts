/** Taking back what a settled turn changed: what can be asked for, and what came of it. Nothing here touches the DOM. */

import { type Signal, signal } from "@preact/signals";
import { isRecord } from "./json";
import type { Ask } from "./transport/control";
import { uuid } from "./uuid";
import { plural } from "./words/format";

/** What came of an undo or a redo, in words. */
export interface UndoOutcome {
  readonly isDone: boolean;
  readonly title: string;
  readonly text: string;
}

export interface UndoState {
  /** What a press asks for; `""` when there is nothing to take back, or no kernel that could. */
  readonly next: "" | "undo" | "redo";
  readonly isBusy: boolean;
  readonly outcome: UndoOutcome | null;
}

export class UndoControl {
  readonly state: Signal<UndoState> = signal({ next: "", isBusy: false, outcome: null });
  private readonly turnId: string;
  private readonly ask: Ask;
  private readonly view = uuid();
  private secret = "";

  constructor(turnId: string, ask: Ask) {
    this.turnId = turnId;
    this.ask = ask;
  }

  /** Asks the kernel what can be taken back; returns false when no kernel answered. */
  async load(): Promise<boolean> {
    const { turnId, view } = this;
    const answer = await this.ask({ kind: "look", view, nonce: uuid(), turnId });
    if (isRecord(answer) && answer.kind === "looked" && typeof answer.secret === "string") {
      this.secret = answer.secret;
      const next = answer.undo === "undo" || answer.undo === "redo" ? answer.undo : "";
      const outcome = next === "redo" ? { isDone: true, title: "Undone", text: "" } : null;
      this.state.value = { next, isBusy: false, outcome };
    }
    return answer !== null;
  }

  /** Sends what is next, and says what came of it; does nothing while that is on its way. */
  async press(): Promise<void> {
    const { next, isBusy } = this.state.peek();
    if (next === "" || isBusy) return;
    this.state.value = { next, isBusy: true, outcome: null };
    const { turnId, view, secret } = this;
    const input = { type: next };
    const answer = await this.ask({ kind: "input", view, inputId: uuid(), turnId, secret, input });
    const outcome = outcomeOf(next, isRecord(answer) ? answer : {});
    const other = next === "undo" ? "redo" : "undo";
    this.state.value = { next: outcome.isDone ? other : next, isBusy: false, outcome };
  }
}

function outcomeOf(asked: "undo" | "redo", answer: Readonly<Record<string, unknown>>): UndoOutcome {
  const isUndo = asked === "undo";
  if (answer.status === "ok") {
    const files = isRecord(answer.undo) ? countOf(answer.undo.restored) + countOf(answer.undo.removed) : 0;
    const then = isUndo ? "before the turn" : `the turn left ${files === 1 ? "it" : "them"}`;
    const text = `${plural(files, "file is", "files are")} as ${then}`;
    return { isDone: true, title: isUndo ? "Undone" : "Redone", text };
  }
  const why = typeof answer.message === "string" ? answer.message : "The kernel did not answer";
  return { isDone: false, title: isUndo ? "Not undone" : "Not redone", text: why.replace(/\.$/, "") };
}

function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
