/** Puts a turn into an element of the page and takes it away again without a trace. */

import { effect } from "@preact/signals";
import { render } from "preact";
import { Announcer } from "./a11y/announcer";
import { newsBetween } from "./a11y/news";
import { element } from "./dom";
import { Follower } from "./follow";
import { containKeys, keepFocus } from "./keys";
import { schedule } from "./scheduler";
import { snapshotOf } from "./selectors";
import { TurnStore } from "./store";
import { adoptTheme } from "./theme";
import type { Transport } from "./transport/transport";
import type { UndoControl } from "./undo";
import { ViewProvider } from "./view/context";
import { Turn } from "./view/turn";
import { refusedReply } from "./words/reply";

/** Shows the turn behind `transport` in `host`; call the returned function to remove it. */
export function mountTurn(
  host: HTMLElement,
  transport: Transport,
  undo: UndoControl | null = null,
): () => void {
  const ended = new AbortController();
  const root = element("section", "nbh");
  const content = element("div");
  const announcer = new Announcer();
  const edge = element("div", "nbh-end");
  root.dataset.nbh = "turn";
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Turn");
  root.append(content, announcer.element, edge);
  host.append(root);
  adoptTheme(root);
  containKeys(root, ended.signal);
  keepFocus(root, () => root.querySelector<HTMLElement>(".nbh-log"), ended.signal);

  const store = new TurnStore(transport);
  const follower = new Follower(root, edge);
  const slot = schedule(root, () => {
    follower.expectGrowth();
    store.flush();
  });
  store.onFlush((before, after, live) => {
    if (after.prompt !== "") root.setAttribute("aria-label", `Turn: ${after.prompt.slice(0, 200)}`);
    for (const { text, urgency } of live ? newsBetween(before, after) : []) announcer.announce(text, urgency);
  });
  store.onReply((sent) => {
    const problem = refusedReply(sent);
    if (problem !== "") announcer.announce(problem, "assertive");
  });
  const stopLink = effect(() => {
    root.classList.toggle("nbh-is-gone", store.link.value.state === "gone" && !store.isSettled.value);
  });
  const stopUndo = effect(() => {
    if (store.isSettled.value && snapshotOf(store.turn.peek())?.undoable) undo?.load();
  });
  const disconnect = store.connect(() => slot.request());
  // What is known already is drawn at once, so that a page that opens does not flash.
  store.flush();
  render(
    <ViewProvider value={{ store, undo }}>
      <Turn follower={follower} />
    </ViewProvider>,
    content,
  );
  return () => {
    ended.abort();
    disconnect();
    stopLink();
    stopUndo();
    slot.dispose();
    follower.dispose();
    announcer.dispose();
    render(null, content);
    root.remove();
  };
}
