"""Ctrl-C, counted: the first one stops the turn in good order, the second one quits."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Interrupts"]

_SIGNALS = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]


class Interrupts:
    """Takes the signals that ask us to end, inside a ``with`` block of the main thread.

    Attributes:
        count: How many came. The second one raises :class:`KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        self.count = 0
        self._before: list[tuple[int, object]] = []

    def __enter__(self) -> Self:
        """Take them from now on."""
        self._before = [(number, signal.signal(number, self._note)) for number in _SIGNALS]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Put things back as they were; after one came, ignore more of them: we are on our way out already."""
        for number, handler in self._before:
            signal.signal(number, signal.SIG_IGN if self.count else handler)  # type: ignore[arg-type] # from signal()

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        # Nothing more: a handler may run while its own thread holds any lock.
        self.count += 1
        if self.count > 1:
            raise KeyboardInterrupt
