"""The connection to SQLite on a thread of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeVar

import aiosqlite

__all__ = ["Connection", "connect"]

_R = TypeVar("_R")


class Connection(aiosqlite.Connection):
    """aiosqlite's connection, which can also be given a whole piece of work.

    Each of aiosqlite's own calls is a trip to the thread and back. A transaction takes four of them, which cost twice
    as much as what SQLite does in it.
    """

    async def run(self, work: Callable[[sqlite3.Connection], _R]) -> _R:
        """Do some work on the connection's thread, in one trip; it is done to its end even if the caller is cancelled.

        Args:
            work: Gets SQLite's own connection.
        """
        done: _R = await self._execute(work, self._conn)  # type: ignore[no-untyped-call]
        return done


async def connect(location: str, *, timeout_s: float) -> Connection:
    """Open a connection that begins no transaction of its own accord.

    Args:
        location: The file, or ``:memory:``.
        timeout_s: Seconds that SQLite waits for others before it says that the database is busy.
    """
    connection = Connection(
        lambda: sqlite3.connect(location, isolation_level=None, timeout=timeout_s), iter_chunk_size=64
    )
    await connection
    return connection
