"""Colour for a terminal, by role."""

from __future__ import annotations

from collections.abc import Callable

from nbharness.transcript.patch import LineKind

__all__ = ["Ink"]


class Ink:
    """Wraps text in the escapes of its role; changes nothing when off.

    Args:
        on: Whether to colour at all.
    """

    def __init__(self, *, on: bool) -> None:
        self._on = on

    def strong(self, text: str) -> str:
        """Return text that is looked at first."""
        return self._wrap("1", text)

    def muted(self, text: str) -> str:
        """Return text that is looked at last."""
        return self._wrap("2", text)

    def asks(self, text: str) -> str:
        """Return text that needs, or needed, somebody."""
        return self._wrap("33", text)

    def added(self, text: str) -> str:
        """Return a line that is added."""
        return self._wrap("32", text)

    def removed(self, text: str) -> str:
        """Return a line that is removed, or something wrong."""
        return self._wrap("31", text)

    def of(self, kind: LineKind) -> Callable[[str], str]:
        """Return what paints a line of a diff."""
        match kind:
            case "added":
                return self.added
            case "removed":
                return self.removed
            case "hunk" | "header":
                return self.muted
            case "same":
                return str

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on and text else text
