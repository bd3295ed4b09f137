/** Every state of a turn, one scene each; the page, its tests and the pictures show the same ones. */

import type { WireEnvelope } from "../src/envelope";
import type { Link } from "../src/transport/transport";
import { Recording } from "./recording";
import { CART, command, decided, ended, finished, prose, SNEAKY, streaming, troubles } from "./turns";

export interface Scene {
  readonly id: string;
  readonly title: string;
  readonly input: string;
  readonly envelopes: readonly WireEnvelope[];
  /** What a person does after a moment: selectors to click, or `textarea=text` to type. */
  readonly acts?: readonly string[];
  readonly link?: Partial<Link>;
}

/** Returns the scenes, with clocks that end now. */
export function scenes(): readonly Scene[] {
  return [
    ...running(),
    ...waiting(),
    ...questions(),
    ...acting(),
    ...queue(),
    ...settled(),
    ...endings(),
    ...connections(),
  ];
}

function scene(
  id: string,
  title: string,
  envelopes: readonly WireEnvelope[],
  more: Partial<Scene> = {},
): Scene {
  return { id, title, input: "fix the failing test", envelopes, ...more };
}

const hook = (name: string): string => `[data-nbh="${name}"]`;
const pip = { command: "pip install -r lock.txt" };

function running(): Scene[] {
  return [
    scene("streaming", "Streaming. Text arrives; thinking is folded; a tool runs", streaming().envelopes),
    scene("troubles", "Failed tool, sub-agent, long output, an unknown event", troubles().envelopes),
    scene("prose", "Markdown", prose().envelopes, { input: "explain it" }),
    scene("message", "A further message", new Recording(9).say("Looking around.").envelopes, {
      acts: [hook("compose"), "textarea=also add a line to the changelog", hook("send")],
    }),
  ];
}

function waiting(): Scene[] {
  const sneaky = command({ command: SNEAKY });
  sneaky.add("tool.start", { id: "c2", name: "bash", args: pip }).ask("bash", pip, { toolCallId: "c2" });
  const path = { path: "shop/cart.py" };
  const edit = new Recording(48)
    .add("tool.start", { id: "e1", name: "edit", args: path }, 48)
    .ask("edit", path, {
      toolCallId: "e1",
      diffs: [CART],
      warnings: ["The notebook that is open is in this folder"],
    });
  const plan = `1. Reproduce the failure in \`tests/test_cart.py\`
2. Round half up in \`Cart.total()\`, leave the test alone
3. Look for other callers of \`round()\` on money
4. Run the whole suite`;
  const planning = new Recording(12, { planMode: true }).add(
    "plan.proposed",
    { plan, id: "p", planHash: "1" },
    12,
  );
  const offered = command({ command: "npm run build" }, [
    { id: "1", name: "Yes", kind: "allow_once" },
    { id: "2", name: "Yes, and don't ask again for npm run", kind: "allow_always" },
    { id: "3", name: "No", kind: "reject_once" },
  ]);
  const risky = command({ command: "make docs" });
  risky
    .add("tool.start", { id: "c2", name: "bash", args: { command: SNEAKY } })
    .ask(
      "bash",
      { command: SNEAKY },
      { toolCallId: "c2", warnings: ["Deletes 31 files that are not in git"] },
    );
  risky.add("tool.start", { id: "c3", name: "bash", args: pip }).ask("bash", pip, { toolCallId: "c3" });
  return [
    scene("waiting", "Approvals waiting: one behind the first deserves a second look", risky.envelopes),
    scene("offered", "Approval waiting: with the agent's own answers", offered.envelopes),
    scene("command", "Approval waiting: a command that hides something", sneaky.envelopes),
    scene("edit", "Approval waiting: a file edit", edit.envelopes),
    scene("plan", "Plan waiting for yes or no", planning.envelopes, { input: "--plan fix the failing test" }),
  ];
}

