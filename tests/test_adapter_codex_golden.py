"""What the real Codex says, as events: recorded with ``tests/tools/record_codex.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import ROOT, beside, check, events_text, read_natives, stamp, state_text

from nbharness.adapters.codex.coalesce import coalesce
from nbharness.adapters.codex.translate import Translator
from nbharness.events import (
    EVENT_CLASSES,
    TERMINAL_EVENTS,
    Event,
    MessageDelta,
    TurnStarted,
    Unknown,
    UsageUpdated,
    sound,
)
from nbharness.ledger import Ledger
from nbharness.state import fold_all

CASES = sorted(path.name.removesuffix(".native.jsonl") for path in (ROOT / "codex").glob("*.native.jsonl"))
METHODS = sorted(Translator("", "")._readers)
FIELDS = ("text", "command", "cwd", "status", "summary", "server", "tool")
ITEMS = ("agentMessage", "commandExecution", "fileChange", "mcpToolCall", "reasoning", "webSearch", "plan", "madeUp")


def natives(case: str) -> list[Any]:
    return read_natives(ROOT / "codex" / f"{case}.native.jsonl")


def translated(case: str) -> list[Event | Unknown]:
    head, *messages = natives(case)
    translator = Translator(head["thread"], head["workspace"])
    told = [message for message in messages if "id" not in message]
    events = [event for message in told for event in translator.translate(message["method"], message["params"])]
    last = [event for event in events if isinstance(event, TERMINAL_EVENTS)][-1]
    kept = [event for event in events if event is last or not isinstance(event, TERMINAL_EVENTS)]
    return coalesce([*kept[:-1], *translator.finish(), kept[-1]])


@pytest.mark.parametrize("case", CASES)
def test_turn_is_translated_as_recorded(case: str) -> None:
    ledger = Ledger()
    events = [TurnStarted(prompt=case, agent="codex"), *translated(case)]
    admitted = [kept for event in events for kept in ledger.admit(event)]
    envelopes = stamp(admitted)
    file = ROOT / "codex" / f"{case}.events.jsonl"
    check(file, events_text(envelopes))
    check(beside(file, ".state.json"), state_text(fold_all(envelopes)))


@pytest.mark.parametrize("case", CASES)
def test_recording_names_the_version_and_nothing_of_the_machine(case: str) -> None:
    text = (ROOT / "codex" / f"{case}.native.jsonl").read_text()
    assert natives(case)[0]["version"] == "0.163.0"
    assert "/tmp" not in text  # noqa: S108 (that is the point)
    assert str(Path.home()) not in text


def test_all_that_was_recorded_is_known() -> None:
    assert [event for case in CASES for event in translated(case) if isinstance(event, Unknown)] == []


def test_text_is_told_once() -> None:
    said = [event.delta for event in translated("write") if isinstance(event, MessageDelta)]
    assert said == ["I write it.", "All done."]


def test_message_that_begins_anew_is_another_one() -> None:
    ids = [event.message_id for event in translated("cut") if isinstance(event, MessageDelta)]
    assert len(ids) == len(set(ids)) == 2


def test_full_context_is_no_tokens_spent() -> None:
    usage = [event.usage for event in translated("compacted") if isinstance(event, UsageUpdated)][-1]
    assert (usage.total_tokens, usage.model_calls, usage.context_window) == (240, 2, 258_400)


def test_tokens_of_turns_before_are_not_counted() -> None:
    (usage,) = [event.usage for event in translated("resumed") if isinstance(event, UsageUpdated)]
    assert usage.total_tokens == 120


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
items = st.fixed_dictionaries(
    {"type": st.sampled_from(ITEMS), "id": st.sampled_from(["a", "b"]) | json_values},
    optional=dict.fromkeys((*FIELDS, "changes", "arguments", "result"), json_values),
)
params = json_values | st.fixed_dictionaries(
    {"threadId": st.sampled_from(["main", "other"])},
    optional={
        "item": items | json_values,
        "itemId": st.sampled_from(["a", "b"]),
        "delta": st.text(max_size=4) | json_values,
        "turn": st.fixed_dictionaries({"id": st.just("t"), "status": st.text(max_size=9)}) | json_values,
        "error": st.fixed_dictionaries({"message": st.text(max_size=9)}, optional={"codexErrorInfo": json_values}),
        "willRetry": st.booleans(),
        "plan": json_values,
        "tokenUsage": json_values,
    },
)


@given(st.lists(st.tuples(st.sampled_from(METHODS) | st.text(max_size=20), params), max_size=12))
def test_whatever_comes_becomes_sound_events(messages: list[tuple[str, Any]]) -> None:
    translator = Translator("main", "/workspace")
    said = [event for method, told in messages for event in translator.translate(method, told)]
    for event in coalesce([*said, *translator.finish()]):
        assert isinstance(event, Unknown) or type(event) in EVENT_CLASSES.values()
        assert isinstance(event, Unknown) or not isinstance(sound(event), Unknown)
    assert translator.finish() == []
