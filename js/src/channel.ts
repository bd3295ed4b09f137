/** The only file that touches the anywidget model: everything else knows a `Transport`. */

import type { NotebookPage } from "./lost";
import { CommTransport, type Road } from "./transport/comm";
import { askOnControl, controlRoad } from "./transport/control";
import { workerTicker } from "./transport/ticker";
import type { Transport } from "./transport/transport";
import { UndoControl } from "./undo";

/** What we use of the model that a host hands to a widget. */
export interface WidgetModel {
  get(name: string): unknown;
  on(event: "msg:custom", listener: (content: unknown) => void): void;
  off(event: "msg:custom", listener: (content: unknown) => void): void;
  send(content: unknown): void;
  readonly widget_manager?: NotebookPage;
}

/** Opens the connection to the turn that the model belongs to. */
export function openChannel(model: WidgetModel): Transport {
  return new CommTransport({
    turnId: text(model, "turn_id"),
    comm: commRoad(model),
    control: controlRoad(text(model, "kernel_id")),
    ticker: workerTicker,
  });
}

/** Returns what takes back what the model's turn changed, `null` where there is no road to the kernel for that. */
export function undoOf(model: WidgetModel): UndoControl | null {
  const ask = askOnControl(text(model, "kernel_id"));
  return ask && new UndoControl(text(model, "turn_id"), ask);
}

/** Decisions travel as custom messages, never in a trait: a trait keeps only its last value. */
function commRoad(model: WidgetModel): Road {
  return {
    send: (message) => {
      try {
        model.send(message);
      } catch {
        // A model that was restored without its kernel has no comm; the silence that follows says so.
      }
    },
    listen: (listener) => {
      model.on("msg:custom", listener);
      return () => model.off("msg:custom", listener);
    },
  };
}

function text(model: WidgetModel, trait: string): string {
  const value = model.get(trait);
  return typeof value === "string" ? value : "";
}
