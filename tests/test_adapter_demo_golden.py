"""Whole turns of the demo agent, pinned: what every reader of events (page, transcript, store) can expect."""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.golden import ROOT, beside, check, events_text, stamp, state_text
from support.port import approves, rejects, run_turn

from nbharness.adapters.demo import DemoAdapter
from nbharness.events import Event, MessageDelta, MessageThinking, SessionStarted, ToolDelta, ToolEnd, Unknown
from nbharness.sample import create_sample_project
from nbharness.state import fold_all

CASES: dict[str, dict[str, Any]] = {
    "main": {"task": "fix the failing test"},
    "rejected": {"task": "fix the failing test", "person": rejects},
    "nobody": {"task": "fix the failing test", "person": None},
    "plan": {"task": "fix the failing test", "plan_mode": True, "messages": ["also look at the refunds"]},
    "plan-rejected": {"task": "fix the failing test", "plan_mode": True, "person": rejects},
    "failure": {"task": "scenario: failure"},
    "long-output": {"task": "scenario: long output 150"},
    "many-tools": {"task": "scenario: many tools 5"},
    "malformed-event": {"task": "scenario: malformed event"},
}
MAX_BYTES = 32 * 1024
DELTA_CHARS = {MessageDelta: 80, MessageThinking: 80, ToolDelta: 2000}


@pytest.mark.parametrize("case", CASES)
async def test_turn_is_as_recorded(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path / "home"))
    shop = create_sample_project(tmp_path / "shop")
    port = await run_turn(DemoAdapter(0), shop, **{"person": approves, **CASES[case]})
    envelopes = stamp(map(steady, joined(port.events)))
    file = ROOT / "demo" / f"{case}.events.jsonl"
    check(file, events_text(envelopes))
    check(beside(file, ".state.json"), state_text(fold_all(envelopes)))
    assert file.stat().st_size < MAX_BYTES
    assert str(tmp_path) not in file.read_text()


def steady(event: Event | Unknown) -> Event | Unknown:
    """The event without what differs from run to run."""
    match event:
        case SessionStarted():
            return msgspec.structs.replace(event, session_id="demo-00000000")
        case ToolEnd():
            return msgspec.structs.replace(event, duration_ms=10)
        case _:
            return event


def joined(events: Iterable[Event | Unknown]) -> Iterator[Event | Unknown]:
    """Deltas that follow each other, joined and cut again in pieces of equal size.

    How a command's output is cut is chance; a file with a line a word is hard to read.
    """
    for (kind, _), group in itertools.groupby(events, lambda event: (type(event), identity(event))):
        first, *others = group
        field = "partial" if kind is ToolDelta else "delta"
        size = DELTA_CHARS.get(kind)
        if size is None:
            yield from (first, *others)
            continue
        text = "".join(getattr(event, field) for event in (first, *others))
        for at in range(0, len(text), size):
            yield msgspec.structs.replace(first, **{field: text[at : at + size]})


def identity(event: Event | Unknown) -> object:
    match event:
        case MessageDelta():
            return event.message_id
        case ToolDelta():
            return event.id
        case _:
            return None
