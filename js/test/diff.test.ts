import { describe, expect, it } from "vitest";
import { patchBetween } from "../src/diff/between";
import { type FilePatch, parsePatch } from "../src/diff/parse";
import { diffTable } from "../src/diff/table";
import { markWords } from "../src/diff/words";

/** A patch as signs and texts. */
function rows(patch: FilePatch | undefined): string[] {
  const signs = { same: " ", added: "+", removed: "-", stray: "?" };
  return patch?.hunks.flatMap((hunk) => hunk.rows.map(({ kind, text }) => signs[kind] + text)) ?? [];
}

describe("a unified diff", () => {
  it("counts the lines of a hunk, so that content cannot pose as a header", () => {
    const [patch, ...others] = parsePatch(
      [
        "--- a/x.sql",
        "+++ b/x.sql",
        "@@ -1,3 +1,3 @@",
        " select 1;",
        "--- old comment",
        "+++ new",
        " end",
      ].join("\n"),
    );
    expect(others).toEqual([]);
    expect(patch?.path).toBe("x.sql");
    expect(rows(patch)).toEqual([" select 1;", "--- old comment", "+++ new", " end"]);
  });

  it("keeps lines that a lying header leaves out", () => {
    const [patch] = parsePatch("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+rm -rf /\n");
    expect(rows(patch)).toEqual(["-a", "+b", "?+rm -rf /"]);
    expect(diffTable(patch as FilePatch, { split: false, caption: "x" }).textContent).toContain("rm -rf /");
  });

  it("stops at a hunk that is cut off", () => {
    const [patch] = parsePatch("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b");
    expect(rows(patch)).toEqual([" a", "-b"]);
  });

  it("reads what git says beside lines", () => {
    const text = [
      "diff --git a/old name.py b/new name.py",
      "old mode 100644",
      "new mode 100755",
      "similarity index 90%",
      "rename from old name.py",
      "rename to new name.py",
      "diff --git a/logo.png b/logo.png",
      "index 1..2",
      "Binary files a/logo.png and b/logo.png differ",
      "diff --git a/gone b/gone",
      "deleted file mode 100644",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-x",
      "\\ No newline at end of file",
    ].join("\n");
    const files = parsePatch(text);
    expect(files.map(({ path, notes }) => [path, notes])).toEqual([
      ["new name.py", ["mode 100755", "renamed to new name.py"]],
      ["logo.png", ["binary"]],
      ["gone", ["deleted"]],
    ]);
    expect(files[2]?.hunks[0]?.rows[0]?.noNewline).toBe(true);
  });

  it("numbers both sides", () => {
    const [patch] = parsePatch("@@ -41,2 +51,3 @@ def total(self)\r\n a\r\n-b\r\n+c\r\n+d\r\n");
    const numbers = patch?.hunks[0]?.rows.map(({ oldLine, newLine }) => [oldLine, newLine]);
    expect(numbers).toEqual([
      [41, 51],
      [42, null],
      [null, 52],
      [null, 53],
    ]);
    expect(patch?.hunks[0]?.section).toBe("def total(self)");
  });

  it("is none where there is no hunk", () => {
    expect(parsePatch("just some text\n+ with a plus")).toEqual([]);
  });
});

describe("word marks", () => {
  it("mark what differs, at the borders of words", () => {
    const marks = markWords("    return round(x, 2)", "    return rows(x, 2)");
    expect(marks?.removed).toEqual(["    return ", "round", "(x, 2)"]);
    expect(marks?.added).toEqual(["    return ", "rows", "(x, 2)"]);
    expect(markWords("a --cache-clear", "a -x", "argument")?.removed).toEqual(["a ", "--cache-clear", ""]);
  });

  it("never cut a character in two", () => {
    expect(markWords("say 😀", "say 😁")?.removed).toEqual(["say ", "😀", ""]);
  });

  it("say nothing where nothing is shared", () => {
    expect(markWords("alpha", "beta")).toBeNull();
  });
});

describe("a diff table", () => {
  it("says in text what colour says", () => {
    const table = diffTable(patchBetween("a\nb", "a\nc"), { split: false, caption: "Changes to x" });
    expect(table.caption?.textContent).toBe("Changes to x");
    expect([...table.rows].map((row) => row.cells[1]?.textContent)).toEqual(["", "−removed", "+added"]);
  });

  it("puts old beside new", () => {
    const table = diffTable(patchBetween("a\nb\nc", "a\nx\ny\nc"), { split: true, caption: "x" });
    const [, changed, added] = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent));
    expect(changed).toEqual(["2", "−removedb", "2", "+addedx"]);
    expect(added).toEqual(["", "", "3", "+addedy"]);
  });

  it("comes in portions", () => {
    const table = diffTable(patchBetween("", "line\n".repeat(1000)), { split: false, caption: "x" });
    expect(table.rows.length).toBe(401);
    table.querySelector("button")?.click();
    expect(table.rows.length).toBe(801);
  });
});