function questions(): Scene[] {
  const option = (label: string, description?: string) => ({ label, ...(description && { description }) });
  const rest = { multiple: false, freeText: true, secret: false };
  const refunds = {
    id: "r",
    text: "How should refunds round?",
    options: [option("Half up, as in the cart"), option("Half to even")],
    ...rest,
  };
  const store = {
    id: "s",
    text: "Where should the rate be kept?",
    options: [
      option("Settings", "read once when the program starts, the same for all shops"),
      option("Database", "can differ by shop; needs a migration"),
    ],
    ...rest,
  };
  const checks = {
    id: "c",
    text: "Which checks should run afterwards?",
    options: [option("pytest"), option("mypy", "strict, as in CI"), option("ruff")],
    ...rest,
    multiple: true,
  };
  const key = { id: "k", text: "Which key does the test server take?", options: [], ...rest, secret: true };
  const ask = (...asked: (typeof refunds)[]): readonly WireEnvelope[] =>
    new Recording(12).add("question.asked", { id: "q", questions: asked }, 12).envelopes;
  const several = {
    acts: ["label:has([type=checkbox])", hook("write"), "input.nbh-wide=In a file beside the shop"],
  };
  return [
    scene("question", "A question", ask(refunds)),
    scene("question-options", "A question with a word on each option", ask(store)),
    scene("question-written", "A question answered in writing", ask(refunds), {
      acts: [hook("write"), "input=Down, always"],
    }),
    scene("question-secret", "A question for a secret", ask(key)),
    scene("questions", "Several questions", ask(store, checks), several),
  ];
}

function acting(): Scene[] {
  const three = command({ command: "git status --short" });
  for (const id of ["c2", "c3"]) {
    three.add("tool.start", { id, name: "bash", args: pip }).ask("bash", pip, { toolCallId: id });
  }
  const risky = command({ command: "rm -rf build/", timeout: 60, cwd: "/srv" });
  return [
    scene(
      "editing",
      "Approval while you act: edited",
      command({ command: "pytest -q --cache-clear" }).envelopes,
      {
        acts: [hook("edit"), "textarea=pytest -q -x tests/test_cart.py"],
      },
    ),
    scene("reason", "Approval while you act: a reason", risky.envelopes, {
      acts: [hook("reason"), "input=Keep build/, the docs are served from it"],
    }),
    scene("more", "Approval while you act: more choices", three.envelopes, { acts: [hook("more")] }),
    scene("sent", "Approval while you act: sent", command({ command: "git stash push -u" }).envelopes, {
      acts: [hook("approve")],
    }),
  ];
}

function queue(): Scene[] {
  const queued = (): Recording =>
    new Recording(9)
      .say("Looking around.")
      .add("message.queued", { id: "m1", text: "also add a line to the changelog" })
      .add("message.queued", {
        id: "m2",
        text: "then run the whole suite once more and tell how long it takes",
      });
  return [scene("queued", "Queued messages", queued().envelopes)];
}

function settled(): Scene[] {
  return [
    scene("decided", "Decided. One line each", decided().envelopes),
    scene("finished", "Completed turn", finished().envelopes),
    scene("split", "Completed turn, diff side by side", finished().envelopes, {
      acts: [".nbh-file [aria-pressed=false]"],
    }),
  ];
}

function endings(): Scene[] {
  const failed = (error: string, code: string): readonly WireEnvelope[] =>
    ended("turn.failed", { error, code });
  const limited = ended("turn.failed", { error: "429", code: "rate_limited", retryAfter: 140 }, (turn) =>
    turn.tool("edit", { path: "shop/cart.py" }, { diffs: [CART] }),
  );
  const interrupted = {
    code: "interrupted",
    reason: "The process that ran this turn is gone; `%coder --continue` takes its session up again.",
  };
  return [
    scene("failed", "How a turn ends: failed", failed("the agent exited with code 1", "agent_exited")),
    scene("rate-limited", "Rate limited", limited),
    scene("auth", "Sign-in needed", failed("run `claude login` in a terminal", "auth")),
    scene(
      "context",
      "Context full",
      failed("the agent cannot take more of this conversation", "context_exhausted"),
    ),
    scene("stopped", "Stopped", ended("turn.aborted", { code: "aborted", reason: "by you" })),
    scene("interrupted", "Interrupted", ended("turn.aborted", interrupted)),
  ];
}

function connections(): Scene[] {
  return [
    scene("detached", "Runs without this cell", command({ command: "make docs" }).envelopes, {
      link: { detached: true },
    }),
    scene("gone", "Kernel gone", command({ command: "make docs" }).envelopes, { link: { state: "gone" } }),
    scene("starting", "Waiting for the kernel", [], { link: { state: "connecting" } }),
  ];
}
