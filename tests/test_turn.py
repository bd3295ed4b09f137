"""A turn settles exactly once, whatever its session does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.turns import OneTurn, Ticking

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.errors import AdapterProcessError, ApprovalConflict, NbHarnessError, RateLimited, UnknownApproval
from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    MessageDelta,
    MessageUser,
    Notice,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
)
from nbharness.inputs import Abort, ApprovalDecision, Message, ToolResponse


async def never() -> None:
    await asyncio.Event().wait()


async def answer(_request: TurnRequest, port: TurnPort) -> None:
    port.emit(MessageDelta(delta="hel"))
    port.emit(MessageDelta(delta="lo"))
    port.emit(TurnCompleted(response="hello"))


async def ask(_request: TurnRequest, port: TurnPort) -> None:
    port.emit(ToolStart(id="x", name="bash", args={"command": "ls"}))
    decision = await port.ask(ApprovalRequest(tool_name="bash", args={"command": "ls"}, tool_call_id="x"))
    port.emit(ToolEnd(id="x", name="bash", output=str(decision.args), is_error=not decision.approved, duration_ms=1))
    port.emit(TurnCompleted(response=decision.status))


async def test_a_completed_turn() -> None:
    turn = OneTurn(answer)
    result = await turn.run()
    assert result.status == "completed"
    assert result.output.text == "hello"
    assert result.session_id == "s1"
    assert result.error is None
    assert turn.types() == ["turn.started", "message.delta", "turn.completed"]
    assert [envelope.seq for envelope in turn.feed.since()] == [0, 1, 2]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AdapterProcessError("died"), "agent_exited"),
        (RateLimited("later", 7), "rate_limited"),
        (KeyError("x"), "sdk_error"),
    ],
)
async def test_what_an_adapter_raises_fails_the_turn(error: Exception, code: str) -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(ToolStart(id="x", name="bash", args={}))
        raise error

    turn = OneTurn(script)
    result = await turn.run()
    assert (result.status, result.error and result.error.code) == ("error", code)
    assert turn.types() == ["turn.started", "tool.start", "tool.end", "turn.failed"]
    if isinstance(error, RateLimited):
        assert result.error is not None
        assert result.error.retry_after == 7


async def test_returning_without_an_end_is_a_protocol_failure() -> None:
    async def script(_request: TurnRequest, _port: TurnPort) -> None:
        return

    result = await OneTurn(script).run()
    assert result.error is not None
    assert result.error.code == "protocol"


async def test_only_the_first_end_counts() -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(TurnFailed(error="no", code="auth"))
        port.emit(TurnCompleted(response="yes"))
        port.emit(MessageDelta(delta="late"))

    turn = OneTurn(script)
    result = await turn.run()
    assert result.status == "error"
    assert turn.types() == ["turn.started", "turn.failed"]


async def test_an_approval_waits_and_its_answer_arrives() -> None:
    turn = OneTurn(ask)
    turn.begin()
    required = await turn.until("approval.required")
    assert isinstance(required, ApprovalRequired)
    assert "approval.updated" not in turn.types()
    turn.turn.send(ApprovalDecision(id=required.id, decision="approve", args_hash=required.args_hash), "user")
    result = await turn.settled()
    assert result.output.text == "approved"
    assert turn.types().count("approval.updated") == 1


async def test_edited_arguments_reach_the_session() -> None:
    turn = OneTurn(ask)
    turn.begin()
    required = await turn.until("approval.required")
    assert isinstance(required, ApprovalRequired)
    turn.turn.send(ApprovalDecision(id=required.id, decision="approve", args={"command": "pwd"}), "user")
    await turn.settled()
    end = await turn.until("tool.end")
    assert isinstance(end, ToolEnd)
    assert end.output == "{'command': 'pwd'}"


async def test_a_tool_response_answers_the_approval_of_its_call() -> None:
    turn = OneTurn(ask)
    turn.begin()
    await turn.until("approval.required")
    turn.turn.send(ToolResponse(call_id="x", approved=False), "code")
    assert (await turn.settled()).output.text == "rejected"


async def test_first_answer_wins_and_another_is_told() -> None:
    turn = OneTurn(ask)
    turn.begin()
    required = await turn.until("approval.required")
    assert isinstance(required, ApprovalRequired)
    yes = ApprovalDecision(id=required.id, decision="approve")
    turn.turn.send(yes, "user")
    turn.turn.send(yes, "user")
    with pytest.raises(ApprovalConflict, match="already approved"):
        turn.turn.send(ApprovalDecision(id=required.id, decision="reject"), "user")
    with pytest.raises(UnknownApproval, match="a9"):
        turn.turn.send(ApprovalDecision(id="a9", decision="reject"), "user")
    await turn.settled()


async def test_reject_and_stop_aborts() -> None:
    turn = OneTurn(ask)
    turn.begin()
    required = await turn.until("approval.required")
    assert isinstance(required, ApprovalRequired)
    turn.turn.send(ApprovalDecision(id=required.id, decision="reject", stop=True), "user")
    result = await turn.settled()
    assert result.status == "aborted"


async def test_abort_while_an_approval_waits_cancels_it() -> None:
    turn = OneTurn(ask)
    turn.begin()
    await turn.until("approval.required")
    turn.turn.send(Abort(), "user")
    turn.turn.send(Abort(), "user")
    result = await turn.settled()
    assert result.status == "aborted"
    assert result.error is not None
    assert result.error.message == "stopped by you"
    assert turn.types()[-3:] == ["approval.updated", "tool.end", "turn.aborted"]
    updated = await turn.until("approval.updated")
    assert isinstance(updated, ApprovalUpdated)
    assert updated.status == "cancelled"


async def test_abort_before_the_start() -> None:
    turn = OneTurn(answer)
    turn.turn.send(Abort(), "code")
    result = await turn.run()
    assert result.status == "aborted"
    assert turn.types() == ["turn.started", "turn.aborted"]


async def test_the_session_is_cancelled_on_abort() -> None:
    cleaned: list[str] = []

    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(MessageDelta(delta="x"))
        try:
            await never()
        finally:
            cleaned.append("yes")
            port.emit(MessageDelta(delta="too late"))

    turn = OneTurn(script)
    turn.begin()
    await turn.until("message.delta")
    turn.turn.send(Abort(), "user")
    await turn.settled()
    assert cleaned == ["yes"]
    assert turn.types() == ["turn.started", "message.delta", "turn.aborted"]


async def test_the_timeout_stands_still_while_a_person_is_asked() -> None:
    clock = Ticking()

    async def script(request: TurnRequest, port: TurnPort) -> None:
        await ask(request, port)

    turn = OneTurn(script, clock=clock, timeout_s=5)
    turn.begin()
    required = await turn.until("approval.required")
    clock.time += 3600
    assert isinstance(required, ApprovalRequired)
    turn.turn.send(ApprovalDecision(id=required.id, decision="approve"), "user")
    assert (await turn.settled()).status == "completed"


async def test_the_timeout_ends_a_turn_that_works_too_long() -> None:
    async def script(_request: TurnRequest, _port: TurnPort) -> None:
        await never()

    result = await OneTurn(script, timeout_s=0.05).run()
    assert result.status == "max_duration"
    assert result.error is not None
    assert result.error.code == "timeout"


async def test_messages_are_taken_or_said_to_be_left() -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(MessageDelta(delta="x"))
        message = await port.next_message()
        port.emit(TurnCompleted(response=message.text))

    turn = OneTurn(script)
    turn.begin()
    await turn.until("message.delta")
    turn.turn.send(Message(text="one"), "user")
    turn.turn.send(Message(text="two"), "user")
    result = await turn.settled()
    assert result.output.text == "one"
    assert await turn.until("message.user") == MessageUser(text="one")
    notice = await turn.until("notice")
    assert isinstance(notice, Notice)
    assert "two" in notice.message
    with pytest.raises(NbHarnessError, match="has ended"):
        turn.turn.send(Message(text="three"), "user")


async def test_the_order_that_readers_rely_on() -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(ToolDelta(id="a", name="bash", partial="no start"))
        port.emit(ToolEnd(id="a", name="", output="", is_error=False, duration_ms=None))
        port.emit(ToolEnd(id="a", name="bash", output="twice", is_error=False, duration_ms=None))
        port.emit(ToolStart(id="b", name="read", args={}))
        port.emit(ToolStart(id="b", name="read", args={}))
        port.emit(TurnCompleted(response=None))

    turn = OneTurn(script)
    await turn.run()
    assert turn.types() == [
        "turn.started", "tool.start", "tool.delta", "tool.end", "tool.start", "tool.end", "turn.completed"
    ]  # fmt: skip
    last = turn.feed.since()[-2].event
    assert isinstance(last, ToolEnd)
    assert last.synthetic is True


async def test_what_is_durable_is_committed_before_it_is_seen() -> None:
    log: list[tuple[str, str]] = []

    class SlowJournal:
        async def append(self, _turn_id: str, envelopes: Any) -> None:
            log.extend(("append", envelope.type) for envelope in envelopes)

        async def commit(self, _turn_id: str, envelopes: Any) -> None:
            await asyncio.sleep(0)
            assert not {envelope.type for envelope in envelopes} & set(turn.types()) - {"message.delta"}
            log.extend(("commit", envelope.type) for envelope in envelopes)

    turn = OneTurn(ask, journal=SlowJournal())
    turn.begin()
    required = await turn.until("approval.required")
    assert ("commit", "approval.required") in log
    assert isinstance(required, ApprovalRequired)
    turn.turn.send(ApprovalDecision(id=required.id, decision="approve"), "user")
    await turn.settled()
    assert [kind for kind, name in log if name == "turn.completed"] == ["commit"]
    assert len(log) == len(turn.types())
