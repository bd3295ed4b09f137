"""A saved transcript replays: its envelopes fold to the turn that was saved."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from support.golden import cases, read_envelopes
from support.transcripts import call, state, whole_turn

from nbharness.events import MessageThinking, ToolEnd, ToolStart, TurnCompleted
from nbharness.ledger import Ledger
from nbharness.state import ThinkingItem, TurnState, fold_all
from nbharness.transcript import TRANSCRIPT_MIME, read_transcript, transcript_bundle, unfold


def same(turn: TurnState) -> TurnState:
    """The turn without what a replay numbers anew."""
    return replace(turn, last_seq=0)


@pytest.mark.parametrize("file", cases(".events.jsonl"))
def test_unfolding_is_the_opposite_of_folding(file: Path) -> None:
    turn = fold_all(read_envelopes(file))
    if turn.started_at is None:
        assert unfold(turn) == []
        return
    again = fold_all(unfold(turn))
    # Ends and answers before the turn's first event have no place of their own in a replay.
    assert [item.kind for item in again.items] == [item.kind for item in turn.items]
    if "out-of-order" not in file.name:
        assert same(again) == same(turn)


def test_the_whole_turn_unfolds_in_a_valid_order() -> None:
    turn = state(*whole_turn())
    envelopes = unfold(turn)
    assert same(fold_all(envelopes)) == same(turn)
    assert [envelope.seq for envelope in envelopes] == list(range(len(envelopes)))
    assert all(one.at <= two.at for one, two in itertools.pairwise(envelopes))
    ledger = Ledger()
    assert all(ledger.admit(envelope.event) == [envelope.event] for envelope in envelopes)
    assert ledger.close() == []


def test_a_replay_ends_a_call_before_what_came_next() -> None:
    turn = state(
        *call("t1", "Bash", {"command": "a"}), *call("t2", "Bash", {"command": "b"}), TurnCompleted(response=None)
    )
    tools = [envelope.event for envelope in unfold(turn) if isinstance(envelope.event, ToolStart | ToolEnd)]
    assert [event.id for event in tools] == ["t1", "t1", "t2", "t2"]


def test_calls_that_ran_at_once_do_so_again() -> None:
    start = [ToolStart(id=id_, name="Bash", args={}) for id_ in ("t1", "t2")]
    ends = [ToolEnd(id=id_, name="Bash", output=id_, is_error=False, duration_ms=1) for id_ in ("t2", "t1")]
    turn = state(*start, 1.0, ends[0], 1.0, ends[1], TurnCompleted(response=None))
    tools = [envelope.event for envelope in unfold(turn) if isinstance(envelope.event, ToolStart | ToolEnd)]
    assert tools == [*start, *ends]


def test_what_is_saved_is_read_back_without_thinking() -> None:
    turn = state(*whole_turn(), MessageThinking(delta="late"))
    saved = transcript_bundle(turn)[TRANSCRIPT_MIME]
    on_disk = msgspec.json.decode(msgspec.json.encode(saved))
    spoken = [item for item in turn.items if not isinstance(item, ThinkingItem)]
    again = fold_all(read_transcript(on_disk))
    assert [item.kind for item in again.items] == [item.kind for item in spoken]
    assert (again.turn_id, again.prompt, again.usage) == (turn.turn_id, turn.prompt, turn.usage)
    assert on_disk["version"] == 1
    assert on_disk["turn"] == turn.turn_id
    assert on_disk["leftOut"] == {"bytes": 0, "items": 0}


@pytest.mark.parametrize("value", [None, [], {}, {"version": 2, "envelopes": []}, {"version": 1, "envelopes": "x"}])
def test_what_is_no_transcript_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not a transcript of version 1"):
        read_transcript(value)


def test_what_a_stranger_wrote_into_a_transcript_is_passed_over() -> None:
    odd = {
        "version": 1,
        "envelopes": [None, {"type": 3}, {"seq": 0, "turnId": "t", "at": 0, "type": "new.kind", "data": {}}],
    }
    assert [envelope.type for envelope in read_transcript(odd)] == ["new.kind"]
