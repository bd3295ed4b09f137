"""Who could answer an approval now."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Anyone", "Audience", "Nobody"]


class Audience(Protocol):
    """Tells whether somebody can answer."""

    async def present(self) -> bool:
        """Wait as long as somebody may still be arriving, then tell whether anybody is there."""


class Anyone:
    """Somebody always answers: a terminal, a test, a program that says so."""

    async def present(self) -> bool:
        """Return True."""
        return True


class Nobody:
    """Nobody can answer: nbconvert, papermill, a pipe."""

    async def present(self) -> bool:
        """Return False."""
        return False
