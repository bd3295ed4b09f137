"""The agent's work in one turn: how long it may take, and how it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from nbharness.clock import Clock, Stopwatch

__all__ = ["AgentWatch"]

_STOP_GRACE_S = 5.0
"""How long a session may take to stop its agent before the turn settles without it."""


class AgentWatch:
    """Watches the asyncio task in which a session works. Belongs to the turn's loop.

    Args:
        clock: Time.
        timeout_s: Seconds the agent may work, waiting for people excluded; ``None`` for ever.

    Attributes:
        timeout_s: As given.
        left_behind: True when the session would not stop.
    """

    def __init__(self, clock: Clock, timeout_s: float | None) -> None:
        self.left_behind = False
        self.timeout_s = timeout_s
        self._clock = clock
        self._nudge = asyncio.Event()
        self._let_go = asyncio.Event()

    def nudge(self) -> None:
        """Something changed that the watch looks at: what waits for people, or whether the turn ended."""
        self._nudge.set()

    def let_go(self) -> None:
        """Wait no longer for a session that does not stop."""
        self._let_go.set()

    def agent_ended(self) -> None:
        """The task is done."""
        self._nudge.set()
        self._let_go.set()

    async def time_is_up(self, is_over: Callable[[], bool], is_waiting: Callable[[], bool]) -> bool:
        """Return False when `is_over`, True when the agent took too long; its time begins now.

        Args:
            is_over: The turn or its agent ended; looked at after each nudge.
            is_waiting: A person is asked; the clock stands still meanwhile.
        """
        stopwatch = Stopwatch(self._clock)
        while not is_over():
            self._nudge.clear()
            left: float | None = None
            if is_waiting():
                stopwatch.pause()
            elif self.timeout_s is not None:
                stopwatch.resume()
                left = self.timeout_s - stopwatch.elapsed
                if left <= 0:
                    return True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._nudge.wait()
        return False

    async def stop(self, agent: asyncio.Task[None], *, at_once: bool) -> None:
        """Return when the agent's task is done, or was left behind.

        Args:
            agent: The task.
            at_once: Cancel it now; otherwise it is let finish first.
        """
        if at_once:
            agent.cancel()
        for _ in range(2):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOP_GRACE_S):
                    await self._let_go.wait()
            if agent.done():
                return
            agent.cancel()
        self.left_behind = True
