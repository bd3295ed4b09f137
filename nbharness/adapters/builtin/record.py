"""What a session remembers, and its file: kept in step, writing only what is new."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from nbharness.adapters.builtin.history import SessionFile

__all__ = ["Record"]

M = TypeVar("M")


class Record(Generic[M]):
    """Belongs to one session and its loop.

    Args:
        file: Where messages are kept.
        dumped: Returns messages as JSON, one line each.
    """

    def __init__(self, file: SessionFile, dumped: Callable[[list[M]], list[bytes]]) -> None:
        self._file = file
        self._dumped = dumped
        self._messages: list[M] = []
        self._kept = False
        self.lines: list[bytes] = []
        """The messages as JSON."""

    async def keep(self, messages: Sequence[M]) -> None:
        """Keep these messages.

        Raises:
            OSError: They cannot be kept; the next time it is tried again.
        """
        same = 0
        for known, message in zip(self._messages, messages, strict=False):
            if known is not message:
                break
            same += 1
        grown = self._kept and same == len(self._messages)
        new = self._dumped(list(messages[same:]))
        self._messages[same:] = messages[same:]
        self.lines[same:] = new
        self._kept = False
        if grown:
            await asyncio.to_thread(self._file.add, new)
        else:
            await asyncio.to_thread(self._file.replace, list(self.lines))
        self._kept = True
