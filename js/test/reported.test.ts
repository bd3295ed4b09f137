import { describe, expect, it } from "vitest";
import { Recording } from "../demo/recording";
import { reportedBy } from "../src/reported";
import { foldAll } from "../src/state";

function turnWith(name: string, args: unknown, diffPath?: string) {
  const diffs = diffPath === undefined ? [] : [{ path: diffPath, patch: "", added: 0, removed: 0 }];
  return foldAll(new Recording(9, { workspace: "~/shop" }).tool(name, args, { diffs }).envelopes);
}

describe("a changed file that a tool call told of", () => {
  it.each([
    ["Write", { file_path: "~/shop/a.py", content: "x" }, undefined],
    ["Write", { file_path: "./lib/../a.py" }, undefined],
    ["edit", { path: "sub\\..\\a.py" }, undefined],
    ["apply_patch", { input: "*** Update File: b.py\n*** Add File: a.py" }, undefined],
    ["mystery", {}, "a.py"],
  ])("%s %j %s", (name, args, diffPath) => {
    expect(reportedBy(turnWith(name, args, diffPath))("a.py")).toBe(true);
  });

  it.each([
    ["Write", { file_path: "~/other/a.py" }],
    ["Write", { file_path: "extra.py", content: "import a.py" }],
    ["Write", { file_path: "a.pyc" }],
    ["bash", { command: "touch a.py" }],
    ["read", { path: "a.py" }],
  ])("is none in %s %j", (name, args) => {
    expect(reportedBy(turnWith(name, args))("a.py")).toBe(false);
  });
});
