"""The transcript as it streams: readable when piped, safe on a terminal."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.transcripts import asked, call, edited, envelopes, hostile_turn, whole_turn
from test_transcript_hostile import CORPUS

from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    Envelope,
    Event,
    MessageDelta,
    MessageThinking,
    Todo,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    Unknown,
    Usage,
    UsageUpdated,
)
from nbharness.transcript import PlainWriter

Part = Event | Unknown | float


def written(*parts: Part, colour: bool = False) -> str:
    out: list[str] = []
    writer = PlainWriter(out.append, colour=colour)
    for envelope in envelopes(*parts):
        writer.event(envelope)
    return "".join(out)


def test_text_is_written_as_it_comes() -> None:
    out: list[str] = []
    writer = PlainWriter(out.append)
    for seq, delta in enumerate(["Hel", "lo\nwor", "ld"]):
        writer.event(Envelope(seq, "t", 0.0, MessageDelta(delta=delta)))
        assert "".join(out) == "Hello\nworld"[: sum(len(part) for part in ["Hel", "lo\nwor", "ld"][: seq + 1])]


def test_the_whole_turn_streams_readably() -> None:
    text = written(TurnStarted(prompt="fix it\nplease", agent="claude", approval_mode="require"), *whole_turn())
    lines = [re.sub(r" · \d+ Nov 2026 \d\d:\d\d", "", line) for line in text.split("\n") if "tests/test_" not in line]
    assert "\n".join(lines) == STREAMED
    assert "thoughts" not in text


STREAMED = """\
claude · asks first
> fix it
> please

I'll run the suite **first**.
☑ Reproduce
◐ Fix
… Reading shop/cart.py
✓ Read shop/cart.py · 3 lines
… Running pytest -q
✗ Failed pytest -q · exit 1 · 2.4 s
    … 1,270 lines more …
    E   assert
    FAILED
    1 failed
