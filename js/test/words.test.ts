import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Recording } from "../demo/recording";
import type { ToolKind } from "../src/events.gen";
import { EMPTY_TURN, type TurnState } from "../src/items";
import { workedSeconds } from "../src/selectors";
import { foldAll } from "../src/state";
import { clockTime, compact, dollars, duration, wholeDuration } from "../src/words/format";
import { describe as describeCall, questionOf } from "../src/words/verbs";

const GOLDEN: readonly GoldenCall[] = JSON.parse(await readFile("../tests/golden/verbs.json", "utf8"));

interface GoldenCall {
  readonly name: string;
  readonly args: unknown;
  readonly known?: ToolKind;
  readonly title?: string;
  readonly kind: string;
  readonly doing: string;
  readonly done: string;
  readonly subject: string;
  readonly isCode: boolean;
  readonly used: string;
}

describe("a tool call in words", () => {
  it.each(GOLDEN)("$name $args $known $title", ({ name, args, known = null, title = "", ...said }) => {
    const { used, ...described } = describeCall(name, args, known, title);
    expect({ ...described, used: used[0] ?? "" }).toEqual(said);
  });

  it.each([
    ["bash", { command: "ls" }, "command", "Ran ls"],
    ["Bash", { command: ["git", "-C", "x", "log"] }, "command", "Ran git -C x log"],
    ["run_in_terminal", { cmd: "ls" }, "command", "Ran ls"],
    ["shell", "ls", "command", "Ran ls"],
    ["mcp__files__readFile", { path: "a.py" }, "read", "Read a.py"],
    ["Write", { file_path: "a.py", content: "x" }, "write", "Wrote a.py"],
    ["str_replace_based_edit_tool", { path: "a.py" }, "edit", "Edited a.py"],
    ["apply_patch", { paths: ["a.py", "b.py"], patch: "" }, "edit", "Edited a.py, b.py"],
    ["apply_patch", { input: "*** Update File: a.py\n*** Add File: b.py" }, "edit", "Edited a.py, b.py"],
    ["Grep", { pattern: "round(", path: "src" }, "search", "Searched round("],
    ["WebFetch", { url: "https://example.org" }, "fetch", "Fetched https://example.org"],
    ["LS", { path: "." }, "list", "Listed ."],
    ["Task", { description: "look", prompt: "…" }, "agent", "Sub-agent look"],
    ["todo_write", { todos: [] }, "other", "Used todo_write"],
    ["update_plan", { plan: [] }, "other", "Used update_plan"],
    ["frobnicate", { path: "x" }, "other", "Used frobnicate"],
    ["frobnicate", null, "other", "Used frobnicate"],
  ])("%s %j", (name, args, kind, words) => {
    const described = describeCall(name, args);
    expect([described.kind, `${described.done} ${described.subject}`]).toEqual([kind, words]);
  });

  it("asks about what it would do", () => {
    expect(questionOf(describeCall("bash", { command: "ls" }))).toEqual({
      words: "Run this command?",
      subject: "",
    });
    expect(questionOf(describeCall("python", { code: "1 + 1" }, "execute")).words).toBe("Run this code?");
    expect(questionOf(describeCall("edit", { path: "a" }))).toEqual({ words: "Edit", subject: "a" });
    expect(questionOf(describeCall("frobnicate", {}))).toEqual({ words: "Use", subject: "frobnicate" });
  });
});

describe("numbers", () => {
  it.each([
    [duration(0.04), "0.0 s"],
    [duration(2.14), "2.1 s"],
    [duration(9.96), "10 s"],
    [duration(59.6), "0:59"],
    [wholeDuration(8.2), "8 s"],
    [wholeDuration(108), "1:48"],
    [clockTime(21.9), "0:21"],
    [clockTime(3729), "1:02:09"],
    [dollars(0), "$0.00"],
    [dollars(0.114), "$0.11"],
    [dollars(0.0004), "$0.0004"],
    [compact(820), "820"],
    [compact(8200), "8.2k"],
    [compact(34_000), "34k"],
    [compact(999_900), "1M"],
  ])("%s", (written, expected) => {
    expect(written).toBe(expected);
  });
});

describe("the turn's clock", () => {
  const at = (turn: Recording): number => turn.envelopes.at(-1)?.at ?? 0;

  it("stands still while a person is asked", () => {
    const turn = new Recording(100).ask("bash", {}).say("x");
    const asked = foldAll(turn.envelopes.slice(0, 2));
    expect(workedSeconds(asked, at(turn) + 60)).toBeCloseTo(0);
    const id = "a-1";
    const decided = foldAll(
      new Recording(100)
        .say("x")
        .add("tool.start", { id: "t", name: "bash", args: {} }, 10)
        .add("approval.required", { id, toolName: "bash", args: {}, message: null, autoApprovable: false }, 5)
        .add(
          "approval.required",
          { id: "a-2", toolName: "bash", args: {}, message: null, autoApprovable: false },
          5,
        )
        .add("approval.updated", { id, status: "approved" }, 20)
        .add("approval.updated", { id: "a-2", status: "approved" }, 10)
        .add("turn.completed", { response: null }, 7).envelopes,
    );
    // 15 s until the first question, then 35 s in which something waited, then 7 s.
    expect(workedSeconds(decided, 0)).toBeCloseTo(22);
  });

  it("has not begun in a turn that has not", () => {
    const empty: TurnState = EMPTY_TURN;
    expect(workedSeconds(empty, 100)).toBe(0);
  });
});
