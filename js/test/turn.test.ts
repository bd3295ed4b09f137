import { afterEach, describe, expect, it, vi } from "vitest";
import { Recording } from "../demo/recording";
import { scenes } from "../demo/scenes";
import { asking, drawn, Mounted, mounted } from "./support";

let view: Mounted | undefined;
afterEach(() => {
  view?.unmount();
  view = undefined;
  document.body.replaceChildren();
});

const text = (): string => view?.host.textContent ?? "";

describe("a turn", () => {
  it("has the hooks that tests and scripts rely on", () => {
    view = mounted(
      new Recording(1).think("hm", 1).say("hello").add("todos.updated", { todos: [] }).tool("bash", {}),
    );
    for (const hook of ["turn", "thinking", "message", "todos", "tool", "status", "stop"]) view.get(hook);
    view.unmount();
    view = mounted(new Recording(1).tool("bash", { command: "x" }, { isError: true, output: "boom" }));
    view.get("terminal");
    view.unmount();
    view = mounted(new Recording(1).ask("edit", { path: "x", old_string: "a", new_string: "b" }));
    for (const hook of ["approval", "approve", "reject", "diff"]) view.get(hook);
    view.unmount();
    view = mounted(new Recording(1).add("plan.proposed", { plan: "x" }));
    view.get("plan");
  });

  it("names the agent of the project that it works as, with its odd characters marked", () => {
    view = mounted(new Recording(1, { agent: "builtin", definition: "reviewer" }));
    const head = () => view?.host.querySelector(".nbh-head")?.textContent ?? "";
    expect(head()).toMatch(/^builtinreviewersonnet/);
    view.unmount();
    view = mounted(new Recording(1, { agent: "builtin", definition: "re\u202eview" }));
    expect(head()).not.toContain("\u202e");
    view.unmount();
    view = mounted(new Recording(1, { agent: "builtin" }));
    expect(head()).toMatch(/^builtinsonnet/);
  });

  it("shows what it does not know", () => {
    view = mounted(new Recording(1).raw("brand.new", { a: 1 }).raw("tool.start", { name: 3 }));
    expect(view.all("unknown").map(({ textContent }) => textContent)).toEqual([
      "Unknown eventbrand.newkept as it came",
      "Unknown eventtool.startkept as it came",
    ]);
  });

  it("streams text into the message that is open", async () => {
    const turn = new Recording(1).say("one");
    view = mounted(turn);
    // A draw that was slow puts the next one off.
    const messages = () => view?.all("message").map(({ textContent }) => textContent);
    await view.push(turn.say(" two"));
    await expect.poll(messages).toEqual(["one two"]);
    await view.push(turn.tool("bash", { command: "ls" }).say("three"));
    await expect.poll(messages).toEqual(["one two", "three"]);
  });

  it("redraws nothing but what changed", async () => {
    const turn = new Recording(1).say("first").tool("bash", { command: "ls" });
    view = mounted(turn);
    const [message, tool] = [view.get("message"), view.get("tool")];
    const seen: Node[] = [];
    const observer = new MutationObserver((records) => seen.push(...records.map(({ target }) => target)));
    observer.observe(view.host, { childList: true, subtree: true, characterData: true });
    await view.push(turn.say("second"));
    observer.disconnect();
    expect(seen.some((node) => message.contains(node) || tool.contains(node))).toBe(false);
  });

  it("puts a sub-agent's work into its row", () => {
    const turn = new Recording(1).add("tool.start", { id: "s", name: "task", args: { description: "look" } });
    view = mounted(turn.tool("read", { path: "a.py" }, {}, "s").tool("bash", { command: "ls" }));
    const [agent, child, other] = view.all("tool");
    expect(agent?.contains(child ?? null)).toBe(true);
    expect(agent?.contains(other ?? null)).toBe(false);
  });

  it("opens a failed call, folds one that went well, and leaves to the reader what they opened", async () => {
    const turn = new Recording(1).tool("bash", { command: "a" }, { output: "fine" });
    turn.tool("bash", { command: "b" }, { isError: true, output: "broken" });
    view = mounted(turn);
    const details = view.all("tool") as HTMLDetailsElement[];
    expect(details.map(({ open }) => open)).toEqual([false, true]);
    details[0]?.querySelector("summary")?.click();
    await drawn();
    await view.push(turn.say("more"));
    expect((view.all("tool")[0] as HTMLDetailsElement).open).toBe(true);
    expect(text()).toContain("fine");
  });

  it("folds its steps when it is done, and shows what it changed", async () => {
    const turn = new Recording(9).tool("read", { path: "a" }).tool("bash", { command: "b" });
    const diff = { path: "a", patch: "@@ -1 +1 @@\n-a\n+b\n", added: 1, removed: 1 };
    turn.tool("edit", { path: "a" }, { diffs: [diff] }).say("Done.");
    view = mounted(turn);
    await view.push(
      turn.add("turn.completed", { response: "Done.", usage: { totalTokens: 34_000, costUsd: 0.11 } }),
    );
    expect(view.get("steps").textContent).toBe("3 stepsread 1, ran 1, edited 1");
    expect(view.all("tool")).toEqual([]);
    expect(view.get("diff").textContent).toContain("b");
    expect(view.get("status").textContent).toMatch(/Done.*34k tokens.*\$0\.11.*1 file \+1 −1/);
    view.get("steps").querySelector("summary")?.click();
    await drawn();
    expect(view.all("tool").length).toBe(3);
  });

  it("says how it ended", () => {
    const ends: [string, object, string][] = [
      ["turn.failed", { error: "it broke", code: "agent_exited" }, "Failed·it broke"],
      [
        "turn.failed",
        { error: "429", code: "rate_limited", retryAfter: 134 },
        "Rate limited·the provider takes requests again in 2:1",
      ],
      ["turn.aborted", { code: "aborted", reason: "by you" }, "Stopped·by you"],
      ["turn.aborted", { code: "timeout" }, "Timed out"],
      ["turn.completed", { response: null, metadata: { refused: 2 } }, "Done in part"],
    ];
    for (const [type, data, expected] of ends) {
      view = mounted(new Recording(1).raw(type, data));
      expect(view.get("status").textContent?.replaceAll("·", "·")).toContain(expected.split("·")[0]);
      expect(view.get("status").textContent).toContain(expected.split("·")[1] ?? "");
      expect(view.find("stop")).toBeNull();
      view.unmount();
    }
  });

  it("can be stopped once", async () => {
    view = mounted(new Recording(1));
    view.get("stop").click();
    await drawn();
    view.get("stop").click();
    expect(view.inputs).toEqual([{ type: "abort", reason: "by you" }]);
    expect(view.get("stop").textContent).toBe("Stopping");
  });

  it("takes further messages, and shows them as queued until they arrive", async () => {
    const turn = new Recording(1);
    view = mounted(turn);
    view.get("compose").click();
    await drawn();
    await view.type("textarea", "also the docs");
    view.get("send").click();
    await drawn();
    expect(view.inputs).toEqual([{ type: "message", text: "also the docs", when: "now" }]);
    expect(view.get("queued").textContent).toBe("Queuedalso the docs");
    await view.push(turn.add("message.user", { text: "also the docs" }));
    expect(view.find("queued")).toBeNull();
    expect(view.get("message").textContent).toBe("You: also the docs");
  });
});