… Running rm -rf build/
? Waits for an answer: running rm -rf build/
⊘ Rejected rm -rf build/ by you · “Keep it”
You: also look elsewhere
Then the callers:
… Sub-agent Find callers
… Searching round(
✓ Searched round( · 2 hits
    x
    y
  Two of them.
✓ Sub-agent Find callers · 12 s
    Two callers.
… Running pytest --cache-clear
? Waits for an answer: running pytest --cache-clear
✓ Ran pytest -x · approved, edited by you · 0.8 s
    Asked for pytest --cache-clear; edited and approved by you after 6.0 s.
    14 passed
… Running git push
? Waits for an answer: running git push
⊘ Refused git push · nobody could answer
? Proposes a plan, waits for an answer:
  1. Reproduce
  2. Fix
✓ Plan approved by you
Careful: The provider was slow
Error: a line was too long
○ Unknown event session.compacted
… Editing shop/cart.py
? Waits for an answer: editing shop/cart.py
✓ Edited shop/cart.py +1 \N{MINUS SIGN}1 · by rule: edit in shop/
    shop/cart.py +1 \N{MINUS SIGN}1
    @@ -41,3 +41,3 @@ def total(self)
         x = sum(line.net for line in self.lines)
    -    return round(x, 2)
    +    return x.quantize(CENT, rounding=ROUND_HALF_UP)
     def empty(self):
Fixed. `Cart.total()` rounds half up; it costs $5 here and $6 there.

✓ Done · 0:35 · 34k tokens · $0.11 · 1 file +1 \N{MINUS SIGN}1
"""


def test_messages_stand_apart_and_one_that_grows_does_not() -> None:
    text = written(
        MessageDelta(delta="one ", message_id="a"),
        MessageDelta(delta="more"),
        MessageDelta(delta="two", message_id="b"),
        MessageDelta(delta="inner\nlines\n", parent_id="t1"),
        MessageDelta(delta="outer", message_id="b"),
    )
    assert text == "one more\ntwo\n  inner\n  lines\nouter"


def test_a_line_break_that_is_cut_in_two_is_one() -> None:
    assert written(MessageDelta(delta="a\r"), MessageDelta(delta="\nb")) == "a\nb"


def test_only_todos_that_changed_are_written() -> None:
    todos = [Todo(content="a"), Todo(content="b")]
    changed = [Todo(content="a", status="completed"), Todo(content="b")]
    assert written(TodosUpdated(todos=todos), TodosUpdated(todos=changed)) == "☐ a\n☐ b\n☑ a\n"


def test_what_nobody_was_asked_is_not_said_to_wait() -> None:
    automatic = ApprovalRequired(
        id="a", tool_name="Bash", args={"command": "ls"}, message=None, auto_approvable=True, tool_call_id="t"
    )
    text = written(
        ToolStart(id="t", name="Bash", args={"command": "ls"}),
        automatic,
        ApprovalUpdated(id="a", status="approved", by="mode"),
        ToolEnd(id="t", name="Bash", output="x", is_error=False, duration_ms=1),
    )
    assert text == "… Running ls\n✓ Ran ls\n    x\n"


def test_an_approval_without_a_tool_call_has_its_own_rows() -> None:
    asks = ApprovalRequired(
        id="a", tool_name="Bash", args={"command": "ls"}, message=None, auto_approvable=False, warnings=["Not in git"]
    )
    text = written(asks, ApprovalUpdated(id="a", status="rejected", by="user"))
    assert text == "? Waits for an answer: running ls\n  Careful: Not in git\n⊘ Rejected ls by you\n"


def test_a_reading_is_not_printed_but_a_command_is_as_the_terminal_left_it() -> None:
    bar = [ToolDelta(id="t", name="Bash", partial=part) for part in ("10%\r", "99%\r100%\n", "\x1b[32mdone\x1b[0m\n")]
    end = ToolEnd(id="t", name="Bash", output=None, is_error=False, duration_ms=1)
    text = written(
        *call("r", "Read", {"path": "a"}, "secret source"), ToolStart(id="t", name="Bash", args="make"), *bar, end
    )
    assert "secret source" not in text
    assert text.endswith("✓ Ran make\n    100%\n    done\n")


def test_thinking_and_running_totals_are_silent() -> None:
    assert written(MessageThinking(delta="hm"), UsageUpdated(usage=Usage(input_tokens=5))) == ""


def test_the_last_totals_are_in_the_last_line() -> None:
    text = written(TurnStarted(), UsageUpdated(usage=Usage(total_tokens=1500)), 2.0, TurnCompleted(response=None))
    assert text.endswith("\n✓ Done · 0:02 · 1.5k tokens · cost unknown\n")


def test_a_failed_turn_says_that_nothing_was_changed_only_when_no_tool_ran() -> None:
    failed = TurnFailed(error="died")
    assert written(TurnStarted(), failed).endswith("✗ Failed · died · 0:00\nNothing was changed.\n")
    ran = call("t", "Bash", {"command": "ls"}, "x")
    assert written(TurnStarted(), *ran, failed).endswith("✗ Failed · died · 0:02\n")


def test_colour_wraps_whole_lines_and_only_then_are_there_escapes() -> None:
    parts = [
        *call("t1", "Bash", {"command": "make"}, "no", is_error=True),
        *(ToolStart(id="t2", name="Edit", args={"path": "a"}), edited("t2", "Edit")),
        *asked("t3", "Bash", {"command": "rm"}, {"status": "rejected", "by": "user"}),
    ]
    coloured = written(*parts, colour=True)
    assert "\x1b[31m✗ Failed make · 2.0 s\x1b[0m\n" in coloured
    assert "\x1b[32m+    return x.quantize(CENT, rounding=ROUND_HALF_UP)\x1b[0m\n" in coloured
    assert "\x1b[33m? Waits for an answer: running rm\x1b[0m\n" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == written(*parts)
    assert re.findall(r"\x1b[^\[]|\x1b\[(?!\d+m)", coloured) == []


CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def test_no_text_of_an_agent_controls_the_terminal() -> None:
    for text in CORPUS:
        parts: list[Part] = [
            TurnStarted(prompt=text, agent=text, model=text, workspace=text),
            MessageDelta(delta=text),
            *asked(
                "t1", text, {"command": text}, {"status": "rejected", "by": "user", "reason": text}, warnings=[text]
            ),
            *call("t2", "Bash", {"command": text}, text, is_error=True),
            *call("t3", text, {text: text}, {text: text}),
            *(ToolStart(id="t4", name="Edit", args={"path": text}), edited("t4", "Edit", patch=text, path=text)),
            Unknown(text, text),
            TurnCompleted(response=text),
        ]
        assert not CONTROLS.search(written(*parts))
    assert hostile_turn(CORPUS[:1]).items


@given(st.lists(st.text(st.sampled_from(string.printable + "\x1b\x9b\u202eé字"), max_size=12), max_size=12))
@settings(max_examples=80, deadline=None)
def test_however_a_message_is_cut_the_same_is_written(pieces: list[str]) -> None:
    streamed = written(*(MessageDelta(delta=piece) for piece in pieces))
    assert streamed == written(MessageDelta(delta="".join(pieces)))
    assert not CONTROLS.search(streamed)


@pytest.mark.parametrize("colour", [False, True])
def test_a_turn_without_a_beginning_or_an_end_is_no_reason_to_fail(*, colour: bool) -> None:
    parts = whole_turn()
    for start in range(0, len(parts), 5):
        written(*parts[start:], colour=colour)
        written(*parts[:start], colour=colour)
