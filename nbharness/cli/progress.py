"""A line on the terminal that says that something still goes on."""

from __future__ import annotations

import os
import time
from typing import TextIO

__all__ = ["Progress"]

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_SILENT_S = 1.0
_ERASE_LINE = "\r\x1b[K"


class Progress:
    """Tells how long has been waited, on the last line of a terminal; does nothing elsewhere.

    Args:
        out: Where to draw.
        what: What goes on, such as ``claude is working``.
    """

    def __init__(self, out: TextIO, what: str) -> None:
        self._out = out
        self._what = what
        self._is_on = out.isatty() and os.environ.get("TERM") != "dumb"
        self._began = self._quiet_since = time.monotonic()
        self._is_drawn = False
        self._frame = 0

    def tick(self) -> None:
        """Draw or move the line, once nothing else was printed for a second."""
        now = time.monotonic()
        if not self._is_on or now - self._quiet_since < _SILENT_S:
            return
        self._frame = (self._frame + 1) % len(_FRAMES)
        self._is_drawn = True
        self._out.write(f"{_ERASE_LINE}{_FRAMES[self._frame]} {self._what} · {now - self._began:.0f} s")
        self._out.flush()

    def clear(self) -> None:
        """Take the line away, before something else is printed."""
        self._quiet_since = time.monotonic()
        if self._is_drawn:
            self._is_drawn = False
            self._out.write(_ERASE_LINE)
            self._out.flush()