describe("an agent that is not to be trusted", () => {
  const FAKE =
    '<div class="nbh-ask" data-nbh="approval"><button data-nbh="approve">Approve</button></div><img src=x onerror=boom()>';

  it("cannot make an element, wherever it writes", () => {
    const turn = new Recording(9, { agent: FAKE, model: FAKE, workspace: FAKE, prompt: FAKE });
    const diff = {
      path: FAKE,
      patch: `--- a/${FAKE}\n+++ b/${FAKE}\n@@ -1 +1 @@ ${FAKE}\n-${FAKE}\n+${FAKE}\n`,
      added: 1,
      removed: 1,
    };
    turn.think(FAKE, 1).say(FAKE).say(`\n\n\`\`\`${FAKE}\n${FAKE}\n\`\`\`\n\n[${FAKE}](https://x.example)`);
    turn
      .add("message.user", { text: FAKE })
      .add("todos.updated", { todos: [{ content: FAKE, status: "in_progress" }] });
    turn.tool(FAKE, { [FAKE]: FAKE }, { output: FAKE, isError: true });
    turn.tool("bash", { command: FAKE }, { output: `\u001b[31m${FAKE}`, isError: true });
    turn.tool("edit", { path: FAKE }, { output: "ok", diffs: [diff] });
    turn
      .add("notice", { message: FAKE, level: "info" })
      .add("error", { error: FAKE, code: FAKE })
      .raw(FAKE, { [FAKE]: FAKE });
    turn.add("plan.proposed", { plan: FAKE, id: FAKE });
    turn.ask(FAKE, { [FAKE]: FAKE }, { message: FAKE, warnings: [FAKE], diffs: [diff] });
    view = mounted(turn);
    for (const summary of view.host.querySelectorAll<HTMLElement>("details:not([open]) > summary"))
      summary.click();
    expect(view.host.querySelector("img, script, iframe, style, [onerror]")).toBeNull();
    expect(view.all("approval").length).toBe(1);
    // One for the approval, one for the plan: both are real.
    expect(view.all("approve").length).toBe(2);
    expect(text()).toContain(FAKE);
  });
});

