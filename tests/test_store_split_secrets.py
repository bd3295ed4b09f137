"""A secret that was streamed in pieces is not stored whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.golden import stamp

from nbharness.events import Event, MessageDelta, MessageThinking, Notice, ToolDelta, ToolStart, TurnCompleted
from nbharness.redact import Redactor
from nbharness.state import fold_all
from nbharness.store import Store, TurnRecord

VALUE = "correct-horse-battery-77"
REDACTOR = Redactor.from_environment({"MY_API_KEY": VALUE})


@pytest.mark.parametrize(
    "events",
    [
        [MessageDelta(delta="key is correct-horse-"), MessageDelta(delta="battery-77 ok")],
        [MessageThinking(delta="correct-ho"), MessageThinking(delta="rse-batt"), MessageThinking(delta="ery-77")],
        [
            ToolStart(id="x", name="bash", args={}),
            ToolDelta(id="x", name="bash", partial="env: correct-horse"),
            Notice(message="between"),
            ToolDelta(id="x", name="bash", partial="-battery-77\n"),
        ],
    ],
)
async def test_a_secret_across_rows_is_masked_when_the_turn_ends(events: list[Event], tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "store.db", redactor=REDACTOR.redact)
    conversation = await store.create_conversation("demo", "/w")
    envelopes = stamp([*events, TurnCompleted(response=None)])
    await store.begin_turn(TurnRecord(id="turn", conversation_id=conversation.id, prompt="x", agent="demo"))
    await store.commit("turn", envelopes)
    await store.end_turn("turn", "completed", "{}")
    kept = await store.events("turn")
    await store.close()
    assert [envelope.seq for envelope in kept] == [envelope.seq for envelope in envelopes]
    assert [envelope.type for envelope in kept] == [envelope.type for envelope in envelopes]
    text = str(fold_all(kept).items)
    assert VALUE not in text
    assert REDACTOR.redact(VALUE) in text


async def test_what_holds_no_secret_is_left_alone(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "store.db", redactor=REDACTOR.redact)
    conversation = await store.create_conversation("demo", "/w")
    envelopes = stamp([MessageDelta(delta="a"), MessageDelta(delta="b"), TurnCompleted(response=None)])
    await store.begin_turn(TurnRecord(id="turn", conversation_id=conversation.id, prompt="x", agent="demo"))
    await store.commit("turn", envelopes)
    await store.end_turn("turn", "completed", "{}")
    assert await store.events("turn") == envelopes
    await store.close()
