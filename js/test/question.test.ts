import { afterEach, describe, expect, it } from "vitest";
import { Recording } from "../demo/recording";
import type { Question } from "../src/events.gen";
import { drawn, type Mounted, mounted } from "./support";

let view: Mounted;
afterEach(() => {
  view.unmount();
  document.body.replaceChildren();
});

const LABELS = ["Half up", "Half to even"] as const;

function question(more: Partial<Question> = {}): Question {
  return {
    id: "round",
    text: "How should refunds round?",
    options: LABELS.map((label) => ({ label })),
    multiple: false,
    freeText: true,
    secret: false,
    ...more,
  };
}

function asked(...questions: Question[]): Recording {
  return new Recording(1).add("question.asked", { id: "q", questions });
}

/** Waits until the card takes answers. */
async function ready(): Promise<void> {
  await expect.poll(() => view.get("skip").getAttribute("aria-disabled")).toBe("false");
}

async function choose(...labels: string[]): Promise<void> {
  for (const label of labels) {
    const row = [...view.host.querySelectorAll("label")].find(({ textContent }) => textContent === label);
    row?.querySelector("input")?.click();
    await drawn();
  }
}

const isReady = (hook: string): boolean => view.get(hook).getAttribute("aria-disabled") === "false";
const answers = (): unknown => (view.inputs[0] as { answers?: unknown } | undefined)?.answers;

describe("a question", () => {
  it("is answered by its option", async () => {
    view = mounted(asked(question()));
    expect(view.get("question").getAttribute("aria-label")).toBe("Question: How should refunds round?");
    expect(view.all("option").map(({ textContent }) => textContent)).toEqual([...LABELS]);
    await view.press("option");
    expect(view.inputs).toEqual([{ type: "question", id: "q", answers: { round: ["Half up"] } }]);
    expect(view.get("question").textContent).toContain("Answer sent");
    expect(view.find("option")).toBeNull();
  });

  it("takes no click that was meant for what stood there before", async () => {
    view = mounted(asked(question()));
    for (const hook of ["option", "skip"]) view.get(hook).click();
    await drawn();
    expect(view.inputs).toEqual([]);
  });

  it("is answered in writing, with the cursor in the field and Enter at the end", async () => {
    view = mounted(asked(question()));
    await view.press("write");
    const field = view.host.querySelector("input");
    expect(document.activeElement).toBe(field);
    expect(isReady("answer")).toBe(false);
    await view.type("input", "Down, always");
    expect(isReady("answer")).toBe(true);
    field?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    expect(answers()).toEqual({ round: ["Down, always"] });
  });

  it("leaves the field with Escape, and keeps what was written", async () => {
    view = mounted(asked(question()));
    await view.press("write");
    await view.type("input", "Down");
    view.host
      .querySelector("input")
      ?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await drawn();
    expect(view.host.querySelector("input")).toBeNull();
    await view.press("write");
    expect(view.host.querySelector("input")?.value).toBe("Down");
  });

  it("does not take the focus when there is nothing but to write, and hides a secret", async () => {
    view = mounted(asked(question({ options: [], secret: true })));
    await drawn();
    const field = view.host.querySelector("input");
    expect(field?.type).toBe("password");
    expect(document.activeElement).toBe(document.body);
    await ready();
    await view.type("input", "hunter2");
    await view.press("answer");
    expect(answers()).toEqual({ round: ["hunter2"] });
    expect(view.host.textContent).not.toContain("hunter2");
  });

  it("offers no field where only the options count", () => {
    view = mounted(asked(question({ freeText: false })));
    expect(view.find("write")).toBeNull();
  });

  it("is skipped", async () => {
    view = mounted(asked(question()));
    await view.press("skip");
    expect(view.inputs).toEqual([{ type: "question", id: "q", skip: true }]);
  });

  it("cannot be answered to a kernel that is gone", async () => {
    view = mounted(asked(question()));
    await ready();
    view.transport.connected?.link({ state: "gone", detached: false, heardAt: 0 });
    await drawn();
    for (const hook of ["option", "skip", "write"]) view.get(hook).click();
    expect(view.inputs).toEqual([]);
  });

  it("can be answered again when the answer had no effect, and keeps what was written", async () => {
    view = mounted(asked(question()));
    await view.press("write");
    await view.type("input", "Down");
    await view.press("answer");
    const { inputId } = view.transport.sent[0] ?? { inputId: "" };
    view.transport.connected?.reply({ inputId, status: "invalid", message: "no secret", recorded: "" });
    await drawn();
    expect(view.get("question").textContent).toContain("no secret");
    expect(view.host.querySelector("input")?.value).toBe("Down");
    await view.press("answer");
    expect(view.inputs.length).toBe(2);
  });

  it("says who answered, or why nobody did", () => {
    const ends = [
      ["answered", "terminal", "AnsweredHow should refunds round? Half upin the terminal"],
      ["skipped", "user", "SkippedHow should refunds round? by you"],
      ["skipped", "nobody", "SkippedHow should refunds round? nobody could answer"],
      ["cancelled", "turn", "Not answeredHow should refunds round? the turn ended first"],
    ] as const;
    for (const [status, by, words] of ends) {
      const answers = status === "answered" ? { round: ["Half up"] } : {};
      view = mounted(asked(question()).add("question.answered", { id: "q", status, answers, by }));
      expect(view.get("question").textContent).toBe(words);
      view.unmount();
    }
  });

  it("becomes a row with the answer", async () => {
    const turn = asked(question());
    view = mounted(turn);
    await view.push(
      turn.add("question.answered", {
        id: "q",
        status: "answered",
        answers: { round: ["Half up"] },
        by: "user",
      }),
    );
    expect(view.get("question").textContent).toBe("AnsweredHow should refunds round? Half upby you");
  });
});

