"""An adapter that is listened to: what it says is kept as it was said, before a turn puts it in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nbharness.adapters.base import Adapter, AgentSession, AgentStatus, Capabilities, TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest, Decision, PlanAnswer, QuestionReply
from nbharness.events import Event, Question, Unknown
from nbharness.inputs import Message

__all__ = ["WatchedAdapter"]


class WatchedAdapter:
    """The same adapter.

    Args:
        adapter: The one that is checked.

    Attributes:
        runs: What each run of a turn emitted, oldest run first.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self.runs: list[list[Event | Unknown]] = []

    @property
    def name(self) -> str:
        """Its name."""
        return self._adapter.name

    @property
    def capabilities(self) -> Capabilities:
        """What it declares."""
        return self._adapter.capabilities

    @property
    def unasked(self) -> tuple[str, ...]:
        """What it declares."""
        return self._adapter.unasked

    def status(self) -> AgentStatus:
        """Return its status."""
        return self._adapter.status()

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> AgentSession:
        """Open a session that is listened to."""
        forking = {"fork": True} if fork else {}
        return _WatchedSession(await self._adapter.open_session(workspace, session_id, **forking), self.runs)


class _WatchedSession:
    def __init__(self, session: AgentSession, runs: list[list[Event | Unknown]]) -> None:
        self._session, self._runs = session, runs

    @property
    def session_id(self) -> str:
        return self._session.session_id

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        self._runs.append([])
        await self._session.run_turn(request, _WatchedPort(port, self._runs[-1]))

    async def close(self) -> None:
        await self._session.close()


class _WatchedPort:
    def __init__(self, port: TurnPort, said: list[Event | Unknown]) -> None:
        self._port, self._said = port, said

    def emit(self, event: Event | Unknown) -> None:
        self._said.append(event)
        self._port.emit(event)

    async def ask(self, request: ApprovalRequest) -> Decision:
        return await self._port.ask(request)

    async def propose(self, plan: str) -> PlanAnswer:
        return await self._port.propose(plan)

    async def ask_questions(self, questions: Sequence[Question]) -> QuestionReply:
        return await self._port.ask_questions(questions)

    async def next_message(self) -> Message:
        return await self._port.next_message()

    def take_message(self) -> Message | None:
        return self._port.take_message()
