import { afterEach, describe, expect, it } from "vitest";
import { Recording } from "../demo/recording";
import type { FileDiff, WorkspaceChanged } from "../src/events.gen";
import { drawn, type Mounted, mounted } from "./support";

let view: Mounted;
afterEach(() => {
  view.unmount();
  document.body.replaceChildren();
});

function diffOf(path: string): FileDiff {
  return {
    path,
    patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-old ${path}\n+new ${path}\n`,
    added: 1,
    removed: 1,
  };
}

/** A finished turn that edited `a.py` and, as the snapshots say, changed some files. */
function changed(paths: readonly string[], more: Partial<WorkspaceChanged> = {}): Recording {
  const diffs = paths.map(diffOf);
  return new Recording(5)
    .tool("edit", { path: "a.py" }, { diffs: [diffOf("a.py")] })
    .say("Done.")
    .add("workspace.changed", {
      diffs,
      files: diffs.length,
      added: diffs.length,
      removed: diffs.length,
      ignored: [],
      nested: [],
      staleModules: [],
      undoable: true,
      ...more,
    })
    .add("turn.completed", { response: "Done." });
}

describe("what a turn changed", () => {
  it("is told file by file, the last one open", async () => {
    view = mounted(changed(["a.py", "b.py"]));
    const rows = view.all("change") as HTMLDetailsElement[];
    expect(rows.map(({ open }) => open)).toEqual([false, true]);
    expect(rows[0]?.textContent).toContain("a.py +1 −1");
    expect(view.host.textContent).not.toContain("new a.py");
    expect(view.host.textContent).toContain("new b.py");
    rows[0]?.querySelector("summary")?.click();
    await drawn();
    expect(view.host.textContent).toContain("new a.py");
  });

  it("is what the snapshots saw, not what the tools told", () => {
    view = mounted(changed(["b.py", "c.py"]));
    expect(view.all("change").map((row) => row.querySelector("code")?.textContent)).toEqual(["b.py", "c.py"]);
  });

  it("says of a file that no call told of that nobody was asked", () => {
    view = mounted(changed(["b.py", "a.py"]));
    expect(view.get("change").textContent).toContain("b.py +1 −1 · not asked");
    expect(view.host.textContent?.match(/not asked/g)?.length).toBe(1);
  });

  it("is what the tools told where there were no snapshots", () => {
    const turn = new Recording(5).tool("edit", { path: "a.py" }, { diffs: [diffOf("a.py")] }).say("Done.");
    view = mounted(turn.add("turn.completed", { response: "Done." }));
    expect(view.host.textContent).toContain("new a.py");
    expect(view.host.textContent).not.toContain("not asked");
  });

  it("names what is in no diff, and modules that the kernel still holds", () => {
    view = mounted(
      changed(["a.py"], { ignored: [".env"], nested: ["vendor/lib"], staleModules: ["shop.cart"] }),
    );
    expect(view.host.textContent).toContain("Ignored by git, so in no diff: .env");
    expect(view.host.textContent).toContain("A repository of its own, so in no diff: vendor/lib");
    expect(view.get("stale").textContent).toContain("this kernel still holds the old shop.cart");
  });

  it("hides nothing in a name", () => {
    view = mounted(changed(["b\u202e.py", "a.py"], { ignored: ["<b>\u200b"] }));
    expect(view.get("change").textContent).toContain("U+202E");
    expect(view.host.textContent).toContain("in no diff: <b>U+200B");
  });

  it("is not shown when nothing changed", () => {
    view = mounted(changed([]));
    expect(view.find("change")).toBeNull();
    expect(view.find("diff")).toBeNull();
  });
});
