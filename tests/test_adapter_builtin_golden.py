"""What the engine says, as events: recorded with ``tests/tools/record_builtin.py`` in all four wire forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builtin import MODELS
from support.golden import ROOT, beside, check, events_text, read_natives, stamp, state_text

from nbharness.adapters.builtin.own_tools import ASK, PLAN
from nbharness.adapters.builtin.translate import Translator
from nbharness.events import (
    EVENT_CLASSES,
    Event,
    MessageDelta,
    Notice,
    ToolEnd,
    ToolStart,
    TurnFailed,
    TurnStarted,
    Unknown,
    UsageUpdated,
    sound,
)
from nbharness.ledger import Ledger
from nbharness.state import fold_all

CASES = sorted(path.name.removesuffix(".native.jsonl") for path in (ROOT / "builtin").glob("*.native.jsonl"))
HIDDEN = frozenset({ASK, PLAN, "todo"})
KINDS = sorted(Translator({})._readers)


def natives(case: str) -> list[Any]:
    return read_natives(ROOT / "builtin" / f"{case}.native.jsonl")


def translated(case: str) -> list[Event | Unknown]:
    head, *said = natives(case)
    translator = Translator(head["kinds"], HIDDEN)
    events: list[Event | Unknown] = []
    for line in said:
        if line["event_kind"] == "raised":
            events += [*translator.finish(), TurnFailed(error=line["error"], code=line["code"])]
        else:
            events += translator.translate(line)
    return [*events, *translator.finish()]


@pytest.mark.parametrize("case", CASES)
def test_turn_is_translated_as_recorded(case: str) -> None:
    ledger = Ledger()
    events = [TurnStarted(prompt=case, agent="builtin"), *translated(case)]
    envelopes = stamp(kept for event in events for kept in ledger.admit(event))
    file = ROOT / "builtin" / f"{case}.events.jsonl"
    check(file, events_text(envelopes))
    check(beside(file, ".state.json"), state_text(fold_all(envelopes)))


@pytest.mark.parametrize("case", CASES)
def test_recording_names_the_version_and_nothing_of_the_machine(case: str) -> None:
    text = (ROOT / "builtin" / f"{case}.native.jsonl").read_text()
    assert natives(case)[0]["version"] == "2.68.0"
    assert "/tmp" not in text  # noqa: S108 (that is the point)
    assert str(Path.home()) not in text


def test_all_that_was_recorded_is_known() -> None:
    assert [event for case in CASES for event in translated(case) if isinstance(event, Unknown)] == []


@pytest.mark.parametrize("case", sorted({case.partition("-")[2] for case in CASES}))
def test_every_wire_form_says_the_same(case: str) -> None:
    told = {tuple(event.type for event in _said(translated(f"{wire}-{case}"))) for wire in MODELS}
    assert len(told) == 1


@pytest.mark.parametrize("wire", MODELS)
def test_text_is_told_once_and_belongs_to_its_answer(wire: str) -> None:
    said: dict[object, str] = {}
    for event in translated(f"{wire}-tools"):
        if isinstance(event, MessageDelta):
            said[event.message_id] = said.get(event.message_id, "") + event.delta
    assert list(said.values()) == ["I look.", "All done."]


@pytest.mark.parametrize("wire", MODELS)
def test_answer_that_broke_off_is_another_message(wire: str) -> None:
    events = translated(f"{wire}-cut")
    ids = list(dict.fromkeys(event.message_id for event in events if isinstance(event, MessageDelta)))
    assert len(ids) == 2
    assert len([event for event in events if isinstance(event, Notice)]) == 1


@pytest.mark.parametrize("wire", MODELS)
def test_output_that_was_streamed_is_not_said_twice(wire: str) -> None:
    ends = [event for event in translated(f"{wire}-tools") if isinstance(event, ToolEnd)]
    assert [(end.name, end.is_error) for end in ends] == [("bash", True), ("read", False), ("write", False)]
    assert ends[0].exit_code == 3


@pytest.mark.parametrize("wire", MODELS)
def test_usage_grows(wire: str) -> None:
    usage = [event.usage for event in translated(f"{wire}-tools") if isinstance(event, UsageUpdated)]
    assert [(each.model_calls, each.total_tokens) for each in usage] == [(1, 120), (2, 240), (3, 360)]


@pytest.mark.parametrize("case", ["plan", "question", "todos"])
def test_what_shows_itself_is_no_tool_call(case: str) -> None:
    started = [event.name for event in translated(f"anthropic-{case}") if isinstance(event, ToolStart)]
    assert not HIDDEN & set(started)


def _said(events: list[Event | Unknown]) -> list[Event | Unknown]:
    """Pieces of one text count once."""
    pairs = zip(events, [None, *events], strict=False)
    return [event for event, before in pairs if not (isinstance(event, MessageDelta) and type(before) is type(event))]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
parts = st.fixed_dictionaries(
    {"part_kind": st.sampled_from(["text", "thinking", "tool-call", "tool-return", "other"])},
    optional={
        "content": st.text(max_size=4) | json_values,
        "tool_name": st.sampled_from(["bash", "todo"]) | json_values,
        "tool_call_id": st.sampled_from(["a", "b"]) | json_values,
        "args": json_values,
        "outcome": st.sampled_from(["success", "failed"]) | json_values,
    },
)
messages = st.fixed_dictionaries(
    {"event_kind": st.sampled_from(KINDS) | st.text(max_size=8)},
    optional={
        "part": parts | json_values,
        "index": json_values,
        "delta": st.fixed_dictionaries({"part_delta_kind": st.just("text"), "content_delta": json_values}),
        "tool_name": st.sampled_from(["bash", "todo"]),
        "tool_call_id": st.sampled_from(["a", "b"]) | json_values,
        "text": json_values,
        "diffs": json_values,
        "exit_code": json_values,
        "duration_ms": json_values,
        "usage": json_values,
        "todos": json_values,
        "message": json_values,
        "output": json_values,
    },
)


@given(st.lists(messages | json_values, max_size=12))
def test_whatever_comes_becomes_sound_events(said: list[Any]) -> None:
    translator = Translator({"bash": "execute"}, HIDDEN)
    events = [event for message in said for event in translator.translate(message)]
    for event in [*events, *translator.finish()]:
        assert isinstance(event, Unknown) or type(event) in EVENT_CLASSES.values()
        assert isinstance(event, Unknown) or not isinstance(sound(event), Unknown)
    assert translator.finish() == []
