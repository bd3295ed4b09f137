"""A conversation: turns in order, with one agent session that remembers from turn to turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from nbharness.adapters.base import Adapter, AgentSession, session_id_of
from nbharness.results import CodingResult
from nbharness.tool_server import ServedSession, is_served
from nbharness.turn import Turn
from nbharness.turn_hooks import Spawn

__all__ = ["Conversation", "TurnKeeper"]

_SESSION_LOST = {"agent_exited", "protocol", "sdk_error"}
_CLOSE_S = 5.0
"""Seconds that a session may take to close before the conversation goes on without it."""


class TurnKeeper(Protocol):
    """Keeps a turn beyond the process."""

    async def begin(self) -> None:
        """The turn begins now."""

    async def end(self, result: CodingResult) -> None:
        """The turn ended so."""


class Conversation:
    """Runs one turn at a time, in the order in which they were given. Belongs to the runtime's loop.

    A turn that is stopped before its time has come settles at once. The session is opened by the first turn and used
    again by the next; one that failed, or would not stop, is opened anew, by its id.

    Args:
        id: Our id of the conversation.
        adapter: Drives the agent.
        workspace: Directory the agent works in.
        session_id: A session of the agent's to take up again.
        fork: Leave that session as it is and go on in a copy.
        spawn: Starts asyncio tasks.
        on_session: Told the agent's session id after each turn.
    """

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 (the wire's word)
        adapter: Adapter,
        workspace: Path,
        session_id: str | None,
        spawn: Spawn,
        on_session: Callable[[str], Awaitable[None]],
        fork: bool = False,
    ) -> None:
        self.id = id
        self.adapter = adapter
        self.workspace = workspace
        self._session_id = session_id
        self._fork = fork
        self._session: AgentSession | None = None
        self._spawn = spawn
        self._on_session = on_session
        self._queue: deque[tuple[Turn, TurnKeeper]] = deque()
        self._running: Turn | None = None
        self._worker: asyncio.Task[None] | None = None

    @property
    def session_id(self) -> str | None:
        """The agent's session, as far as it is known."""
        return (session_id_of(self._session) if self._session is not None else "") or self._session_id

    @property
    def idle(self) -> bool:
        """True when no turn runs or waits."""
        return not self._queue and (self._worker is None or self._worker.done())

    def enqueue(self, turn: Turn, keeper: TurnKeeper) -> None:
        """Run a turn after those that were given before.

        Args:
            turn: The turn.
            keeper: Told when it begins and how it ended.
        """
        self._queue.append((turn, keeper))
        turn.on_early_end = lambda: self._spawn(self._settle_early(turn, keeper), f"turn {turn.request.turn_id}")
        if self._worker is None or self._worker.done():
            self._worker = self._spawn(self._work(), f"conversation {self.id}")

    async def open_session(self) -> AgentSession:
        """Return the session, opening it if need be.

        Raises:
            AdapterError: If the agent cannot start.
        """
        if self._session is None:
            # Said only where it is asked for, so that an adapter that cannot fork need not know the word.
            fork = {"fork": True} if self._fork else {}
            session = await self.adapter.open_session(self.workspace, self._session_id, **fork)
            self._session = ServedSession(session) if is_served(self.adapter.capabilities) else session
        return self._session

    async def close(self, patience_s: float) -> None:
        """End the agent's session when the turns that were given have settled, all of which were stopped before.

        Args:
            patience_s: Seconds that the agent may take to stop, and again to close.
        """
        if self._worker is not None:
            await asyncio.wait({self._worker}, timeout=patience_s)
            if self._running is not None:
                self._running.let_go()
            await asyncio.wait({self._worker})
        await self._close_session(patience_s)

    async def _close_session(self, patience_s: float) -> None:
        session, self._session = self._session, None
        if session is not None:
            # A task of its own: what it raises is logged, and whether it ever ends is its own affair.
            closing = self._spawn(session.close(), f"closing the session of conversation {self.id}")
            _, running = await asyncio.wait({closing}, timeout=patience_s)
            if running:
                closing.cancel()

    async def _work(self) -> None:
        try:
            while self._queue:
                turn, keeper = self._queue.popleft()
                self._running = turn
                result = await _run(turn, keeper)
                self._running = None
                await self._after(turn, result)
        finally:
            # Out of the queue first: what is forsaken is run no more, also not by the next worker.
            while self._queue:
                self._queue.popleft()[0].forsake()

    async def _settle_early(self, turn: Turn, keeper: TurnKeeper) -> None:
        if (turn, keeper) in self._queue:
            self._queue.remove((turn, keeper))
            await _run(turn, keeper)

    async def _after(self, turn: Turn, result: CodingResult) -> None:
        if self._session is not None and (session_id := session_id_of(self._session)):
            # From its first turn on it is a session like any other; the id of the original is no longer it.
            self._fork = self._fork and session_id == self._session_id
            self._session_id = session_id
            await self._on_session(session_id)
        if turn.left_agent or (result.error is not None and result.error.code in _SESSION_LOST):
            await self._close_session(_CLOSE_S)


async def _run(turn: Turn, keeper: TurnKeeper) -> CodingResult:
    try:
        await keeper.begin()
        await turn.run()
    finally:
        if not turn.outcome.done():
            turn.forsake()
    result = turn.outcome.result()
    await keeper.end(result)
    return result
