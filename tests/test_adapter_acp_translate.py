"""The ACP translator on what no program should send."""

import difflib
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from support.strategies import json_values, thorough, wild_text

from nbharness.adapters.acp.forms import content_of, questions_of
from nbharness.adapters.acp.remarks import Remarks
from nbharness.adapters.acp.settings import Settings
from nbharness.adapters.acp.translate import Translator
from nbharness.adapters.acp.usage import Totals, UsageMeter
from nbharness.events import (
    TERMINAL_EVENTS,
    MessageDelta,
    Notice,
    Todo,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    sound,
)
from nbharness.file_diff import file_diff

KINDS = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "plan_update",
    "plan_removed",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "something_new",
]
FIELDS = [
    "toolCallId", "title", "kind", "status", "content", "locations", "rawInput", "rawOutput", "_meta", "messageId",
    "entries", "plan", "planId", "availableCommands", "currentModeId", "configOptions", "used", "size", "cost", "type",
    "text", "path", "oldText", "newText", "terminalId", "terminal_output", "terminal_exit", "data", "exit_code",
    "optionId", "name", "options", "amount", "currency", "value", "category", "id", "modes", "models", "toolName",
]  # fmt: skip
# It reads what came as JSON; Python objects that are no JSON cannot come.
_words = st.sampled_from([*KINDS, "diff", "content", "terminal", "text", "completed", "a", "USD", 1])
hostile = st.recursive(
    json_values(wild_text, st.floats()) | _words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=12,
)
updates = st.builds(
    lambda kind, fields: {**fields, "sessionUpdate": kind},
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(FIELDS), hostile, max_size=6),
)


@thorough
@given(st.lists(updates | hostile, max_size=8), hostile, hostile)
def test_never_an_exception(said: list[Any], asked: Any, answer: Any) -> None:
    translator = Translator("/w")
    events = [event for update in said for event in translator.update(update)]
    more, question = translator.ask(asked)
    translator.answered(question, allowed=False)
    events += more + translator.terminal_output("a", "x") + translator.finish(answer)
    assert isinstance(events[-1], TERMINAL_EVENTS)
    assert sum(isinstance(event, TERMINAL_EVENTS) for event in events) == 1
    for event in events:
        sound(event)
    starts = [event.id for event in events if isinstance(event, ToolStart)]
    ends = [event.id for event in events if isinstance(event, ToolEnd)]
    assert sorted(starts) == sorted(ends)
    assert len(set(starts)) == len(starts)


@thorough
@given(hostile, st.dictionaries(wild_text, st.lists(wild_text, max_size=2), max_size=3))
def test_forms_and_settings_never_raise(said: Any, answers: dict[str, list[str]]) -> None:
    form = {"requestedSchema": {"properties": said}, "message": said}
    for question in questions_of(form):
        answers[question.id] = ["x"]
    content_of(form, answers)
    Settings().take({"modes": said, "models": said, "configOptions": said, "currentModeId": said})
    meter = UsageMeter(Totals())
    meter.update({"used": said, "size": said, "cost": said})
    meter.answer(said)
    assert meter.usage is not None


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d"]), max_size=30).map("".join)


@thorough
@given(lines, lines)
def test_patch_applies(old: str, new: str) -> None:
    diff = file_diff("/w/f", old, new, "/w")
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    added = sum(line.startswith("+ ") for line in difflib.ndiff(before, after))
    assert (diff.patch == "") is (old == new)
    assert diff.path == "f"
    assert diff.added - diff.removed == len(after) - len(before)
    assert diff.added >= (added > 0)


