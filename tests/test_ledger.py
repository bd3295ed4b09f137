"""Whatever order an agent sends, readers get the order they rely on; joining deltas changes no state."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from support.turns import OneTurn

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.events import (
    Envelope,
    Event,
    MessageDelta,
    MessageThinking,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnStarted,
    Unknown,
)
from nbharness.ledger import Ledger
from nbharness.state import fold_all

ids = st.sampled_from(["a", "b", "c"])
wild = st.lists(
    st.one_of(
        st.builds(ToolStart, id=ids, name=st.just("bash"), args=st.none()),
        st.builds(ToolDelta, id=ids, name=st.just("bash"), partial=st.text(max_size=3)),
        st.builds(
            ToolEnd, id=ids, name=st.just("bash"), output=st.none(), is_error=st.booleans(), duration_ms=st.none()
        ),
        st.builds(MessageDelta, delta=st.text(max_size=3), message_id=ids),
        st.builds(MessageThinking, delta=st.text(max_size=3)),
        st.builds(TurnStarted),
        st.builds(Unknown, ids, st.none()),
    ),
    max_size=40,
)


@given(wild)
def test_tools_start_once_end_once_and_nothing_comes_outside(events: list[Event | Unknown]) -> None:
    ledger = Ledger()
    admitted: list[Event | Unknown] = [event for given in events for event in ledger.admit(given)]
    admitted += ledger.close()
    running: set[str] = set()
    starts: Counter[str] = Counter()
    for event in admitted:
        match event:
            case ToolStart():
                running.add(event.id)
                starts[event.id] += 1
            case ToolDelta():
                assert event.id in running
            case ToolEnd():
                running.remove(event.id)
    assert not running
    assert all(count == 1 for count in starts.values())
    assert ledger.close() == []
    assert sum(isinstance(event, TurnStarted) for event in admitted) <= 1


@settings(max_examples=40)
@given(wild)
async def test_the_feed_says_the_same_with_fewer_rows(events: list[Event | Unknown]) -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        for event in events:
            port.emit(event)
        port.emit(TurnCompleted(response=None))

    turn = OneTurn(script)
    await turn.run()
    ledger = Ledger()
    single: list[Event | Unknown] = []
    for event in [TurnStarted(prompt="do it"), *events]:
        single += ledger.admit(event)
    single += [*ledger.close(), TurnCompleted(response=None)]
    written = turn.feed.since()
    assert len(written) <= len(single)
    expected = fold_all([Envelope(seq, "t1", 0.0, event) for seq, event in enumerate(single)])
    actual = fold_all([Envelope(envelope.seq, "t1", 0.0, envelope.event) for envelope in written])
    assert actual.items == expected.items
    assert [envelope.seq for envelope in written] == list(range(len(written)))
