/**
 * Draws an output again that says "model not found" although its model is here.
 *
 * After a reload JupyterLab looks for an output's model for two seconds (`get_model` of its widget manager). When the
 * kernel gives the models back in the last tenth of them, it neither finds the model nor tries again.
 */

import type { WidgetModel } from "./channel";

const WIDGET = "application/vnd.jupyter.widget-view+json";

interface Output {
  toJSON(): {
    readonly data?: { readonly [WIDGET]?: { readonly model_id?: string } };
    readonly metadata?: { readonly nbharness?: { readonly turn?: unknown } };
  };
}

interface Outputs {
  readonly length: number;
  get(at: number): Output;
  set(at: number, output: object): void;
}

/** The widget manager of a notebook page, as far as it is used here; other hosts have no `context`. */
export interface NotebookPage {
  readonly context?: { readonly model?: { readonly cells?: Iterable<{ readonly outputs?: Outputs }> } };
  get_model(id: string): Promise<{ readonly views?: object }>;
}

const EVERY_MS = 300;
const TRIES = 10;

/** Looks for a while whether the output of a model that just came shows that it was not found. */
export function redrawIfLost(model: WidgetModel, tries = TRIES): void {
  const { widget_manager: page } = model;
  const turn = model.get("turn_id");
  if (!turn || !page?.context || tries === 0) return;
  // Later at first, too: a view that is on its way is not lost.
  setTimeout(() => {
    if (someOutputIsLost()) redraw(turn, page);
    else redrawIfLost(model, tries - 1);
  }, EVERY_MS);
}

/** Any widget's output: a page does not tell whose it is. */
function someOutputIsLost(): boolean {
  const texts = [...document.querySelectorAll(".jupyter-widgets")].map((node) => node.textContent ?? "");
  return texts.some((text) => text.startsWith("Error displaying widget"));
}

function redraw(turn: unknown, page: NotebookPage): void {
  for (const { outputs } of page.context?.model?.cells ?? []) {
    for (let at = 0; outputs && at < outputs.length; at++) {
      if (outputs.get(at).toJSON().metadata?.nbharness?.turn === turn) redrawOutput(outputs, at, page);
    }
  }
}

async function redrawOutput(outputs: Outputs, at: number, page: NotebookPage): Promise<void> {
  const output = outputs.get(at);
  const id = output.toJSON().data?.[WIDGET]?.model_id;
  if (id === undefined) return;
  const { views = {} } = await page.get_model(id);
  // What has a view is not lost, and would have a second one; and the cell may have run again by now.
  if (Object.keys(views).length === 0 && outputs.get(at) === output) outputs.set(at, output.toJSON());
}
