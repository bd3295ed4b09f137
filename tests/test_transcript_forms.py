"""What a saved transcript says, and in which order."""

from __future__ import annotations

import re

import pytest
from support.transcripts import PATCH, asked, call, edited, state, whole_turn

from nbharness.events import (
    Event,
    FileDiff,
    MessageDelta,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    Unknown,
    Usage,
)
from nbharness.transcript import transcript_bundle

Part = Event | Unknown | float

WHOLE = transcript_bundle(state(*whole_turn()))


def plain(*parts: Part) -> str:
    """The plain form without the lines on top, which every turn has."""
    text = str(transcript_bundle(state(*parts))["text/plain"])
    return text.split("> fix the failing test\n\n", 1)[1]


def steps(*parts: Part) -> list[str]:
    """The rows of the plain form, with nothing that opens below them."""
    return [line[2:] for line in plain(*parts).split("\n") if re.match(r"  [✓✗⊘○…] ", line)]


def test_the_whole_turn_as_plain_text() -> None:
    lines = [line for line in str(WHOLE["text/plain"]).split("\n") if line.strip() and "tests/test_" not in line]
    assert re.fullmatch(r"claude · sonnet · asks first · ~/shop · \d+ Nov 2026 \d\d:\d\d", lines.pop(0))
    assert "\n".join(lines) == WHOLE_PLAIN


WHOLE_PLAIN = """\
> fix the failing test
9 steps · 3 approved, 2 rejected
  I'll run the suite **first**.
  Todos, 1 of 2 done
    ☑ Reproduce
    ◐ Fix
  ✓ Read shop/cart.py · 3 lines
  ✗ Failed pytest -q · exit 1 · 2.4 s
      Output, 1,290 lines:
        … 1,270 lines more …
        E   assert
        FAILED
        1 failed
  ⊘ Rejected rm -rf build/ by you · “Keep it”
  You: also look elsewhere
  Then the callers:
  ✓ Sub-agent Find callers · 12 s
      Output, 1 line:
        Two callers.
    ✓ Searched round( · 2 hits
        Output, 2 lines:
          x
          y
    Two of them.
  ✓ Ran pytest -x · approved, edited by you · 0.8 s
      Asked for pytest --cache-clear; edited and approved by you after 6.0 s.
      Output, 1 line:
        14 passed
  ⊘ Refused git push · nobody could answer
  ✓ Plan approved by you · after 3.0 s
      1. Reproduce
      2. Fix
  Careful: The provider was slow
  Error: a line was too long
  ○ Unknown event session.compacted
      As it came, 3 lines:
        {
          "kept": 1
        }
  ✓ Edited shop/cart.py +1 \N{MINUS SIGN}1 · by rule: edit in shop/
Fixed. `Cart.total()` rounds half up; it costs $5 here and $6 there.
shop/cart.py +1 \N{MINUS SIGN}1
@@ -41,3 +41,3 @@ def total(self)
     x = sum(line.net for line in self.lines)
-    return round(x, 2)
+    return x.quantize(CENT, rounding=ROUND_HALF_UP)
 def empty(self):
✓ Done · 0:35 · 34k tokens · $0.11 · 1 file +1 \N{MINUS SIGN}1"""


def test_html_folds_the_steps_and_opens_the_last_diff() -> None:
    html = str(WHOLE["text/html"])
    assert re.findall(r"<summary>(.*?)</summary>", html)[0] == "<strong>9 steps</strong> · 3 approved, 2 rejected"
    opened = re.findall(r'<details open style="[^"]*">\n<summary>(.*?)</summary>', html)
    assert [re.sub(r"<[^>]*>", "", summary) for summary in opened] == ["shop/cart.py +1 \N{MINUS SIGN}1"]
    answer = html.index("Fixed. ")
    assert html.index("Unknown event") < answer < html.index("<details open") < html.index("<strong>Done</strong>")
    # MathJax would make a formula of everything between the two prices.
    assert html.startswith('<div class="mathjax_ignore tex2jax_ignore" ')


def test_markdown_can_be_read_on_github() -> None:
    text = str(WHOLE["text/markdown"])
    assert "<details>\n<summary><strong>9 steps</strong> · 3 approved, 2 rejected</summary>\n\n- I'll run" in text
    assert "- ✗ Failed `pytest -q` · exit 1 · 2.4 s\n\n  <details>\n  <summary>Output, 1,290 lines</summary>" in text
    assert "\n- ✓ Sub-agent Find callers · 12 s\n" in text
    assert "\n  - ✓ Searched `round(` · 2 hits\n" in text
    assert f"```diff\n{PATCH.split(chr(10), 2)[2]}```\n\n</details>" in text
    assert "it costs \\$5 here and \\$6 there" in text


