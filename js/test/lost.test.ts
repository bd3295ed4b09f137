import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WidgetModel } from "../src/channel";
import { redrawIfLost } from "../src/lost";

const WIDGET = "application/vnd.jupyter.widget-view+json";
const LOST = "Error displaying widget: model not found";

/** A notebook whose second cell has these outputs; `views` are those of every model. */
function pageWith(turns: readonly (string | null)[], views: object = {}) {
  const outputs = turns.map((turn) => {
    const json = {
      data: { [WIDGET]: { model_id: `model of ${turn}` } },
      metadata: turn === null ? {} : { nbharness: { turn } },
    };
    return { toJSON: () => json };
  });
  const drawnAgain: number[] = [];
  const area = {
    length: outputs.length,
    get: (at: number) => outputs[at],
    set: (at: number) => drawnAgain.push(at),
  };
  const context = { model: { cells: [{}, { outputs: area }] } };
  return { drawnAgain, widget_manager: { context, get_model: () => Promise.resolve({ views }) } };
}

function modelOf(turn: string, page?: Partial<ReturnType<typeof pageWith>>): WidgetModel {
  const model = { get: (name: string) => (name === "turn_id" ? turn : undefined), ...page };
  return model as unknown as WidgetModel;
}

function show(text: string): void {
  document.body.innerHTML = `<div class="jupyter-widgets">${text}</div>`;
}

describe("an output whose model came too late for the page", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("is drawn again, and no other", async () => {
    show(LOST);
    const page = pageWith([null, "t1", "t2", "t1"]);
    redrawIfLost(modelOf("t1", page));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(page.drawnAgain).toEqual([1, 3]);
  });

  it("is waited for, since the page gives up a moment after the model came", async () => {
    show("Loading widget...");
    const page = pageWith(["t1"]);
    redrawIfLost(modelOf("t1", page));
    await vi.advanceTimersByTimeAsync(1000);
    expect(page.drawnAgain).toEqual([]);
    show(LOST);
    await vi.advanceTimersByTimeAsync(300);
    expect(page.drawnAgain).toEqual([0]);
  });

  it("is left alone when it has a view and another widget is lost, or when none is for long enough", async () => {
    show(LOST);
    const seen = pageWith(["t1"], { view: {} });
    redrawIfLost(modelOf("t1", seen));
    await vi.advanceTimersByTimeAsync(4000);
    show("Loading widget...");
    const quiet = pageWith(["t2"]);
    redrawIfLost(modelOf("t2", quiet));
    await vi.advanceTimersByTimeAsync(4000);
    show(LOST);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([seen.drawnAgain, quiet.drawnAgain]).toEqual([[], []]);
  });

  it("does no harm in a host that is no notebook, or for a model that is no turn", () => {
    show(LOST);
    redrawIfLost(modelOf("t1"));
    redrawIfLost(modelOf("t1", { widget_manager: {} as never }));
    redrawIfLost(modelOf("", pageWith([""])));
    expect(vi.getTimerCount()).toBe(0);
  });
});