describe("a long turn", () => {
  const long = (): Recording => {
    const turn = new Recording(1);
    for (let i = 0; i < 1000; i += 1) turn.say(`message ${i}`).tool("bash", { command: `echo ${i}` });
    return turn;
  };

  it("shows its end at once, and more in idle moments", async () => {
    const turn = long();
    view = new Mounted(turn.envelopes);
    const log = view.host.querySelector(".nbh-log");
    expect(log?.children.length).toBe(80);
    expect(log?.lastElementChild?.textContent).toContain("echo 999");
    await expect
      .poll(() => log?.querySelector(".nbh-earlier")?.textContent, { timeout: 5000 })
      .toBe("Show 1,800 earlier steps");
    expect(log?.children.length).toBe(201);
  });
});

describe("what a screen reader is told", () => {
  const spoken = (role: string): string => view?.host.querySelector(`[role="${role}"]`)?.textContent ?? "";

  it("is that somebody is needed, and how it ended, but not the past", async () => {
    const turn = asking({ command: "rm -rf build/" });
    view = mounted(turn);
    expect(spoken("alert")).toBe("");
    turn.add("approval.updated", { id: "a-c1", status: "approved", by: "user" });
    turn.add("tool.start", { id: "c2", name: "bash", args: { command: "ls" } });
    await view.push(turn.ask("bash", { command: "ls" }, { toolCallId: "c2" }));
    expect(spoken("alert")).toBe("Needs you: run ls?");
    await view.push(turn.add("turn.failed", { error: "it broke", code: "sdk_error" }));
    expect(spoken("alert")).toMatch(/^Failed, it broke, /);
  });

  it("is all that came at once, not only the last of it", async () => {
    const turn = new Recording(1);
    view = mounted(turn);
    await view.push(turn.ask("bash", { command: "ls" }).ask("bash", { command: "pwd" }));
    expect(spoken("alert")).toBe("Needs you: run ls?. Needs you: run pwd?");
  });

  it("is never the text itself", async () => {
    const turn = new Recording(1);
    view = mounted(turn);
    await view.push(turn.say("a long answer"));
    expect(spoken("status") + spoken("alert")).not.toContain("answer");
    expect(view.host.querySelector('[role="log"]')?.getAttribute("aria-live")).toBe("off");
  });
});

describe("a view that goes away", () => {
  it("leaves nothing behind, a hundred times over", async () => {
    const targets = [window, document, document.body];
    const listening = new Map<string, number>();
    const count = (type: string, by: number): void => {
      listening.set(type, (listening.get(type) ?? 0) + by);
    };
    for (const target of targets) {
      const { addEventListener, removeEventListener } = target;
      vi.spyOn(target, "addEventListener").mockImplementation((...args: unknown[]) => {
        count(String(args[0]), 1);
        addEventListener.apply(target, args as never);
      });
      vi.spyOn(target, "removeEventListener").mockImplementation((...args: unknown[]) => {
        count(String(args[0]), -1);
        removeEventListener.apply(target, args as never);
      });
    }
    const intervals = vi.spyOn(globalThis, "setInterval");
    const cleared = vi.spyOn(globalThis, "clearInterval");
    const shown = scenes();
    for (let i = 0; i < 100; i += 1) {
      const each = new Mounted(shown[i % shown.length]?.envelopes ?? []);
      if (i % 10 === 0) await drawn();
      each.unmount();
      each.unmount();
      each.host.remove();
      expect(each.transport.connected).toBeNull();
    }
    await drawn();
    expect([...listening.values()].filter((left) => left !== 0)).toEqual([]);
    expect(cleared.mock.calls.length).toBeGreaterThanOrEqual(intervals.mock.calls.length);
    expect(document.body.children.length).toBe(0);
    vi.restoreAllMocks();
  });
});
