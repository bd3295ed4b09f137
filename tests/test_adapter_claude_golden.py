"""What the real Claude Code says, as events: recorded with ``tests/tools/record_claude.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from support.golden import ROOT, beside, check, events_text, read_natives, stamp, state_text

from nbharness.adapters.claude.tools import HIDDEN, kind_of, proposed_diffs
from nbharness.adapters.claude.translate import Translator
from nbharness.events import (
    EVENT_CLASSES,
    TERMINAL_EVENTS,
    Event,
    MessageDelta,
    MessageThinking,
    Notice,
    Todo,
    TodosUpdated,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    Unknown,
    Usage,
    sound,
)
from nbharness.ledger import Ledger
from nbharness.state import fold_all

CASES = sorted(path.name.removesuffix(".native.jsonl") for path in (ROOT / "claude").glob("*.native.jsonl"))
E = TypeVar("E", bound=Event)


def natives(case: str) -> list[Any]:
    return read_natives(ROOT / "claude" / f"{case}.native.jsonl")


def translated(case: str) -> list[Event | Unknown]:
    head, *messages = natives(case)
    translator = Translator(head["workspace"])
    events: list[Event | Unknown] = []
    for message in messages:
        if message["type"] != "control_request":
            events += translator.translate(message)
        elif message["request"]["tool_name"] not in HIDDEN:
            asked = message["request"]
            events += translator.announced(asked["tool_use_id"], asked["tool_name"], asked["input"])
    return events


def all_of(case: str, kind: type[E]) -> list[E]:
    return [event for event in translated(case) if isinstance(event, kind)]


@pytest.mark.parametrize("case", CASES)
def test_turn_is_translated_as_recorded(case: str) -> None:
    ledger = Ledger()
    events = [TurnStarted(prompt=case, agent="claude"), *translated(case)]
    envelopes = stamp([kept for event in events for kept in ledger.admit(event)])
    file = ROOT / "claude" / f"{case}.events.jsonl"
    check(file, events_text(envelopes))
    check(beside(file, ".state.json"), state_text(fold_all(envelopes)))


@pytest.mark.parametrize("case", CASES)
def test_recording_names_the_version_and_nothing_of_the_machine(case: str) -> None:
    text = (ROOT / "claude" / f"{case}.native.jsonl").read_text()
    assert natives(case)[0]["version"] == "0.2.189"
    assert "/tmp" not in text  # noqa: S108 (that is the point)
    assert str(Path.home()) not in text


@pytest.mark.parametrize("case", CASES)
def test_a_turn_ends_once_and_all_of_it_is_known(case: str) -> None:
    events = translated(case)
    assert len([event for event in events if isinstance(event, TERMINAL_EVENTS)]) == 1
    assert [event for event in events if isinstance(event, Unknown)] == []


def test_text_and_thinking_are_told_once() -> None:
    assert "".join(event.delta for event in all_of("write", MessageDelta)) == "I write it.All done."
    assert [event.delta for event in all_of("write", MessageThinking)] == ["A file, then."]


def test_patches_are_diffs() -> None:
    created, changed = all_of("write", ToolEnd)
    assert isinstance(created.diffs, list)
    assert isinstance(changed.diffs, list)
    assert [(diff.path, diff.added, diff.removed) for diff in created.diffs] == [("a.txt", 2, 0)]
    assert "-two\n+three" in changed.diffs[0].patch


def test_commands_have_their_output_and_exit_status() -> None:
    good, bad = all_of("command", ToolEnd)
    assert (good.exit_code, good.is_error) == (0, False)
    assert {"one", "two"} <= set(str(good.output).split())
    assert (bad.exit_code, bad.is_error) == (3, True)


def test_the_checklist_is_folded_from_its_calls() -> None:
    lists = [event.todos for event in all_of("todos", TodosUpdated)]
    assert lists[-1] == [Todo(content="First", status="completed"), Todo(content="Second", status="pending")]
    assert all_of("todos", ToolStart) == []


def test_older_programs_write_the_whole_checklist_at_once() -> None:
    todos = [{"content": "One", "status": "in_progress"}, {"content": "Two", "status": "weird"}]
    said = [
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "TodoWrite",
                                                       "input": {"todos": todos}}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}},
    ]  # fmt: skip
    translator = Translator("/workspace")
    events = [event for message in said for event in translator.translate(message)]
    expected = [Todo(content="One", status="in_progress"), Todo(content="Two", status="pending")]
    assert events == [TodosUpdated(todos=expected)]


def test_sub_agents_are_nested() -> None:
    outer = next(event for event in all_of("subagent", ToolStart) if event.name in {"Agent", "Task"})
    inner = next(event for event in all_of("subagent", ToolStart) if event.name == "Bash")
    assert (outer.kind, inner.kind, inner.parent_id) == ("agent", "execute", outer.id)


def test_cost_is_that_of_the_turn_alone() -> None:
    (first,), (later,) = (
        all_of("cut", TurnCompleted) or all_of("write", TurnCompleted),
        all_of("resumed", TurnCompleted),
    )
    assert isinstance(first.usage, Usage)
    assert isinstance(later.usage, Usage)
    assert later.usage.cost_usd == pytest.approx(0.0006)
    assert (later.usage.total_tokens, later.usage.model_calls, later.usage.context_window) == (120, 1, 200_000)


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("rate-limited", "rate_limited"),
        ("usage-limit", "rate_limited"),
        ("signed-out", "auth"),
        ("server-error", "sdk_error"),
        ("context", "context_exhausted"),
    ],
)
def test_failures_have_their_codes_although_claude_calls_them_success(case: str, code: str) -> None:
    (failed,) = all_of(case, TurnFailed)
    assert failed.code == code
    assert all_of(case, MessageDelta) == []
    if case == "server-error":
        assert "tries again" in all_of(case, Notice)[0].message
    # Only a subscription says how long its limit lasts.
    assert (failed.retry_after is UNSET) == (case != "usage-limit")


def test_limit_of_a_subscription_says_when_it_ends() -> None:
    (failed,) = all_of("usage-limit", TurnFailed)
    assert isinstance(failed.retry_after, float)
    assert 3500 < failed.retry_after <= 3600


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
blocks = json_values | st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "tool_use", "tool_result"])},
    optional={
        "id": st.sampled_from(["a", "b"]),
        "tool_use_id": st.sampled_from(["a", "b", "c"]),
        "name": st.sampled_from(["Bash", "Write", "TodoWrite", "TaskUpdate", "Task"]) | json_values,
        **dict.fromkeys(("text", "thinking", "input", "content", "is_error"), json_values),
    },
)
messages = json_values | st.fixed_dictionaries(
    {"type": st.sampled_from(["system", "stream_event", "assistant", "user", "result", "rate_limit_event", "new"])},
    optional={
        "subtype": st.sampled_from(["init", "api_retry", "status", "success", "error_max_turns"]) | json_values,
        "message": st.fixed_dictionaries({}, optional={"id": json_values, "content": st.lists(blocks) | json_values}),
        "event": st.fixed_dictionaries(
            {"type": st.sampled_from(["message_start", "content_block_delta", "message_delta"])},
            optional=dict.fromkeys(("delta", "message", "usage"), json_values),
        ),
        **dict.fromkeys(
            ("usage", "model_usage_since_last_result", "tool_use_result", "session_id", "parent_tool_use_id", "result",
             "errors", "attempt", "error_status", "retry_delay_ms", "slash_commands", "error", "is_error"),
            json_values,
        ),
    },
)  # fmt: skip


@given(st.lists(messages, max_size=12))
def test_whatever_comes_becomes_sound_events(told: list[Any]) -> None:
    translator = Translator("/workspace")
    for event in [event for message in told for event in translator.translate(message)]:
        assert isinstance(event, Unknown) or type(event) in EVENT_CLASSES.values()
        assert isinstance(event, Unknown) or not isinstance(sound(event), Unknown)


@given(st.text(max_size=8) | st.sampled_from(["Write", "Edit", "MultiEdit"]), json_values)
def test_whatever_is_proposed_can_be_shown(tool: str, args: Any) -> None:
    assert kind_of(tool)
    assert isinstance(proposed_diffs(tool, args, "/workspace"), tuple)
