"""One writer at a time, over all processes.

SQLite before 3.51.3 can damage a file when two connections write or checkpoint at the same moment, and most Pythons
link an older one. So whoever writes holds this lock, which lies beside the database. Where a file system knows no
locks, what is left are SQLite's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

from nbharness.file_lock import try_to_lock, unlock
from nbharness.store.failures import Busy
from nbharness.store.files import open_private

__all__ = ["FileLock"]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.001, 0.02


class FileLock:
    """An exclusive lock on a file.

    The file is opened for each use: a descriptor that stays open would be shared with every child that is forked, and a
    child that outlives us would keep the lock.

    Args:
        path: File to lock, created when needed; ``None`` locks nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @contextlib.asynccontextmanager
    async def held(self, patience_s: float) -> AsyncIterator[None]:
        """Hold the lock; waiting for it blocks nobody else on the loop.

        Args:
            patience_s: Seconds to wait for it; it is tried once even if 0.

        Raises:
            Busy: It was not free in time.
            OSError: The file cannot be opened.
        """
        if self._path is None:
            yield
            return
        descriptor = open_private(self._path)
        try:
            await _acquire(descriptor, self._path, patience_s)
            try:
                yield
            finally:
                unlock(descriptor)
        finally:
            os.close(descriptor)


async def _acquire(descriptor: int, path: Path, patience_s: float) -> None:
    deadline, pause_s = time.monotonic() + patience_s, _FIRST_PAUSE_S
    while not try_to_lock(descriptor):
        if time.monotonic() >= deadline:
            raise Busy(f"another process holds the database: {path} is locked")
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
