import { afterEach, describe, expect, it } from "vitest";
import { Recording } from "../demo/recording";
import { asking, drawn, type Mounted, mounted } from "./support";

let view: Mounted;
afterEach(() => {
  view.unmount();
  document.body.replaceChildren();
});

const approve = { type: "approval", id: "a-c1", argsHash: "h", decision: "approve" };

describe("an approval", () => {
  it("shows all of its arguments, and asks about them", () => {
    view = mounted(asking({ command: "rm -rf \u200bx", cwd: "/srv", danger: true }));
    const band = view.get("approval");
    expect(band.getAttribute("aria-label")).toBe("Approval: Run this command?");
    expect(band.textContent).toContain("rm -rf U+200Bx");
    expect(band.textContent).toContain("cwd/srv");
    expect(band.textContent).toContain("dangertrue");
    expect(band.textContent).toContain("One character is invisible");
  });

  it("takes no click that came too early", async () => {
    view = mounted(asking());
    view.get("approve").click();
    await drawn();
    expect(view.inputs).toEqual([]);
    await view.press("approve");
    expect(view.inputs).toEqual([approve]);
  });

  it("is decided by the kernel, not by the click", async () => {
    const turn = asking();
    view = mounted(turn);
    await view.press("approve");
    expect(view.get("approval").textContent).toContain("Approval sent");
    expect(view.find("approve")).toBeNull();
    await view.push(turn.add("approval.updated", { id: "a-c1", status: "approved", by: "user" }));
    expect(view.find("approval")).toBeNull();
    expect(view.get("tool").textContent).toContain("Running");
    expect(view.inputs).toEqual([approve]);
  });

  it("is rejected at once, with a reason, or with the turn", async () => {
    view = mounted(asking());
    view.get("reason").click();
    await drawn();
    await view.type("input", "Keep it");
    view.get("reject-stop").click();
    await drawn();
    expect(view.inputs).toEqual([{ ...approve, decision: "reject", reason: "Keep it", stop: true }]);
    expect(view.get("approval").textContent).toContain("Rejection sent");
  });

  it("runs what a person made of it", async () => {
    view = mounted(asking({ command: "pytest", timeout: 9 }));
    view.get("edit").click();
    await drawn();
    await view.type("textarea", "pytest -x");
    expect(view.get("approval").textContent).toContain("Edited by you");
    await view.press("approve");
    expect(view.inputs).toEqual([{ ...approve, args: { command: "pytest -x", timeout: 9 } }]);
  });

  it("edits other arguments as JSON, and says when that is none", async () => {
    const args = { query: "x" };
    view = mounted(new Recording(1).ask("lookup", args, { argsHash: "h" }));
    view.get("edit").click();
    await drawn();
    await view.type("textarea", "{");
    await view.press("approve");
    expect(view.inputs).toEqual([]);
    expect(view.get("approval").textContent).toContain("This is not JSON");
    await view.type("textarea", '{"query":"y"}');
    await view.press("approve");
    expect(view.inputs).toMatchObject([{ decision: "approve", args: { query: "y" } }]);
  });

  it("offers only what the agent can take", () => {
    view = mounted(asking({ command: "ls" }, { choices: ["approve", "reject"] }));
    expect(view.find("edit")).toBeNull();
    expect(view.find("more")).toBeNull();
    expect(view.find("reason")).not.toBeNull();
  });

  it("can be remembered", async () => {
    view = mounted(asking());
    view.get("more").click();
    await drawn();
    await view.press("remember");
    expect(view.inputs).toEqual([{ ...approve, remember: true }]);
  });

  it("waits behind the first one, and all can be approved together", async () => {
    const turn = asking();
    turn.add("tool.start", { id: "c2", name: "bash", args: { command: "pwd" } });
    turn.ask("bash", { command: "pwd" }, { toolCallId: "c2" });
    view = mounted(turn);
    expect(view.all("approval").length).toBe(1);
    expect(view.get("approval-waiting").textContent).toContain("2 of 2");
    view.get("more").click();
    await drawn();
    await view.press("approve-all");
    expect(view.inputs).toEqual([{ ...approve, scope: "turn", covers: ["a-c1", "a-c2"] }]);
    await view.push(turn.add("approval.updated", { id: "a-c1", status: "approved", by: "user" }));
    expect(view.get("approval").textContent).toContain("pwd");
  });
});

