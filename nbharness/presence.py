"""Somebody who follows a handle can answer through it."""

from __future__ import annotations

import asyncio
import threading

from nbharness.feed import HEARTBEAT_S

__all__ = ["Presence"]

_ARRIVAL_S = 1.0


class Presence:
    """The audience of a turn that was started from Python.

    Somebody is there while the turn's events are iterated, since whoever sees ``approval.required`` can ``send`` the
    answer. A handle that is only awaited has nobody.
    """

    def __init__(self) -> None:
        self._followers = 0
        self._lock = threading.Lock()

    def count(self, delta: int) -> None:
        """Somebody began (+1) or stopped (-1) to iterate; from any thread."""
        with self._lock:
            self._followers += delta

    async def present(self) -> bool:
        """Tell whether somebody is there, or arrives within a second."""
        for _ in range(round(_ARRIVAL_S / HEARTBEAT_S)):
            if self._followers > 0:
                return True
            await asyncio.sleep(HEARTBEAT_S)
        return self._followers > 0
