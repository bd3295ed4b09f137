"""Time, behind one small seam so that tests need not wait for it."""

from __future__ import annotations

import time
from typing import Protocol

__all__ = ["Clock", "Stopwatch", "SystemClock"]


class Clock(Protocol):
    """The two clocks that a turn reads."""

    def now(self) -> float:
        """Wall clock, Unix seconds."""

    def monotonic(self) -> float:
        """Seconds that never go back."""


class SystemClock:
    """The machine's clocks."""

    def now(self) -> float:
        """Wall clock, Unix seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()


class Stopwatch:
    """Measures how long something ran, without the time it was paused."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._banked = 0.0
        self._since: float | None = clock.monotonic()

    @property
    def elapsed(self) -> float:
        """Seconds it ran so far."""
        running = 0.0 if self._since is None else self._clock.monotonic() - self._since
        return self._banked + running

    def pause(self) -> None:
        """Stand still; a second call changes nothing."""
        self._banked, self._since = self.elapsed, None

    def resume(self) -> None:
        """Go on; a second call changes nothing."""
        if self._since is None:
            self._since = self._clock.monotonic()