def test_nothing_in_the_saved_forms_tells_what_the_agent_thought() -> None:
    assert "thoughts-stay-private" not in str(WHOLE)


@pytest.mark.parametrize(
    ("end", "footer"),
    [
        (TurnCompleted(response=None), "✓ Done"),
        (TurnCompleted(response=None, metadata={"refused": 2}), "✓ Done in part"),
        (TurnFailed(error="exited with code 1", code="agent_exited"), "✗ Failed · exited with code 1"),
        (TurnFailed(error="busy", code="rate_limited", retry_after=134.0), "✗ Rate limited · busy"),
        (TurnFailed(error="run `claude login`", code="auth"), "✗ Sign-in needed · run `claude login`"),
        (TurnFailed(error="x" * 80), "✗ Failed"),
        (TurnFailed(error="", code="max_turns"), "✗ Turn limit reached"),
        (TurnAborted(code="aborted", reason="by you"), "⊘ Stopped · by you"),
        (TurnAborted(code="interrupted", reason="the process ended."), "⊘ Interrupted · the process ended"),
        (TurnAborted(code="timeout"), "⊘ Timed out"),
    ],
)
def test_how_a_turn_ended(end: Event, footer: str) -> None:
    assert plain(2.0, end).split("\n")[0] == f"{footer} · 0:02"


@pytest.mark.parametrize(
    ("end", "more"),
    [
        (TurnCompleted(response=None), ""),
        (TurnCompleted(response=None, metadata={"refused": 2}), "2 approvals refused because nobody could answer."),
        (TurnFailed(error="busy"), "Nothing was changed."),
        (TurnFailed(error="x" * 80), f"{'x' * 80} Nothing was changed."),
        (TurnFailed(error="busy", retry_after=134.0), "The provider asked to wait 2:14. Nothing was changed."),
    ],
)
def test_what_an_ending_leaves(end: Event, more: str) -> None:
    assert plain(2.0, end).split("\n")[1] == more


def test_a_command_to_type_is_code_in_the_ending() -> None:
    html = str(transcript_bundle(state(TurnFailed(error="run `claude login` <now>", code="auth")))["text/html"])
    assert re.search(r"Sign-in needed</strong> · run <code [^>]*>claude login</code> &lt;now&gt; · 0:00<br>", html)


def test_a_turn_that_goes_on_says_so() -> None:
    text = plain(
        ToolStart(id="t", name="Bash", args={"command": "make"}), ToolDelta(id="t", name="Bash", partial="cc\n")
    )
    assert text == "1 step\n  … Running make\n      Output, 1 line:\n        cc\n\n… Not finished\n"


def test_usage_is_counted_and_a_cost_that_is_unknown_is_said_to_be() -> None:
    assert "· 12k tokens · cost unknown\n" in plain(TurnCompleted(response=None, usage=Usage(total_tokens=12_345)))
    assert "tokens" not in plain(TurnCompleted(response=None, usage=Usage(model_calls=2)))
    assert "· 5 tokens · $0.0010\n" in plain(TurnCompleted(response=None, usage=Usage(output_tokens=5, cost_usd=0.001)))


def test_the_clock_stood_still_while_somebody_was_asked() -> None:
    parts = asked("t", "Bash", {"command": "ls"}, {"status": "approved", "by": "user"})
    assert plain(3.0, *parts, 1.0, TurnCompleted(response=None)).endswith("✓ Done · 0:04\n")


def test_a_response_that_was_never_streamed_is_the_answer() -> None:
    assert plain(TurnCompleted(response="All good.")) == "All good.\n\n✓ Done · 0:00\n"
    same = plain(MessageDelta(delta="All good.\n"), TurnCompleted(response="All good."))
    assert same == "All good.\n\n✓ Done · 0:00\n"


def test_what_came_after_the_answer_stays_after_it() -> None:
    late = call("t", "Bash", {"command": "true"}, "")
    text = plain(MessageDelta(delta="Done."), *late, TurnCompleted(response=None))
    assert text == "Done.\n\n1 step\n  ✓ Ran true · 2.0 s\n\n✓ Done · 0:02\n"


