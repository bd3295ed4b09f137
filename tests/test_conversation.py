"""A conversation goes on after whatever one session does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.turns import OneTurn, Script, ScriptedSession

from nbharness import conversation as conversation_module
from nbharness import turn_agent
from nbharness.adapters.base import AgentSession, AgentStatus, Capabilities, TurnPort, TurnRequest
from nbharness.conversation import Conversation
from nbharness.errors import StoreError
from nbharness.events import MessageDelta, TurnCompleted
from nbharness.results import CodingResult
from nbharness.tasks import TaskOwner


async def never() -> None:
    await asyncio.Event().wait()


class Adapter:
    """Opens scripted sessions that close as a test says.

    Attributes:
        opened: Session ids that were asked for, one for each session.
    """

    name = "scripted"
    capabilities = Capabilities(resume=True)

    def __init__(self, script: Script, close: Any = None, session_id: Any = "s1") -> None:
        self.opened: list[str | None] = []
        self._script, self._close, self._session_id = script, close, session_id

    unasked = ()

    def status(self) -> AgentStatus:
        return AgentStatus(installed=True)

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> AgentSession:
        del workspace, fork
        self.opened.append(session_id)
        session = ScriptedSession(self._script)
        session.session_id = self._session_id
        if self._close is not None:
            session.close = self._close  # type: ignore[method-assign]
        return session


class Keeper:
    """Notes what it is told, or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.begun = 0
        self.statuses: list[str] = []
        self._error = error

    async def begin(self) -> None:
        self.begun += 1
        if self._error is not None:
            raise self._error

    async def end(self, result: CodingResult) -> None:
        self.statuses.append(result.status)


def talk(adapter: Adapter) -> tuple[Conversation, list[str]]:
    sessions: list[str] = []

    async def on_session(session_id: str) -> None:
        sessions.append(session_id)

    conversation = Conversation(
        id="c1",
        adapter=adapter,
        workspace=Path.cwd(),
        session_id=None,
        spawn=TaskOwner(),
        on_session=on_session,
    )
    return conversation, sessions


def given(conversation: Conversation, keeper: Keeper | None = None) -> OneTurn:
    turn = OneTurn(completes, open_session=conversation.open_session)
    conversation.enqueue(turn.turn, keeper or Keeper())
    return turn


async def result_of(turn: OneTurn) -> CodingResult:
    return await asyncio.wait_for(asyncio.wrap_future(turn.turn.outcome), 10)


async def completes(_request: TurnRequest, port: TurnPort) -> None:
    port.emit(TurnCompleted(response="done"))


async def fails(_request: TurnRequest, _port: TurnPort) -> None:
    raise RuntimeError("no")


async def waits(_request: TurnRequest, port: TurnPort) -> None:
    port.emit(MessageDelta(delta="x"))
    await never()


async def _raise() -> None:
    raise RuntimeError("does not close")


@pytest.mark.parametrize("close", [_raise, never])
async def test_a_session_that_does_not_close_is_left(close: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation_module, "_CLOSE_S", 0.05)
    adapter = Adapter(fails, close)
    conversation, _ = talk(adapter)
    for _ in range(2):
        assert (await result_of(given(conversation))).status == "error"
    assert adapter.opened == [None, "s1"]
    await conversation.close(0.05)


@pytest.mark.parametrize(("session_id", "noted"), [("\ud800", ["\ufffd"]), (5, []), (None, []), ("", [])])
async def test_an_id_that_is_no_text_is_none(session_id: Any, noted: list[str]) -> None:
    conversation, sessions = talk(Adapter(completes, session_id=session_id))
    await result_of(given(conversation))
    await conversation.close(1)
    assert sessions == noted


async def test_a_turn_stopped_in_the_queue_settles_at_once() -> None:
    conversation, _ = talk(Adapter(waits))
    keeper = Keeper()
    first = given(conversation)
    second, third = given(conversation, keeper), given(conversation)
    await first.until("message.delta")
    second.turn.abort("aborted", "not needed any more")
    assert (await result_of(second)).status == "aborted"
    assert not first.turn.ended
    assert keeper.statuses == ["aborted"]
    first.turn.abort("aborted", "")
    await third.until("message.delta")
    third.turn.abort("aborted", "")
    await conversation.close(1)


async def test_closing_does_not_wait_for_an_agent_that_does_not_stop() -> None:
    stop = False

    async def stubborn(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(MessageDelta(delta="x"))
        while not stop:
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                continue

    conversation, _ = talk(Adapter(stubborn))
    first, second = given(conversation), given(conversation)
    await first.until("message.delta")
    first.turn.abort("interrupted", "the end")
    second.turn.abort("interrupted", "the end")
    await asyncio.wait_for(conversation.close(0.05), 2)
    assert (await result_of(first)).status == (await result_of(second)).status == "aborted"
    assert first.types()[-1] == second.types()[-1] == "turn.aborted"
    stop = True


async def test_a_session_whose_turn_would_not_stop_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_agent, "_STOP_GRACE_S", 0.05)
    turns, release = 0, asyncio.Event()

    async def stubborn_once(_request: TurnRequest, port: TurnPort) -> None:
        nonlocal turns
        turns += 1
        port.emit(MessageDelta(delta="x"))
        while turns == 1 and not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        port.emit(TurnCompleted(response="done"))

    adapter = Adapter(stubborn_once)
    conversation, _ = talk(adapter)
    first = given(conversation)
    await first.until("message.delta")
    first.turn.abort("aborted", "")
    await result_of(first)
    assert (await result_of(given(conversation))).status == "completed"
    assert adapter.opened == [None, "s1"]
    release.set()
    await conversation.close(1)


async def test_no_turn_hangs_when_one_cannot_be_kept() -> None:
    conversation, _ = talk(Adapter(completes))
    keeper = Keeper()
    lost, next_ = given(conversation, Keeper(StoreError("broken"))), given(conversation, keeper)
    for turn in (lost, next_):
        assert (await result_of(turn)).status == "aborted"
    assert (await result_of(given(conversation))).status == "completed"
    assert keeper.begun == 0
