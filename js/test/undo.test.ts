import { describe, expect, it } from "vitest";
import type { PageMessage } from "../src/transport/messages";
import { UndoControl } from "../src/undo";

type Answer = Record<string, unknown> | null;

/** A kernel that gives these answers in this order, and what it was asked. */
function kernel(...answers: readonly Answer[]) {
  const asked: PageMessage[] = [];
  const left = [...answers];
  const ask = async (message: PageMessage): Promise<Answer> => {
    asked.push(message);
    return left.shift() ?? null;
  };
  return { asked, control: new UndoControl("t1", ask) };
}

const LOOKED = { kind: "looked", secret: "s", undo: "undo" };
const DONE = { status: "ok", undo: { restored: ["a", "b"], removed: ["c"] } };

describe("taking a turn back", () => {
  it("asks first, then undoes and redoes with the turn's secret", async () => {
    const { asked, control } = kernel(LOOKED, DONE, { ...DONE, undo: { restored: ["a"], removed: [] } });
    expect(await control.load()).toBe(true);
    expect(control.state.value).toEqual({ next: "undo", isBusy: false, outcome: null });
    await control.press();
    expect(control.state.value).toMatchObject({
      next: "redo",
      outcome: { isDone: true, title: "Undone", text: "3 files are as before the turn" },
    });
    await control.press();
    expect(control.state.value).toMatchObject({
      next: "undo",
      outcome: { title: "Redone", text: "1 file is as the turn left it" },
    });
    expect(asked.slice(1)).toMatchObject([
      { kind: "input", turnId: "t1", secret: "s", input: { type: "undo" } },
      { kind: "input", turnId: "t1", secret: "s", input: { type: "redo" } },
    ]);
  });

  it("knows after a reload that the turn is undone", async () => {
    const { control } = kernel({ ...LOOKED, undo: "redo" });
    await control.load();
    expect(control.state.value).toMatchObject({ next: "redo", outcome: { title: "Undone" } });
  });

  it.each([
    [{ kind: "reply", status: "invalid", message: "no turn 't1' in this kernel" }, true],
    [{ ...LOOKED, undo: "" }, true],
    [{ ...LOOKED, undo: "everything" }, true],
    [null, false],
  ])("offers nothing after %j", async (answer, isAlive) => {
    const { asked, control } = kernel(answer);
    expect(await control.load()).toBe(isAlive);
    await control.press();
    expect(control.state.value.next).toBe("");
    expect(asked).toHaveLength(1);
  });

  it.each([
    [
      { status: "conflict", message: "Nothing was changed: a changed since." },
      "Nothing was changed: a changed since",
    ],
    [{ status: "invalid" }, "The kernel did not answer"],
    [null, "The kernel did not answer"],
  ])("stays where it is after %j", async (answer, text) => {
    const { control } = kernel(LOOKED, answer, DONE);
    await control.load();
    await control.press();
    expect(control.state.value).toEqual({
      next: "undo",
      isBusy: false,
      outcome: { isDone: false, title: "Not undone", text },
    });
    await control.press();
    expect(control.state.value.next).toBe("redo");
  });

  it("asks once for two presses", async () => {
    const { asked, control } = kernel(LOOKED, DONE);
    await control.load();
    await Promise.all([control.press(), control.press()]);
    expect(asked).toHaveLength(2);
  });
});
