"""A handle's way to its turn: from any thread onto the runtime's loop, and back with what went wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nbharness.errors import NbHarnessError
from nbharness.git import UndoResult
from nbharness.inputs import CodingInput
from nbharness.loop_thread import LoopThread
from nbharness.presence import Presence
from nbharness.turn import Turn
from nbharness.usage import UsageTotal

__all__ = ["LoopTurnControl"]


class LoopTurnControl:
    """Controls a turn that runs on a loop thread.

    Args:
        thread: The loop thread.
        turn: The turn.
        presence: Counts those who follow the turn.
        usage: Returns what the turns of its conversation consumed; run on the loop.
    """

    def __init__(
        self, thread: LoopThread, turn: Turn, presence: Presence, usage: Callable[[], Awaitable[UsageTotal]]
    ) -> None:
        self._thread = thread
        self._turn = turn
        self._presence = presence
        self._usage = usage

    def send(self, given: CodingInput) -> None:
        """Give an input to the turn, as code."""
        if self._thread.is_current():
            self._turn.send(given, "code")
        else:
            self._thread.call(self._send(given))

    def followed(self, delta: int) -> None:
        """Count a follower."""
        self._presence.count(delta)

    def on_own_loop(self) -> bool:
        """True on the loop that runs the turn."""
        return self._thread.is_current()

    def check(self) -> None:
        """Raise when the turn's loop is gone."""
        self._thread.check()

    def undo(self, *, redo: bool) -> UndoResult:
        """Take back what the settled turn changed, or take that back."""
        return self._thread.call(self._undo(redo=redo))

    def conversation_usage(self) -> UsageTotal:
        """Return what the turns of its conversation consumed."""
        return self._thread.call(self._conversation_usage())

    async def _conversation_usage(self) -> UsageTotal:
        return await self._usage()

    async def _undo(self, *, redo: bool) -> UndoResult:
        if not self._turn.outcome.done():
            raise NbHarnessError(f"turn {self._turn.request.turn_id} still runs; undo it when it has settled")
        if self._turn.evidence is None:
            raise NbHarnessError("this turn cannot be undone: nobody looked at its workspace")
        return await self._turn.evidence.undo(redo=redo)

    async def _send(self, given: CodingInput) -> None:
        self._turn.send(given, "code")