describe("an approval that waits behind another", () => {
  const behind = (args: object, more: object = {}): Recording =>
    asking()
      .add("tool.start", { id: "c2", name: "bash", args })
      .ask("bash", args, { toolCallId: "c2", ...more });
  const row = (): HTMLDetailsElement => view.get("approval-waiting") as HTMLDetailsElement;

  it("is open when it deserves a second look, so that nothing is approved with the others unseen", () => {
    view = mounted(behind({ command: "rm -rf \u200bx" }));
    expect(row().open).toBe(true);
    expect(row().textContent).toContain("U+200B");
    expect(row().textContent).toContain("One character is invisible");
    view.unmount();
    view = mounted(behind({ command: "pwd" }, { warnings: ["This file is the notebook you have open"] }));
    expect(row().textContent).toContain("This file is the notebook you have open");
  });

  it("is a line otherwise", () => {
    view = mounted(behind({ command: "pwd" }));
    expect(row().open).toBe(false);
  });
});

describe("an approval with the agent's own answers", () => {
  const OPTIONS = [
    { id: "y", name: "Allow", kind: "allow_once" },
    { id: "yy", name: "Always", kind: "allow_always" },
    { id: "n", name: "No", kind: "reject_once" },
  ] as const;
  const offered = (options: readonly object[] = OPTIONS): Recording => asking({ command: "ls" }, { options });
  const buttons = (): (string | null)[] =>
    [...view.get("approval").querySelectorAll(".nbh-btns button")].map(
      (each) => each.querySelector("bdi")?.textContent ?? each.firstChild?.textContent ?? null,
    );

  it("shows them in its words and order, and keeps the rest at hand", () => {
    view = mounted(offered());
    expect(buttons()).toEqual(["Allow", "Always", "No", "Edit", "Reject with reason", "More"]);
    expect(view.host.querySelector(".nbh-go")?.textContent).toBe("Allowa");
  });

  it("sends the one that was pressed", async () => {
    view = mounted(offered());
    await view.press("approve");
    expect(view.inputs).toEqual([{ ...approve, optionId: "y" }]);
  });

  it("can still be edited, rejected with a reason, remembered and answered with the turn", async () => {
    view = mounted(offered());
    await view.press("edit");
    await view.type("textarea", "ls -l");
    await view.press("approve");
    expect(view.inputs).toEqual([{ ...approve, args: { command: "ls -l" } }]);
    view.unmount();
    view = mounted(offered());
    await view.press("reason");
    await view.type("input", "Not here");
    await view.press("reject");
    expect(view.inputs).toEqual([{ ...approve, decision: "reject", reason: "Not here" }]);
    view.unmount();
    const turn = offered().add("tool.start", { id: "c2", name: "bash", args: {} });
    view = mounted(turn.ask("bash", {}, { toolCallId: "c2" }));
    await view.press("more");
    for (const hook of ["remember", "approve-all", "reject-stop"]) view.get(hook);
    await view.press("approve-all");
    expect(view.inputs).toEqual([{ ...approve, scope: "turn", covers: ["a-c1", "a-c2"] }]);
  });

  it("tells afterwards when an answer holds for good", async () => {
    const turn = offered();
    view = mounted(turn);
    turn.add("approval.updated", { id: "a-c1", status: "approved", by: "user", optionId: "yy" });
    await view.push(
      turn.add("tool.end", { id: "c1", name: "bash", output: "", isError: false, durationMs: 1 }),
    );
    expect(view.get("tool").textContent).toBe("Ranlsapproved, always");
  });

  it("grants nothing for good by a letter, and can be rejected whatever is offered", async () => {
    view = mounted(offered([OPTIONS[1]]));
    await expect.poll(() => view.get("approve").getAttribute("aria-disabled")).toBe("false");
    expect(buttons().slice(0, 2)).toEqual(["Always", "Reject"]);
    expect(view.host.querySelector(".nbh-go")).toBeNull();
    const press = (key: string): boolean =>
      view.get("approval").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("a");
    expect(view.inputs).toEqual([]);
    press("r");
    expect(view.inputs).toEqual([{ ...approve, decision: "reject" }]);
  });
});

