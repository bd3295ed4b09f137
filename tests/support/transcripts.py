"""Turns to write transcripts of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbharness.events import (
    ApprovalOption,
    ApprovalRequired,
    ApprovalUpdated,
    Envelope,
    Error,
    Event,
    FileDiff,
    MessageDelta,
    MessageQueued,
    MessageThinking,
    MessageUser,
    Notice,
    PlanApproved,
    PlanProposed,
    Question,
    QuestionAnswered,
    QuestionAsked,
    QuestionOption,
    SessionStarted,
    Todo,
    TodosUpdated,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    Unknown,
    Usage,
    WorkspaceChanged,
)
from nbharness.state import TurnState, fold_all

AT = 1_796_047_260.0

PATCH = """--- a/shop/cart.py
+++ b/shop/cart.py
@@ -41,3 +41,3 @@ def total(self)
     x = sum(line.net for line in self.lines)
-    return round(x, 2)
+    return x.quantize(CENT, rounding=ROUND_HALF_UP)
 def empty(self):
"""


def envelopes(*parts: Event | Unknown | float, turn_id: str = "turn-1") -> list[Envelope]:
    """Envelopes of the events; a number lets so many seconds pass."""
    at = AT
    made: list[Envelope] = []
    for part in parts:
        if isinstance(part, int | float):
            at += part
        else:
            made.append(Envelope(len(made), turn_id, at, part))
    return made


def state(*parts: Event | Unknown | float) -> TurnState:
    """The state of a turn with these events after its first one, at their times."""
    first = TurnStarted(
        prompt="fix the failing test",
        agent="claude",
        model="sonnet",
        approval_mode="require",
        workspace="~/shop",
        conversation_id="c1a2b3c4",
    )
    return fold_all(envelopes(first, *parts))


def call(id_: str, name: str, args: Any, output: Any = None, **end: Any) -> list[Event | float]:
    """A tool call that runs for two seconds."""
    fields = {"is_error": False, "duration_ms": 2000, **end}
    return [ToolStart(id=id_, name=name, args=args), 2.0, ToolEnd(id=id_, name=name, output=output, **fields)]


def asked(
    id_: str, name: str, args: Any, decision: dict[str, Any], *end: Event | float, **asks: Any
) -> list[Event | float]:
    """A tool call that waits six seconds for an approval and then goes on as `end` says."""
    required = ApprovalRequired(
        id=f"a-{id_}", tool_name=name, args=args, message=None, auto_approvable=False, tool_call_id=id_, **asks
    )
    updated = ApprovalUpdated(id=f"a-{id_}", **decision)
    outcome = end or (
        ToolEnd(id=id_, name=name, output=None, is_error=decision["status"] != "approved", duration_ms=0),
    )
    return [ToolStart(id=id_, name=name, args=args), required, 6.0, updated, *outcome]


def whole_turn() -> list[Event | Unknown | float]:
    """One of everything that a turn can hold, in a likely order."""
    long_output = "\n".join(f"tests/test_{n}.py ..." for n in range(1287)) + "\nE   assert\nFAILED\n1 failed"
    return [
        SessionStarted(session_id="s1"),
        MessageThinking(delta="thoughts-stay-private"),
        1.0,
        MessageDelta(delta="I'll run the suite **first**.", message_id="m1"),
        TodosUpdated(todos=[Todo(content="Reproduce", status="completed"), Todo(content="Fix", status="in_progress")]),
        *call("t1", "Read", {"file_path": "shop/cart.py"}, "a\nb\nc", duration_ms=20),
        *call("t2", "Bash", {"command": "pytest -q"}, long_output, is_error=True, exit_code=1, duration_ms=2400),
        *asked("t3", "Bash", {"command": "rm -rf build/"}, {"status": "rejected", "by": "user", "reason": "Keep it"}),
        MessageUser(text="also look elsewhere"),
        MessageDelta(delta="Then the callers:", message_id="m2"),
        ToolStart(id="t4", name="Task", args={"description": "Find callers"}),
        ToolStart(id="t5", name="Grep", args={"pattern": "round("}, parent_id="t4"),
        ToolEnd(id="t5", name="Grep", output="x\ny", is_error=False, duration_ms=9),
        MessageDelta(delta="Two of them.", parent_id="t4"),
        ToolEnd(id="t4", name="Task", output="Two callers.", is_error=False, duration_ms=12_000),
        *asked(
            "t6",
            "Bash",
            {"command": "pytest --cache-clear"},
            {"status": "approved", "by": "user", "args": {"command": "pytest -x"}},
            ToolEnd(id="t6", name="Bash", output="14 passed", is_error=False, duration_ms=800, exit_code=0),
        ),
        *asked("t7", "Bash", {"command": "git push"}, {"status": "rejected", "by": "nobody"}),
        PlanProposed(plan="1. Reproduce\n2. Fix", id="p1"),
        3.0,
        PlanApproved(plan="1. Reproduce\n2. Fix", id="p1", by="user"),
        Notice(message="The provider was slow", level="warning"),
        Error(error="a line was too long", code="line_too_long"),
        Unknown("session.compacted", {"kept": 1}),
        *asked(
            "t8",
            "Edit",
            {"file_path": "shop/cart.py"},
            {"status": "approved", "by": "rule", "reason": "edit in shop/"},
            edited("t8", "Edit"),
        ),
        MessageDelta(delta="Fixed. `Cart.total()` rounds half up; it costs $5 here and $6 there.", message_id="m9"),
        30.0,
        TurnCompleted(response=None, usage=Usage(input_tokens=30_000, output_tokens=4_000, cost_usd=0.11)),
    ]


def edited(id_: str, name: str, patch: str = PATCH, path: str = "shop/cart.py") -> ToolEnd:
    """The end of a call that changed one file."""
    diff = FileDiff(path=path, patch=patch, added=1, removed=1)
    return ToolEnd(id=id_, name=name, output="ok", is_error=False, duration_ms=20, diffs=[diff])


def _questions(id_: str, text: str) -> list[Event | Unknown | float]:
    """A question and an approval that offers answers, all of it this text."""
    option = ApprovalOption(id=text, name=text, kind="allow_once")
    question = Question(
        id=text, text=text, header=text, options=[QuestionOption(label=text, description=text)], multiple=True
    )
    decision = {"status": "approved", "by": "user", "option_id": text}
    return [
        QuestionAsked(id=id_, questions=[question]),
        QuestionAnswered(id=id_, status="answered", answers={text: [text, text]}, by=text),
        *asked(f"a{id_}", "Bash", {"command": text}, decision, options=[option]),
    ]


def _changes(texts: list[str]) -> WorkspaceChanged:
    """A workspace that differs in files of these names and contents."""
    diffs = [FileDiff(path=text, patch=f"@@ -1 +1 @@ {text}\n-{text}\n+{text}\n", added=1) for text in texts]
    return WorkspaceChanged(diffs=diffs, files=len(diffs), ignored=texts, nested=texts, stale_modules=texts)


def hostile_turn(texts: Sequence[str]) -> TurnState:
    """A turn that has each text in every place that an agent can write to."""
    parts: list[Event | Unknown | float] = []
    for n, text in enumerate(texts):
        args = {"command": text, text[:40]: text}
        parts += [
            MessageDelta(delta=text, message_id=f"m{n}"),
            MessageUser(text=text),
            Notice(message=text),
            Error(error=text, code=text),
            Unknown(text, {text[:40]: text}),
            TodosUpdated(todos=[Todo(content=text)]),
            PlanProposed(plan=text, id=f"p{n}"),
            PlanApproved(plan=f"{text}!", id=f"p{n}", by="user"),
            *asked(f"r{n}", text, args, {"status": "rejected", "by": "user", "reason": text}, warnings=[text]),
            *asked(f"e{n}", "Bash", args, {"status": "approved", "by": "rule", "reason": text, "args": args}),
            *call(f"o{n}", "Bash", args, text, is_error=True),
            *call(f"j{n}", text, {"x": text}, {text[:40]: text}),
            *call(f"q{n}", "Read", {"path": text}, text),
            ToolStart(id=f"d{n}", name="Edit", args={"path": text}),
            edited(f"d{n}", "Edit", patch=f"@@ -1 +1 @@ {text}\n-{text}\n+{text}\n", path=text),
            ToolStart(id=f"t{n}", name=text, args={}, kind="other", title=text),
            *_questions(f"q{n}", text),
            MessageQueued(id=f"m{n}", text=text),
        ]
    parts.append(_changes(list(texts)))
    everything = "\n\n".join(texts)
    started = TurnStarted(prompt=everything, agent=everything, model=everything, workspace=everything)
    failed = TurnFailed(error=everything, code=everything)
    return fold_all(envelopes(started, *parts, MessageDelta(delta=everything), failed))