describe("a question that takes several answers", () => {
  const several = (): Recording => asked(question({ multiple: true }));

  it("sends what was chosen and what was written, together", async () => {
    view = mounted(several());
    await ready();
    expect(isReady("answer")).toBe(false);
    await choose("Half to even", "Half up", "Half to even");
    await view.press("write");
    await view.type("input.nbh-wide", "Down, always");
    await view.press("answer");
    expect(answers()).toEqual({ round: ["Half up", "Down, always"] });
  });

  it("sends nothing twice, and nothing that was taken back", async () => {
    view = mounted(several());
    await ready();
    await choose("Half up");
    await view.press("write");
    await view.type("input.nbh-wide", "Half up");
    await view.press("answer");
    expect(answers()).toEqual({ round: ["Half up"] });
  });
});

describe("several questions", () => {
  const both = (): Recording =>
    asked(
      question(),
      question({ id: "checks", text: "Which checks?", options: [{ label: "pytest" }], multiple: true }),
    );

  it("are sent once all of them have an answer", async () => {
    view = mounted(both());
    await ready();
    expect([...view.host.querySelectorAll("legend")].map(({ textContent }) => textContent)).toEqual([
      "How should refunds round?",
      "Which checks?",
    ]);
    await choose("Half up");
    expect(view.get("question").textContent).toContain("1 of 2 answered");
    view.get("answer").click();
    expect(view.inputs).toEqual([]);
    await choose("pytest");
    view.get("answer").click();
    expect(answers()).toEqual({ round: ["Half up"], checks: ["pytest"] });
  });

  it("take one answer where one is asked for: the last one", async () => {
    view = mounted(both());
    await ready();
    await choose("Half up", "pytest");
    view.get("write").click();
    await drawn();
    expect(isReady("answer")).toBe(false);
    await view.type("input.nbh-wide", "Down");
    await choose("Half to even");
    view.get("answer").click();
    expect(answers()).toEqual({ round: ["Half to even"], checks: ["pytest"] });
  });

  it("may be on the page twice", async () => {
    const names = async (): Promise<string[]> => {
      view = mounted(both());
      await ready();
      return [...view.host.querySelectorAll<HTMLInputElement>("[type=radio]")].map(({ name }) => name);
    };
    const [first, same] = await names();
    expect(first).toBe(same);
    view.unmount();
    expect(await names()).not.toContain(first);
  });

  it("are counted as questions while they wait", async () => {
    const turn = both();
    view = mounted(turn);
    expect(view.get("status").textContent).toMatch(/^Needs you·?clock stopped/);
    await view.push(turn.add("question.asked", { id: "q2", questions: [question()] }));
    expect(view.get("status").textContent).toContain("2 questions");
    await view.push(turn.ask("bash", { command: "ls" }));
    expect(view.get("status").textContent).toContain("2 questions, 1 approval");
    view.transport.connected?.link({ state: "live", detached: true, heardAt: 0 });
    await drawn();
    expect(view.get("status").textContent).toContain("2 questions, 1 approval waiting");
  });

  it("are announced", async () => {
    const turn = new Recording(1);
    view = mounted(turn);
    await view.push(
      turn.add("question.asked", {
        id: "q",
        questions: [question(), question({ id: "b" }), question({ id: "c" })],
      }),
    );
    expect(view.host.querySelector('[role="alert"]')?.textContent).toBe(
      "Needs you: How should refunds round?, and 2 more questions",
    );
  });
});