describe("an answer", () => {
  it("that came second is told so", async () => {
    const turn = asking();
    view = mounted(turn);
    await view.press("reject");
    const { inputId } = view.transport.sent[0] ?? { inputId: "" };
    view.transport.connected?.reply({ inputId, status: "conflict", message: "", recorded: "approved" });
    await drawn();
    expect(view.get("approval").textContent).toContain("Already approved in another view");
    turn.add("approval.updated", { id: "a-c1", status: "approved", by: "user" });
    await view.push(
      turn.add("tool.end", { id: "c1", name: "bash", output: "", isError: false, durationMs: 1 }),
    );
    expect(view.get("tool").textContent).toContain("approved in another view first");
  });

  it("that had no effect can be given again", async () => {
    view = mounted(asking());
    await view.press("approve");
    const { inputId } = view.transport.sent[0] ?? { inputId: "" };
    view.transport.connected?.reply({ inputId, status: "invalid", message: "no secret", recorded: "" });
    await drawn();
    expect(view.get("approval").textContent).toContain("no secret");
    await view.press("approve");
    expect(view.inputs.length).toBe(2);
  });

  it("that nobody heard can be sent again, as the same one", async () => {
    view = mounted(asking());
    await view.press("approve");
    await expect.poll(() => view.find("send-again"), { timeout: 5000 }).not.toBeNull();
    view.get("send-again").click();
    const [first, second] = view.transport.sent;
    expect(second).toEqual(first);
  });

  it("cannot be given to a kernel that is gone", async () => {
    view = mounted(asking());
    view.transport.connected?.link({ state: "gone", detached: false, heardAt: 0 });
    await drawn();
    for (const hook of ["approve", "reject", "edit"]) {
      expect(view.get(hook).getAttribute("aria-disabled")).toBe("true");
      view.get(hook).click();
    }
    expect(view.inputs).toEqual([]);
    expect(view.get("status").textContent).toContain("Kernel gone");
    expect(view.get("turn").className).toContain("nbh-is-gone");
  });
});

describe("a plan", () => {
  const planned = (): Recording =>
    new Recording(1).add("plan.proposed", { plan: "1. a\n2. b", id: "p", planHash: "h" });

  it("is approved, perhaps edited", async () => {
    view = mounted(planned());
    view.get("edit").click();
    await drawn();
    await view.type("textarea", "1. a");
    await view.press("approve");
    expect(view.inputs).toEqual([
      { type: "plan", id: "p", planHash: "h", decision: "approve", plan: "1. a" },
    ]);
  });

  it("cannot be answered to a kernel that is gone, also not out of a form", async () => {
    view = mounted(planned());
    await view.press("reason");
    view.transport.connected?.link({ state: "gone", detached: false, heardAt: 0 });
    await drawn();
    view.get("reject").click();
    const field = view.host.querySelector("input");
    field?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    field?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await drawn();
    for (const hook of ["approve", "reject"]) view.get(hook).click();
    view.get("plan").dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
    expect(view.inputs).toEqual([]);
  });

  it("is rejected with a reason, and becomes a row", async () => {
    const turn = planned();
    view = mounted(turn);
    view.get("reason").click();
    await drawn();
    await view.type("input", "Too much");
    view.get("reject").click();
    expect(view.inputs).toEqual([
      { type: "plan", id: "p", planHash: "h", decision: "reject", reason: "Too much" },
    ]);
    await view.push(
      turn.add("plan.rejected", { plan: "1. a\n2. b", id: "p", by: "user", reason: "Too much" }),
    );
    expect(view.get("plan").textContent).toContain("Plan rejected2 steps “Too much”");
  });
});
