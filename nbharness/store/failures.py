"""What can go wrong with a database, sorted by what to do about it."""

from __future__ import annotations

import errno
import sqlite3

from nbharness.errors import StoreError

__all__ = ["Busy", "Corrupt", "NoRoom", "Rejected", "explain"]


class Busy(StoreError):
    """Somebody else writes; try again."""


class NoRoom(StoreError):
    """The disk takes no more, or fails; keep the rows and try again later."""


class Corrupt(StoreError):
    """The file is damaged; put it aside."""


class Rejected(StoreError):
    """SQLite does not take these rows, now or later."""


_KINDS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (Busy, "another process holds the database"),
    sqlite3.SQLITE_LOCKED: (Busy, "another process holds the database"),
    sqlite3.SQLITE_FULL: (NoRoom, "the disk is full"),
    sqlite3.SQLITE_IOERR: (NoRoom, "the disk reports an error"),
    sqlite3.SQLITE_CANTOPEN: (NoRoom, "the database cannot be opened"),
    sqlite3.SQLITE_READONLY: (NoRoom, "the database cannot be written"),
    sqlite3.SQLITE_NOMEM: (NoRoom, "there is not enough memory"),
    sqlite3.SQLITE_PERM: (NoRoom, "the database may not be opened"),
    sqlite3.SQLITE_CORRUPT: (Corrupt, "the database is damaged"),
    sqlite3.SQLITE_NOTADB: (Corrupt, "the file is not a SQLite database"),
}


def explain(error: Exception, location: str) -> StoreError:
    """Return the error that says what to do.

    Args:
        error: What SQLite, the operating system or the binding of a value raised.
        location: The database, for the message.
    """
    if isinstance(error, StoreError):
        return error
    if isinstance(error, OSError):
        kind, what = NoRoom, "the disk is full" if error.errno == errno.ENOSPC else "the disk reports an error"
        return kind(f"{what}: {location} ({error})")
    # Extended codes carry the primary one in their low byte; errors of the binding have none.
    code = getattr(error, "sqlite_errorcode", -1)
    sorted_kind, what = _KINDS.get(code & 0xFF if code >= 0 else -1, (Rejected, "SQLite refuses"))
    return sorted_kind(f"{what}: {location} ({error})")
