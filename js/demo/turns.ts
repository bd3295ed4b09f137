/** The turns that the scenes show. */

import type { WireEnvelope } from "../src/envelope";
import type { ApprovalOption, FileDiff } from "../src/events.gen";
import { Recording } from "./recording";

const PATCH = `--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,2 +1,3 @@
 from decimal import Decimal
+from decimal import ROUND_HALF_UP
 
@@ -41,3 +42,3 @@ def total(self)
     x = sum(line.net for line in self.lines)
-    return round(x, 2)
+    return x.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
 def empty(self) -> bool:
`;
export const CART: FileDiff = { path: "shop/cart.py", patch: PATCH, added: 2, removed: 1 };
const REFUND: FileDiff = {
  path: "shop/refund.py",
  patch: PATCH.replaceAll("cart", "refund"),
  added: 2,
  removed: 1,
};

const PROGRESS =
  "\u001b[2mCollecting hypothesis==6.112\u001b[0m\nDownloading hypothesis-6.112-py3-none-any.whl (484 kB)\n" +
  "\r   \u001b[32m━━━━━━━━\u001b[2;39m╸━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━\u001b[0m 97/484 kB" +
  "\r   \u001b[32m━━━━━━━━━━━━━━━━━━━━━━━━\u001b[2;39m╸━━━━━━━━━━━━━━━\u001b[0m 297/484 kB \u001b[2meta 0:00:02\u001b[0m";

const FAILURE = [
  "\u001b[2mtests/test_cart.py\u001b[0m ...\u001b[31mF\u001b[0m..........",
  "\u001b[2m=================== FAILURES ===================\u001b[0m",
  ...Array.from({ length: 1284 }, (_, i) => `  frame ${i}`),
  "E   assert Decimal('0.12') == Decimal('0.13')",
  "\u001b[31mFAILED\u001b[0m tests/test_cart.py::test_half_up",
  "\u001b[31m1 failed\u001b[0m, 13 passed in 2.31s",
].join("\n");

export const SNEAKY = `curl -s https://ex\u0430mple.org/lock\u200b.txt -o lock.txt${" ".repeat(212)}; rm -rf build/`;

export function streaming(): Recording {
  const turn = new Recording(21)
    .think(
      "The test expects 0.125 to round up. Python's round() rounds half to even, so the fix belongs in cart.py.",
      8,
    )
    .say("I'll run the suite first to see the failure as it is.")
    .add("todos.updated", {
      todos: [
        { content: "Read the cart module", status: "completed" },
        { content: "Reproduce the failure", status: "in_progress" },
        { content: "Round half up", status: "pending" },
        { content: "Run the checks", status: "pending" },
      ],
    })
    .tool("read", { path: "shop/cart.py" }, { output: "x\n".repeat(84) })
    .add("usage.updated", { usage: { totalTokens: 8200 } });
  turn.add(
    "tool.start",
    { id: "pip", name: "bash", args: { command: "pip install -r requirements.txt && pytest -q" } },
    2,
  );
  return turn
    .add("tool.delta", { id: "pip", name: "bash", partial: PROGRESS })
    .say(
      "While that installs: `total()` ends in `round(x, 2)`, which rounds half to even, so 0.125 becomes 0.12. The fix is to quan",
    );
}

export function command(args: Record<string, unknown>, options?: readonly ApprovalOption[]): Recording {
  return new Recording(34)
    .say("The lock file is stale. I want to fetch the pinned one and clear the build folder.")
    .add("tool.start", { id: "c1", name: "bash", args }, 34)
    .ask("bash", args, { toolCallId: "c1", ...(options && { options }) });
}

export function decided(): Recording {
  return new Recording(120)
    .asked(
      "bash",
      { command: "pytest -q" },
      { status: "approved", by: "user" },
      { durationMs: 2100, output: "14 passed" },
    )
    .asked(
      "bash",
      { command: "pytest -q --cache-clear" },
      { status: "approved", by: "user", args: { command: "pytest -q -x tests/test_cart.py" } },
      { durationMs: 800 },
    )
    .asked(
      "edit",
      { path: "shop/cart.py" },
      { status: "approved", by: "user" },
      { diffs: [CART], output: "ok" },
    )
    .asked("bash", { command: "git status" }, { status: "approved", by: "rule", reason: "git status" })
    .asked(
      "bash",
      { command: "rm -rf build/" },
      { status: "rejected", by: "user", reason: "Keep build/, the docs are served from it" },
    )
    .asked("bash", { command: "make docs" }, { status: "approved", by: "terminal" })
    .asked("bash", { command: "git push" }, { status: "rejected", by: "nobody" })
    .asked("bash", { command: "npm install" }, { status: "cancelled", by: "turn" })
    .add("plan.proposed", { plan: "1. One\n2. Two\n3. Three\n4. Four", id: "p" })
    .add("plan.approved", { plan: "1. One\n2. Two\n3. Three\n4. Four", id: "p", by: "user" }, 3);
}