@pytest.mark.parametrize("size", [5, 5000])
def test_patch_is_one_that_git_takes(tmp_path: Path, size: int) -> None:
    old = [f"line {index}\n" for index in range(size)]
    new = [*old[: size // 3], "other\n", *old[size // 2 :]]
    new[-1:] = ["last without end"]
    (tmp_path / "f").write_text("".join(old))
    patch = file_diff(str(tmp_path / "f"), "".join(old), "".join(new), str(tmp_path)).patch
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, text=True, check=True)
    assert (tmp_path / "f").read_text() == "".join(new)


def test_texts_are_not_compared_for_long() -> None:
    old, new = "a\nb\n" * 200_000, "b\nc\n" * 200_000
    diff = file_diff("f", old, new)
    assert (diff.added, diff.removed) == (400_000, 400_000)
    assert isinstance(diff.truncated, int)
    assert len(diff.patch) <= 256 * 1024


def test_call_is_announced_when_its_arguments_are_known() -> None:
    translator = Translator()
    call = {"sessionUpdate": "tool_call", "toolCallId": "t", "status": "pending", "rawInput": {}, "kind": "execute"}
    assert translator.update(call) == []
    filled = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": {"command": "ls"}}
    (start,) = translator.update(filled)
    assert isinstance(start, ToolStart)
    assert start.args == {"command": "ls"}


def test_call_that_is_held_back_comes_before_what_is_said_next() -> None:
    translator = Translator()
    translator.update({"sessionUpdate": "tool_call", "toolCallId": "t", "status": "pending"})
    said = translator.update(text("x"))
    assert [type(event) for event in said] == [ToolStart, MessageDelta]


def test_output_that_grows_is_told_once() -> None:
    translator = Translator()
    outputs = ["one\n", "one\ntwo\n", "one\ntwo\n", "quite another\n"]
    events = [event for output in outputs for event in translator.update(output_of(output))]
    assert [event.partial for event in events if isinstance(event, ToolDelta)] == ["one\n", "two\n"]
    (end,) = translator.update(output_of("one\ntwo\nthree\n", "completed"))
    assert isinstance(end, ToolEnd)
    assert end.output == "one\ntwo\nthree\n"


def test_plans_of_one_session_are_one_list() -> None:
    translator = Translator()
    translator.update(
        {"sessionUpdate": "plan_update", "plan": {"planId": "a", "content": "# Plan\n- [x] one\n2. two\n"}}
    )
    entries = [{"content": "three", "status": "in_progress", "priority": "high"}]
    (both,) = translator.update({"sessionUpdate": "plan_update", "plan": {"planId": "b", "entries": entries}})
    assert both == TodosUpdated(
        todos=[
            Todo(content="one", status="completed"),
            Todo(content="two"),
            Todo(content="three", status="in_progress"),
        ]
    )
    (left,) = translator.update({"sessionUpdate": "plan_removed", "planId": "a"})
    assert isinstance(left, TodosUpdated)
    assert [todo.content for todo in left.todos] == ["three"]


@given(json_values())
def test_usage_of_a_prompt_is_what_it_added(odd: Any) -> None:
    before = Totals(cost_usd=1.0, tokens={"inputTokens": 10, "outputTokens": 5})
    meter = UsageMeter(before)
    meter.update({"cost": odd})
    meter.update({"used": 3, "size": 9, "cost": {"amount": 1.5, "currency": "USD"}})
    meter.answer({"inputTokens": 12, "outputTokens": 6, "totalTokens": 18})
    assert meter.usage is not None
    usage: Any = meter.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (2, 1, 0.5)
    fresh = UsageMeter(before)
    fresh.answer({"inputTokens": 1, "outputTokens": 1})
    assert fresh.usage.input_tokens == 1  # type: ignore[union-attr]


def text(said: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": said}}


def output_of(said: str, status: str = "in_progress") -> dict[str, Any]:
    content = [{"type": "content", "content": {"type": "text", "text": said}}]
    return {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": status, "content": content}


def ended(*pieces: str) -> list[Any]:
    translator = Translator(remarks=Remarks("copilot", "sign in"))
    said = [event for piece in pieces for event in translator.update(text(piece))]
    return [*said, *translator.finish({"stopReason": "end_turn"})]


@pytest.mark.parametrize(
    ("error", "code", "wait_s"),
    [
        ("429 slow down, try again in 7 s", "rate_limited", 7),
        ("429 slow down", "rate_limited", UNSET),
        ("Authentication failed with provider (HTTP 401).", "auth", UNSET),
        ("400 prompt is too long", "context_exhausted", UNSET),
        ("500 oops", "sdk_error", UNSET),
    ],
)
def test_error_among_the_words_at_the_end_is_a_failed_turn(error: str, code: str, wait_s: object) -> None:
    (failed,) = ended(f"Error: {error}")
    assert isinstance(failed, TurnFailed)
    assert (failed.code, failed.retry_after) == (code, wait_s)
    assert error in failed.error


def test_remarks_are_no_part_of_the_message() -> None:
    said = ended("Info: Retrying...", "Warning: slow", "Error: 500 oops", "All ", "is done. Info: not a remark")
    notices = [(event.level, event.message) for event in said if isinstance(event, Notice)]
    assert notices == [("info", "Retrying..."), ("warning", "slow"), ("warning", "500 oops")]
    assert isinstance(said[-1], TurnCompleted)
    assert said[-1].response == "All is done. Info: not a remark"
