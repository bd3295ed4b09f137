"""Keeps all widgets of a kernel together under thirty messages a second.

The Jupyter server drops, without a word, what exceeds 1000 messages a second on a page's socket.
"""

from __future__ import annotations

import asyncio

from nbharness.clock import Clock

__all__ = ["Pacer"]

FRAME_S = 1 / 30
_AHEAD_S = 3 * FRAME_S
"""How far messages may run ahead of the pace. A turn alone, which its writer paces already, then never waits here."""


class Pacer:
    """Hands out moments to send, in the order of asking. On one loop only.

    Args:
        clock: Time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._next = 0.0

    async def turn(self) -> None:
        """Return when the caller may send; at once after a pause."""
        now = self._clock.monotonic()
        at = max(now, self._next)
        self._next = at + FRAME_S
        if at - _AHEAD_S > now:
            await asyncio.sleep(at - _AHEAD_S - now)
