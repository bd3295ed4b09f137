/**
 * Puts Undo on transcripts. They are HTML that needs no kernel, so the page looks for those of turns that its kernel still
 * knows: also after a reload, when the widgets are gone and only the bundle is here.
 */

import { render } from "preact";
import { element } from "./dom";
import { containKeys } from "./keys";
import { adoptTheme } from "./theme";
import { type Ask, askOnControl } from "./transport/control";
import { UndoControl } from "./undo";
import { UndoButton, UndoLine } from "./view/undo";

const LOOK_MS = 200;
const TURN = /(?:^| )nbh-turn-([\w-]+)/;

/** Looks for transcripts of a kernel's turns from now on, until the kernel does not answer. */
export function watchFrozen(kernelId: string): void {
  const ask = askOnControl(kernelId);
  if (ask) watch(ask);
}

function watch(ask: Ask): void {
  const seen = new WeakSet<Element>();
  let isDue = false;
  const observer = new MutationObserver(() => {
    if (!isDue) setTimeout(look, LOOK_MS);
    isDue = true;
  });
  async function look(): Promise<void> {
    for (const frozen of document.querySelectorAll(".nbh-frozen")) {
      if (seen.has(frozen)) continue;
      seen.add(frozen);
      if (!(await offerUndo(frozen, ask))) {
        observer.disconnect();
        return;
      }
    }
    isDue = false;
  }
  observer.observe(document.body, { childList: true, subtree: true });
  look();
}

/** Returns false when the kernel did not answer. */
async function offerUndo(frozen: Element, ask: Ask): Promise<boolean> {
  const turnId = TURN.exec(frozen.className)?.[1];
  if (!turnId) return true;
  const undo = new UndoControl(turnId, ask);
  if (!(await undo.load())) return false;
  // Somebody else may have been here: the kernel's assets model is made anew when it was closed.
  if (undo.state.peek().next !== "" && !frozen.querySelector(".nbh-bare")) show(frozen, undo);
  return true;
}

/** The button beside the last line of the transcript, what came of it below. */
function show(frozen: Element, undo: UndoControl): void {
  const [side, below] = [element("div", "nbh nbh-bare nbh-beside"), element("div", "nbh nbh-bare")];
  adoptTheme(frozen);
  for (const host of [side, below]) containKeys(host, new AbortController().signal);
  frozen.insertBefore(side, frozen.lastElementChild);
  frozen.append(below);
  render(<UndoButton undo={undo} />, side);
  render(<UndoLine undo={undo} />, below);
}
