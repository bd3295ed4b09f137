import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Recording } from "../demo/recording";
import { asking, drawn, type Mounted, mounted } from "./support";

let view: Mounted;
let leaked: string[];
const listen = (event: KeyboardEvent): void => {
  leaked.push(event.key);
};

beforeEach(() => {
  leaked = [];
  document.body.addEventListener("keydown", listen);
});
afterEach(() => {
  document.body.removeEventListener("keydown", listen);
  view.unmount();
  document.body.replaceChildren();
});

function press(target: Element, key: string, modifiers: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers });
  target.dispatchEvent(event);
  return event;
}

describe("keys", () => {
  it("stay in the turn, but for what the host is for", async () => {
    view = mounted(asking());
    const band = view.get("approval");
    for (const key of ["b", "j", "Enter", "Escape", "ArrowDown"]) press(band, key);
    press(band, "Enter", { shiftKey: true });
    press(band, "Enter", { ctrlKey: true });
    expect(leaked).toEqual([]);
    press(band, "s", { ctrlKey: true });
    press(band, "c", { metaKey: true, shiftKey: true });
    expect(leaked).toEqual(["s", "c"]);
    view.get("edit").click();
    await drawn();
    press(view.host.querySelector("textarea") as Element, "z", { ctrlKey: true });
    expect(leaked).toEqual(["s", "c"]);
  });

  it("answer an approval only while it has the focus", async () => {
    view = mounted(asking());
    await expect.poll(() => view.get("approve").getAttribute("aria-disabled")).toBe("false");
    press(view.get("status"), "a");
    press(view.get("approval"), "a", { repeat: true });
    press(view.get("approval"), "a", { ctrlKey: true });
    expect(view.inputs).toEqual([]);
    expect(press(view.get("reject"), "a").defaultPrevented).toBe(true);
    expect(view.inputs).toMatchObject([{ decision: "approve" }]);
  });

  it("wait as the button does", () => {
    view = mounted(asking());
    press(view.get("approval"), "a");
    expect(view.inputs).toEqual([]);
    press(view.get("approval"), "r");
    expect(view.inputs).toMatchObject([{ decision: "reject" }]);
  });

  it("open the forms, and are text there", async () => {
    view = mounted(asking());
    press(view.get("approval"), "R");
    await drawn();
    const field = view.host.querySelector("input");
    expect(document.activeElement).toBe(field);
    press(field as Element, "a");
    press(field as Element, "r");
    expect(view.inputs).toEqual([]);
    press(field as Element, "Escape");
    await drawn();
    expect(view.find("reason")).not.toBeNull();
  });
});

describe("the focus", () => {
  it("is not taken when an approval arrives", async () => {
    const elsewhere = document.createElement("textarea");
    document.body.append(elsewhere);
    elsewhere.focus();
    const turn = asking();
    view = mounted(turn);
    await drawn();
    expect(document.activeElement).toBe(elsewhere);
  });

  /** Puts the focus on a button as Tab does, and presses it. */
  const use = async (hook: string): Promise<void> => {
    view.get(hook).focus();
    await view.press(hook);
  };
  const focused = (): string | undefined => document.activeElement?.textContent ?? undefined;

  it("goes with the decision: to what was sent, then to the row that it became", async () => {
    const turn = asking();
    view = mounted(turn);
    await use("approve");
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Approval sent");
    turn.add("tool.start", { id: "c2", name: "bash", args: { command: "pwd" } });
    turn.ask("bash", { command: "pwd" }, { toolCallId: "c2" });
    await view.push(turn.add("approval.updated", { id: "a-c1", status: "approved", by: "user" }));
    expect(focused()).toContain("Running");
    // The next one is a step away, and has not got it by itself.
    expect(view.get("approval").textContent).toContain("pwd");
    expect(view.get("approval").contains(document.activeElement)).toBe(false);
  });

  it("goes back to the band from its forms", async () => {
    view = mounted(asking());
    for (const form of ["edit", "reason"]) {
      await use(form);
      press(document.activeElement as Element, "Escape");
      await drawn();
      expect(document.activeElement).toBe(view.get("approval"));
    }
  });

  it("goes back to the way into the composer", async () => {
    view = mounted(asking());
    await use("compose");
    press(document.activeElement as Element, "Escape");
    await drawn();
    expect(document.activeElement).toBe(view.get("compose"));
  });

  it("stays in the transcript when nothing took the place", async () => {
    const turn = new Recording(1).add("message.queued", { id: "m", text: "x" }).say("hello");
    view = mounted(turn);
    view.host.querySelector<HTMLElement>(".nbh-log")?.focus();
    const row = view.get("message");
    row.tabIndex = 0;
    row.focus();
    row.remove();
    await drawn();
    expect(document.activeElement?.className).toBe("nbh-log");
  });

  it("is given back to the notebook with Escape, but not out of a field", async () => {
    view = mounted(asking());
    view.host.tabIndex = -1;
    view.get("approval").focus();
    press(view.get("approval"), "Escape");
    expect(document.activeElement).toBe(view.host);
    await use("reason");
    press(document.activeElement as Element, "Escape");
    expect(view.host.contains(document.activeElement)).toBe(true);
    expect(document.activeElement).not.toBe(view.host);
    expect(leaked).toEqual([]);
  });
});
