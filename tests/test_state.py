from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import beside, cases, check, read_envelopes, stamp, state_text
from support.strategies import events, tame_text, thorough

from nbharness.events import (
    Envelope,
    Event,
    MessageDelta,
    MessageThinking,
    ToolDelta,
    ToolStart,
    TurnCompleted,
    TurnStarted,
    Unknown,
)
from nbharness.state import MessageItem, ToolItem, TurnState, fold, fold_all

# Texts of one letter and few kinds of event, so that deltas meet deltas.
_deltas = st.one_of(
    st.builds(MessageDelta, delta=tame_text, message_id=st.sampled_from(["a", "b", msgspec.UNSET])),
    st.builds(MessageThinking, delta=tame_text, parent_id=st.sampled_from(["t", msgspec.UNSET])),
    st.builds(ToolDelta, id=st.sampled_from(["a", "b"]), name=st.just("bash"), partial=tame_text),
)
turns = st.lists(events() | _deltas | st.builds(Unknown, tame_text, st.none()), max_size=20)


@pytest.mark.parametrize("file", cases(".events.jsonl"))
def test_golden_events_to_state(file: Path) -> None:
    check(beside(file, ".state.json"), state_text(fold_all(read_envelopes(file))))


@thorough
@given(turns, st.data())
def test_any_prefix_and_the_rest_fold_into_the_same_state(turn: list[Event | Unknown], data: st.DataObject) -> None:
    envelopes = stamp(turn)
    cut = data.draw(st.integers(0, len(envelopes)))
    whole = fold_all(envelopes)
    prefix = fold_all(envelopes[:cut])
    before = state_text(prefix)
    assert fold_all(envelopes[cut:], prefix) == whole
    assert state_text(prefix) == before, "folding on changed the state it began from"


@thorough
@given(turns)
def test_one_by_one_is_all_at_once(turn: list[Event | Unknown]) -> None:
    state = TurnState()
    for envelope in stamp(turn):
        state = fold(state, envelope)
    assert state == fold_all(stamp(turn))


@thorough
@given(turns)
def test_an_envelope_that_comes_again_changes_nothing(turn: list[Event | Unknown]) -> None:
    envelopes = stamp(turn)
    state = fold_all(envelopes)
    assert fold_all(envelopes, state) == state


@thorough
@given(turns)
def test_joining_deltas_that_follow_each_other_changes_only_the_count(turn: list[Event | Unknown]) -> None:
    alone = fold_all(at_once(turn))
    together = fold_all(at_once(joined(turn)))
    assert msgspec.structs.replace(alone, last_seq=0) == msgspec.structs.replace(together, last_seq=0)


@thorough
@given(turns)
def test_a_state_survives_json(turn: list[Event | Unknown]) -> None:
    state = fold_all(stamp(turn))
    assert msgspec.json.decode(msgspec.json.encode(state), type=TurnState) == state


def at_once(turn: list[Event | Unknown]) -> list[Envelope]:
    return [msgspec.structs.replace(envelope, at=0.0) for envelope in stamp(turn)]


def joined(turn: list[Event | Unknown]) -> list[Event | Unknown]:
    """The turn with deltas of the same message, thinking or tool call put together."""
    out: list[Event | Unknown] = []
    for event in turn:
        match (out[-1] if out else None, event):
            case MessageDelta() as last, MessageDelta() if (last.message_id, last.parent_id) == (
                event.message_id,
                event.parent_id,
            ):
                out[-1] = msgspec.structs.replace(last, delta=last.delta + event.delta)
            case MessageThinking() as last, MessageThinking() if last.parent_id == event.parent_id:
                out[-1] = msgspec.structs.replace(last, delta=last.delta + event.delta)
            case ToolDelta() as last, ToolDelta() if last.id == event.id:
                out[-1] = msgspec.structs.replace(last, partial=last.partial + event.partial)
            case _:
                out.append(event)
    return out


def test_an_empty_state_waits() -> None:
    assert fold_all([]) == TurnState()
    assert (TurnState().status, TurnState().last_seq, TurnState().items) == ("waiting", -1, [])


def test_a_long_turn_folds_completely() -> None:
    body: list[Event | Unknown] = [ToolStart(id="t", name="bash", args=None)]
    for number in range(5000):
        body += [MessageDelta(delta=f"{number} "), ToolDelta(id="t", name="bash", partial=f"{number}\n")]
    state = fold_all(stamp([TurnStarted(), *body, TurnCompleted(response="done")]))
    tool, *messages = state.items
    assert isinstance(tool, ToolItem)
    assert tool.stream == "".join(f"{number}\n" for number in range(5000))
    assert [message.text for message in messages if isinstance(message, MessageItem)] == [
        "".join(f"{number} " for number in range(5000))
    ]
