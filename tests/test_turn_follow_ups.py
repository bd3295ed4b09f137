"""Messages during a turn: for now, for afterwards, and taken back."""

from __future__ import annotations

import pytest
from support.turns import OneTurn

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.errors import NbHarnessError, NotSupported
from nbharness.events import (
    MessageDelta,
    MessageQueued,
    MessageUser,
    MessageWithdrawn,
    TurnCompleted,
    TurnFailed,
    Usage,
    UsageUpdated,
)
from nbharness.inputs import Abort, Message, Withdraw


class Talker:
    """Answers each task once it is let go on, and says what it cost."""

    def __init__(self) -> None:
        self.tasks: list[str] = []

    async def __call__(self, request: TurnRequest, port: TurnPort) -> None:
        self.tasks.append(request.task)
        port.emit(MessageDelta(delta=f"answer {len(self.tasks)}"))
        if len(self.tasks) == 1:
            await port.next_message()
        port.emit(UsageUpdated(usage=Usage(input_tokens=10, cost_usd=0.5)))
        port.emit(TurnCompleted(response=f"answer {len(self.tasks)}", usage=Usage(input_tokens=10, cost_usd=0.5)))
        port.emit(MessageDelta(delta="too late"))


async def begun(**options: object) -> tuple[OneTurn, Talker]:
    talker = Talker()
    turn = OneTurn(talker, **options)  # type: ignore[arg-type]
    turn.begin()
    await turn.until("message.delta")
    return turn, talker


def say(turn: OneTurn, text: str, when: str = "after") -> None:
    turn.turn.send(Message(text=text, when=when), "user")  # type: ignore[arg-type]


async def test_queued_messages_are_answered_in_the_same_turn() -> None:
    turn, talker = await begun()
    say(turn, "and then this")
    say(turn, "and that")
    say(turn, "go on", "now")
    result = await turn.settled()
    assert talker.tasks == ["do it", "and then this", "and that"]
    assert (result.status, result.output.text) == ("completed", "answer 3")
    assert [(event.id, event.text) for event in turn.all(MessageQueued)] == [
        ("m1", "and then this"),
        ("m2", "and that"),
    ]
    assert [event.text for event in turn.all(MessageUser)] == ["go on", "and then this", "and that"]
    assert "too late" not in "".join(event.delta for event in turn.all(MessageDelta))
    assert len([type_ for type_ in turn.types() if type_ == "turn.completed"]) == 1


async def test_usage_is_that_of_the_whole_turn() -> None:
    turn, _talker = await begun()
    say(turn, "more")
    say(turn, "go on", "now")
    result = await turn.settled()
    assert [event.usage.input_tokens for event in turn.all(UsageUpdated)] == [10, 20]
    assert result.usage == Usage(input_tokens=20, cost_usd=1.0)


async def test_a_queued_message_is_taken_back() -> None:
    turn, talker = await begun()
    say(turn, "no, wait")
    turn.turn.send(Withdraw(id="m1"), "user")
    with pytest.raises(NbHarnessError, match=r"'m1' is queued in this turn\. Queued: nothing"):
        turn.turn.send(Withdraw(id="m1"), "user")
    say(turn, "go on", "now")
    assert (await turn.settled()).status == "completed"
    assert talker.tasks == ["do it"]
    assert turn.all(MessageWithdrawn) == [MessageWithdrawn(id="m1")]


async def test_what_is_queued_when_a_turn_is_stopped_is_withdrawn() -> None:
    turn, talker = await begun()
    say(turn, "later")
    turn.turn.send(Abort(), "user")
    assert (await turn.settled()).status == "aborted"
    assert talker.tasks == ["do it"]
    assert turn.all(MessageWithdrawn) == [MessageWithdrawn(id="m1")]
    assert turn.types()[-1] == "turn.aborted"


async def test_a_failure_ends_the_turn_and_not_only_the_answer() -> None:
    async def fails(_request: TurnRequest, port: TurnPort) -> None:
        await port.next_message()
        port.emit(TurnFailed(error="no more", code="rate_limited"))

    turn = OneTurn(fails)
    turn.begin()
    await turn.until("turn.started")
    say(turn, "later")
    say(turn, "go on", "now")
    assert (await turn.settled()).status == "error"
    assert turn.all(MessageWithdrawn) == [MessageWithdrawn(id="m1")]


async def test_an_agent_that_takes_no_message_while_it_works_takes_one_afterwards() -> None:
    talker = Talker()

    async def deaf(request: TurnRequest, port: TurnPort) -> None:
        if not talker.tasks:
            say(turn, "afterwards")
            with pytest.raises(NotSupported, match="messages while it works: send it with when='after'"):
                say(turn, "now", "now")
        talker.tasks.append(request.task)
        port.emit(TurnCompleted(response="done"))

    turn = OneTurn(deaf, capabilities=["approvals"])
    assert (await turn.run()).status == "completed"
    assert talker.tasks == ["do it", "afterwards"]
    with pytest.raises(NbHarnessError, match="has ended"):
        say(turn, "too late")