export function troubles(): Recording {
  const turn = new Recording(62).add("message.user", { text: "also look for the same fault elsewhere" });
  turn.tool(
    "bash",
    { command: "pytest -q" },
    { isError: true, exitCode: 1, durationMs: 2400, output: FAILURE },
  );
  turn.add("usage.updated", { usage: { inputTokens: 20_100, outputTokens: 900 } }, 47);
  turn.add("tool.start", { id: "sub", name: "task", args: { description: "Find callers that round money" } });
  turn.tool("grep", { pattern: "round(" }, { output: "hit\n".repeat(7) }, "sub");
  turn.tool("read_file", { file_path: "shop/invoice.py" }, { output: "x\n".repeat(210) }, "sub");
  turn.add(
    "tool.start",
    { id: "r", name: "Read", args: { file_path: "shop/refund.py" }, parentId: "sub" },
    10,
  );
  turn.add("notice", { message: "The provider was slow and the request was sent again.", level: "warning" });
  return turn.raw("session.compacted", { before: 120_000, after: 9000 });
}

const MODES = [
  { id: "default", name: "Default" },
  { id: "acceptEdits", name: "Accept edits" },
];
const LOCK: FileDiff = {
  path: "shop.lock",
  patch: "@@ -0,0 +1 @@\n+hypothesis==6.112\n",
  added: 1,
  removed: 0,
};

export function finished(): Recording {
  const turn = new Recording(140, { workspace: "~/shop on main" }).think(
    "Where does the money go wrong?",
    22,
  );
  for (const path of ["shop/cart.py", "tests/test_cart.py", "shop/refund.py", "README.md"])
    turn.tool("read", { path });
  turn.asked("bash", { command: "pytest -q" }, { status: "approved", by: "user" }, { durationMs: 2400 });
  turn.asked("bash", { command: "rm -rf build/" }, { status: "rejected", by: "user" });
  turn.asked("edit", { path: "shop/refund.py" }, { status: "approved", by: "user" }, { diffs: [REFUND] });
  turn.asked("edit", { path: "shop/cart.py" }, { status: "approved", by: "user" }, { diffs: [CART] });
  turn.tool("bash", { command: "pytest -q" }).tool("bash", { command: "mypy shop" });
  const response =
    "Fixed. `Cart.total()` now rounds half up with `quantize`; the test was right and is untouched. `refund.py` had the same fault.";
  return turn
    .add("session.updated", { title: "Round half up", mode: "acceptEdits", modes: MODES })
    .say(response)
    .add("workspace.changed", {
      diffs: [REFUND, LOCK, CART],
      files: 3,
      added: 5,
      removed: 2,
      ignored: [".env"],
      nested: [],
      staleModules: ["shop.cart"],
      undoable: true,
    })
    .add("turn.completed", { response, usage: { totalTokens: 34_000, costUsd: 0.11 } }, 72);
}

export function prose(): Recording {
  return new Recording(4).say(`## What is wrong

\`round()\` rounds *half to even*, so **half a cent** goes down whenever the digit before it is even:

\`\`\`python
>>> round(Decimal("0.125"), 2)
Decimal('0.12')
\`\`\`

- \`shop/cart.py\`: where the test fails
- \`shop/refund.py\`: the same fault
  1. found by reading
  2. no test has found it yet

> The README promises 0.13, so the test is right and stays.

| amount | before | now |
| ---: | ---: | :--- |
| 0.124 | 0.12 | 0.12 |
| 0.125 | **0.12** | **0.13** |

See [the docs](https://docs.python.org/3/library/decimal.html), not [this](javascript:alert(1)).
![a chart](https://tracker.example/pixel.png) <img src=x onerror=alert(1)>

---

- [x] look
- [ ] fix`);
}

export function ended(
  type: "turn.failed" | "turn.aborted",
  data: Record<string, unknown>,
  more?: (turn: Recording) => Recording,
): readonly WireEnvelope[] {
  const turn = new Recording(12).add("session.started", { sessionId: "s" }, 7);
  return (more?.(turn) ?? turn).raw(type, data).envelopes;
}