@pytest.mark.parametrize(
    ("parts", "row"),
    [
        (call("t", "Bash", {"command": "ls\ncd x"}), "✓ Ran ls cd x · 2.0 s"),
        (call("t", "Bash", {"command": "ls"}, synthetic=True, is_error=True), "⊘ Stopped ls · never ended · 2.0 s"),
        (call("t", "Read", {"path": "a"}, is_error=True), "✗ Failed a · 2.0 s"),
        (call("t", "mcp__x__frob", {"n": 1}, duration_ms=None), "✓ Used mcp__x__frob"),
        (asked("t", "Bash", {"command": "ls"}, {"status": "expired"}), "⊘ Expired ls · nobody answered in time"),
        (asked("t", "Bash", {"command": "ls"}, {"status": "cancelled"}), "⊘ Expired ls · the turn ended first"),
        (asked("t", "Bash", {"command": "ls"}, {"status": "approved", "by": "mode"}), "✓ Ran ls"),
    ],
)
def test_one_row(parts: list[Part], row: str) -> None:
    assert steps(*parts) == [row]


def test_a_command_of_several_lines_opens_whole() -> None:
    assert "      Command:\n        set -e\n        make\n" in plain(*call("t", "Bash", {"command": "set -e\nmake"}))


def test_several_files_of_one_call_are_summed_up_and_each_shown() -> None:
    diffs = [FileDiff(path=name, patch="@@ -1 +1 @@\n-a\n+b\n", added=1, removed=1) for name in ("a.py", "b.py")]
    end = ToolEnd(id="t", name="apply_patch", output=None, is_error=False, duration_ms=1, diffs=diffs)
    parts: list[Part] = [ToolStart(id="t", name="apply_patch", args={"patch": "+++ b/a.py\n+++ b/b.py"}), end]
    text = plain(*parts, TurnCompleted(response=None))
    assert "✓ Edited a.py, b.py 2 files +2 \N{MINUS SIGN}2\n" in text
    assert text.index("a.py +1") < text.index("b.py +1") < text.index("✓ Done · 0:00 · 2 files +2 \N{MINUS SIGN}2")


def test_only_the_last_change_is_open_and_it_is_shown_once() -> None:
    first, last = "@@ -1 +1 @@\n-one\n+two\n", "@@ -9 +9 @@\n-nine\n+ten\n"
    parts: list[Part] = [
        *(ToolStart(id="t1", name="Edit", args={"path": "a"}), edited("t1", "Edit", patch=first)),
        *(ToolStart(id="t2", name="Edit", args={"path": "b"}), edited("t2", "Edit", patch=last)),
    ]
    html = str(transcript_bundle(state(*parts, TurnCompleted(response=None)))["text/html"])
    assert (html.count("+two"), html.count("+ten")) == (1, 1)
    assert html.index("+two") < html.index("<details open") < html.index("+ten")


def test_a_diff_that_came_cut_says_so() -> None:
    diff = FileDiff(path="a", patch="@@ -1,9 +1,9 @@\n-a\n", added=9, removed=9, truncated=1284)
    end = ToolEnd(id="t", name="Edit", output=None, is_error=False, duration_ms=1, diffs=[diff])
    assert "… 1,284 bytes left out" in plain(ToolStart(id="t", name="Edit", args={"path": "a"}), end)


def test_what_a_rejected_edit_would_have_changed_is_kept() -> None:
    diff = FileDiff(path="a.py", patch="@@ -1 +1 @@\n-a\n+b\n", added=1, removed=1)
    parts = asked("t", "Edit", {"path": "a.py"}, {"status": "rejected", "by": "user"}, diffs=[diff])
    assert "  ⊘ Rejected a.py by you\n      a.py +1 \N{MINUS SIGN}1\n      @@ -1 +1 @@\n      -a\n      +b\n" in plain(
        *parts
    )


def test_sub_agents_inside_sub_agents_end_somewhere() -> None:
    parts: list[Part] = [ToolStart(id="t0", name="Task", args={"task": "deep 0"}, parent_id="t0")]
    parts += [
        ToolStart(id=f"t{n}", name="Task", args={"task": f"deep {n}"}, parent_id=f"t{n - 1}") for n in range(1, 300)
    ]
    text = plain(*parts)
    assert all(f"deep {n}\n" in text for n in range(300))
    assert max(len(line) - len(line.lstrip()) for line in text.split("\n")) < 40
