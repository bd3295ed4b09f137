import { afterEach, describe, expect, it } from "vitest";
import { Recording } from "../demo/recording";
import { drawn, type Mounted, mounted } from "./support";

let view: Mounted;
afterEach(() => {
  view.unmount();
  document.body.replaceChildren();
});

const queued = (): Recording => new Recording(1).add("message.queued", { id: "m1", text: "the docs" });
const field = (): HTMLTextAreaElement | null => view.host.querySelector("textarea");

/** Answers the newest input as the kernel does. */
async function reply(status: "ok" | "invalid", message = ""): Promise<void> {
  const { inputId } = view.transport.sent.at(-1) ?? { inputId: "" };
  view.transport.connected?.reply({ inputId, status, message, recorded: "" });
  await drawn();
}

describe("a queued message", () => {
  it("is discarded by the kernel, not by the click", async () => {
    const turn = queued();
    view = mounted(turn);
    expect(view.get("queued").textContent).toBe("Queuedthe docsEditDiscard");
    await view.press("withdraw");
    expect(view.inputs).toEqual([{ type: "withdraw", id: "m1" }]);
    view.get("queued");
    await view.push(turn.add("message.withdrawn", { id: "m1" }));
    expect(view.find("queued")).toBeNull();
  });

  it("says when it could not be discarded, and lets it be tried again", async () => {
    view = mounted(queued());
    await view.press("withdraw");
    await reply("invalid", "the turn is ending");
    expect(view.get("queued").textContent).toContain("It could not be taken back: the turn is ending");
    expect(view.host.querySelector('[role="alert"]')?.textContent).toContain("could not be taken back");
    await view.press("withdraw");
    expect(view.inputs.length).toBe(2);
    expect(view.get("queued").textContent).not.toContain("could not");
  });

  it("is sent once more under the same name while nobody answers", async () => {
    view = mounted(queued());
    await view.press("withdraw");
    await view.press("withdraw");
    const [first, second] = view.transport.sent;
    expect(second).toEqual(first);
  });

  it("comes back to be edited once it waits no more, behind what is written already", async () => {
    const turn = queued();
    view = mounted(turn);
    await view.press("compose");
    await view.type("textarea", "one more thing");
    await view.press("edit-queued");
    expect(view.inputs).toEqual([{ type: "withdraw", id: "m1" }]);
    expect(field()?.value).toBe("one more thing");
    turn.add("message.withdrawn", { id: "m1" });
    await view.push(turn);
    await reply("ok");
    await expect.poll(() => field()?.value).toBe("one more thing\nthe docs");
    expect(document.activeElement).toBe(field());
    expect(view.find("queued")).toBeNull();
  });

  it("is not edited when the agent has it already", async () => {
    view = mounted(queued());
    await view.press("edit-queued");
    await reply("invalid", "nothing is queued");
    expect(view.find("composer")).toBeNull();
    expect(view.get("queued").textContent).toContain("nothing is queued");
  });

  it("goes with the turn", async () => {
    const turn = queued();
    view = mounted(turn);
    await view.push(turn.add("turn.aborted", { code: "aborted", reason: "by you" }));
    expect(view.find("queued")).toBeNull();
  });
});

describe("a message that was not taken", () => {
  const refused = async (): Promise<void> => {
    view = mounted(new Recording(1));
    await view.press("compose");
    await view.type("textarea", "the docs");
    await view.press("send");
    await reply("invalid", "it takes none while it works");
    expect(view.get("queued").textContent).toContain(
      "The agent did not get it: it takes none while it works",
    );
  };

  it("can be edited", async () => {
    await refused();
    await view.press("edit-queued");
    expect(field()?.value).toBe("the docs");
    expect(view.find("queued")).toBeNull();
  });

  it("can be discarded", async () => {
    await refused();
    await view.press("withdraw");
    expect(view.find("queued")).toBeNull();
    expect(view.inputs.length).toBe(1);
  });
});

describe("the composer", () => {
  const open = async (capabilities?: string[]): Promise<void> => {
    view = mounted(new Recording(1, capabilities ? { capabilities } : {}));
    await view.press("compose");
  };
  const press = (key: string, more: KeyboardEventInit = {}): boolean | undefined =>
    field()?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

  it("has the cursor, and sends nothing when there is nothing", async () => {
    await open();
    expect(document.activeElement).toBe(field());
    press("Enter");
    view.get("send").click();
    view.get("queue").click();
    expect(view.inputs).toEqual([]);
  });

  it("sends now, or afterwards", async () => {
    await open(["steer"]);
    await view.type("textarea", "first");
    press("Enter");
    await view.type("textarea", "second");
    await view.press("queue");
    expect(view.inputs).toEqual([
      { type: "message", text: "first", when: "now" },
      { type: "message", text: "second", when: "after" },
    ]);
  });

  it("leaves Enter to the text where it is not meant: with Shift, and while characters are composed", async () => {
    await open();
    await view.type("textarea", "first");
    press("Enter", { shiftKey: true });
    press("Enter", { isComposing: true });
    expect(view.inputs).toEqual([]);
  });

  it("only queues where the agent takes nothing while it works", async () => {
    await open(["approvals"]);
    expect(view.find("send")).toBeNull();
    await view.type("textarea", "later");
    press("Enter");
    expect(view.inputs).toEqual([{ type: "message", text: "later", when: "after" }]);
  });

  it("keeps what was written for who comes back", async () => {
    await open();
    await view.type("textarea", "half a thou");
    press("Escape");
    await drawn();
    expect(field()).toBeNull();
    await view.press("compose");
    expect(field()?.value).toBe("half a thou");
  });
});
