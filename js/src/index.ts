/** The bundle's entry: what the loader calls, and what other pages can use without a notebook. */

import { openChannel, undoOf, type WidgetModel } from "./channel";
import { watchFrozen } from "./frozen";
import { redrawIfLost } from "./lost";
import { mountTurn } from "./mount";

export { mountTurn } from "./mount";
export { ReplayTransport } from "./transport/replay";

interface Context {
  readonly model: WidgetModel;
  readonly el: HTMLElement;
  /** Aborted when the host takes the view away. */
  readonly signal?: AbortSignal;
}

/** Shows the turn that a widget model belongs to; call the returned function to remove it. */
export function mount({ model, el, signal }: Context): () => void {
  const dispose = mountTurn(el, openChannel(model), undoOf(model));
  signal?.addEventListener("abort", dispose, { once: true });
  return dispose;
}

/** Called for every model as soon as it is there, long before its view. */
export function begin(model: WidgetModel): void {
  // The assets model belongs to a kernel, any other to a turn.
  if (model.get("gz")) watchFrozen(String(model.get("kernel_id")));
  else redrawIfLost(model);
}
