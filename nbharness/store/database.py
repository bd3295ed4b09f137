"""The one connection to a database, and the rules for using it.

Everything that writes goes through :meth:`Database.write`: one transaction under the lock that all processes share. The
write-ahead log is moved into the file under the same lock, never by SQLite's own autocheckpoint.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from nbharness.errors import StoreError
from nbharness.store.connection import Connection, connect
from nbharness.store.failures import Busy, Corrupt, NoRoom, explain
from nbharness.store.files import create_private, identity, is_on_network, is_writable, put_aside, size
from nbharness.store.inspection import check, schema_version
from nbharness.store.lock import FileLock
from nbharness.store.migrations import APPLICATION_ID, MIGRATIONS, Migration

__all__ = ["Database", "Row", "Statement"]

Row: TypeAlias = Sequence[Any]
_R = TypeVar("_R")

_OPEN_PATIENCE_S = 10.0
_READ_PATIENCE_S = 5.0
_PAUSE_S = 0.05
# How long SQLite itself waits, in its thread, where a wait holds up reads too.
_SQLITE_PATIENCE_S = 0.1
_CHECKPOINT_BYTES = 4 * 1024 * 1024
# What can go wrong with a value before SQLite sees it: no UTF-8 form, more than 64 bits.
_BINDING_ERRORS = (OverflowError, TypeError, ValueError)


class Statement(NamedTuple):
    """One SQL statement and the rows to run it for.

    Attributes:
        sql: The statement.
        rows: Parameters, one sequence a row. Iterated anew for each attempt, on the connection's thread.
    """

    sql: str
    rows: Iterable[Row]


class Database:
    """A database file, or memory. Belongs to the loop that opens it.

    Attributes:
        location: Path of the file, or ``:memory:``.

    Args:
        path: The file; ``None`` keeps everything in memory.
        say: Called with a sentence for the user when a new file had to be begun.
        seed: Returns what to write first into a new file.
    """

    def __init__(
        self, path: Path | None, say: Callable[[str], None], seed: Callable[[], Sequence[Statement]] = tuple
    ) -> None:
        # SQLite follows links too; only the real name can be put aside.
        self._path = None if path is None else path.resolve()
        self.location = ":memory:" if self._path is None else str(self._path)
        self._say = say
        self._seed = seed
        self._lock = FileLock(None if self._path is None else Path(f"{self.location}.lock"))
        # Reads share the connection, so they wait for a transaction to end rather than see half of it.
        self._turnstile = asyncio.Lock()
        self._connection: Connection | None = None
        self._identity: tuple[int, int] | None = None
        # Counts connections, so that a damaged file is replaced once by all who meet the damage.
        self._generation = 0
        self._log_kept = 0

    async def open(self) -> None:
        """Connect, put a damaged file aside, and bring the schema up to date.

        Raises:
            StoreError: It belongs to another program or a newer nbharness, or cannot be opened or written.
            OSError: A file cannot be created.
        """
        async with contextlib.AsyncExitStack() as undo:
            undo.push_async_callback(self._disconnect)
            if self._path is not None:
                create_private(self._path)
                if not is_writable(self._path):
                    raise NoRoom(f"the database may not be written: {self.location}")
            async with self._lock.held(_OPEN_PATIENCE_S):
                await self._connect()
            undo.pop_all()

    async def write(self, statements: Sequence[Statement], patience_s: float) -> None:
        """Run statements in one transaction, durable on return.

        Args:
            statements: What to run, in order.
            patience_s: Seconds to wait while others write; it is tried once even if 0.

        Raises:
            StoreError: Nothing was written; its class says what to do (see ``failures``).
        """
        await self._persist(lambda left_s: self._write(statements, left_s), patience_s)

    async def read(self, sql: str, parameters: Row = ()) -> list[Row]:
        """Return the rows of a query.

        Raises:
            StoreError: The database cannot be read.
        """
        return await self._persist(lambda _left_s: self._read(sql, parameters), _READ_PATIENCE_S)

    async def close(self) -> None:
        """Disconnect; the last connection moves the log into the file. A second call changes nothing."""
        # Without the lock it is safe too, since SQLite then needs the file for itself.
        with contextlib.suppress(Busy, OSError):
            async with self._lock.held(_SQLITE_PATIENCE_S):
                await self._disconnect()
        await self._disconnect()

    async def _persist(self, attempt: Callable[[float], Awaitable[_R]], patience_s: float) -> _R:
        """Try again while others hold the database, and once more when a damaged file was replaced."""
        deadline, replaced = time.monotonic() + patience_s, False
        while True:
            generation = self._generation
            try:
                return await attempt(deadline - time.monotonic())
            except Corrupt as error:
                if replaced:
                    raise
                replaced = True
                await self._replace(error, generation)
            except Busy:
                if time.monotonic() >= deadline:
                    raise
                await asyncio.sleep(_PAUSE_S)

    async def _write(self, statements: Sequence[Statement], patience_s: float) -> None:
        try:
            async with self._lock.held(patience_s), self._turnstile:
                await self._follow_file()
                connection = self._connected()
                await connection.run(lambda raw: _write(raw, statements))
                await self._checkpoint_when_long(connection)
        except (sqlite3.Error, OSError, *_BINDING_ERRORS) as error:
            raise explain(error, self.location) from error

    async def _read(self, sql: str, parameters: Row) -> list[Row]:
        try:
            async with self._turnstile:
                return list(await self._connected().execute_fetchall(sql, parameters))
        except sqlite3.Error as error:
            raise explain(error, self.location) from error

    def _connected(self) -> Connection:
        if self._connection is None:
            raise StoreError(f"the store is closed: {self.location}")
        return self._connection

    async def _follow_file(self) -> None:
        """Begin anew when somebody took the file away: what is written to it now is read by nobody."""
        if self._path is None or (self._connection and identity(self._path) == self._identity):
            return
        await self._disconnect()
        create_private(self._path)
        await self._connect()
        self._say(f"The database {self.location} was moved or deleted; a new one was begun.")

    async def _replace(self, failure: Corrupt, generation: int) -> None:
        """Put the damaged file aside and begin a new one, unless that was done meanwhile, here or by a process."""
        try:
            async with self._lock.held(_OPEN_PATIENCE_S), self._turnstile:
                if generation != self._generation:
                    return
                if self._path is not None and identity(self._path) != self._identity:
                    await self._disconnect()
                    create_private(self._path)
                else:
                    await self._put_aside(failure)
                await self._connect()
        except OSError as error:
            raise explain(error, self.location) from error

    async def _connect(self) -> None:
        try:
            await self._connect_once()
        except Corrupt as error:
            await self._put_aside(error)
            await self._connect_once()

    async def _connect_once(self) -> None:
        if self._path is not None:
            await check(self._path)
        try:
            self._connection = await connect(self.location, timeout_s=_SQLITE_PATIENCE_S)
            self._identity = None if self._path is None else identity(self._path)
            self._generation += 1
            await self._configure(self._connection)
            await self._migrate(self._connection)
        except sqlite3.Error as error:
            failure = explain(error, self.location)
            # A damaged file is renamed before it is closed, see `put_aside`.
            if not isinstance(failure, Corrupt):
                await self._disconnect()
            raise failure from error

    async def _configure(self, connection: Connection) -> None:
        journal = "DELETE" if self._path is None or is_on_network(self._path) else "WAL"
        for setting in (
            # A file system that cannot do WAL keeps its DELETE journal; both are safe.
            f"journal_mode = {journal}",
            "wal_autocheckpoint = 0",
            # Every commit reaches the disk: what a person approved or saw the end of must survive a power cut, and with
            # group commit it costs no more than NORMAL.
            "synchronous = FULL",
            # What is deleted is overwritten.
            "secure_delete = ON",
        ):
            await connection.execute_fetchall(f"PRAGMA {setting}")

    async def _migrate(self, connection: Connection) -> None:
        have = await schema_version(connection)
        due = [migration for migration in MIGRATIONS if migration.version > have]
        if due:
            seed = self._seed()
            await connection.run(lambda raw: _migrate(raw, due, seed))

    async def _put_aside(self, failure: Corrupt) -> None:
        if self._path is None:
            raise failure
        if os.name == "nt":
            # Windows renames no file that is open.
            await self._disconnect()
        aside = put_aside(self._path)
        await self._disconnect()
        create_private(self._path)
        self._say(f"{failure}. It was kept as {aside} and a new one was begun.")

    async def _checkpoint_when_long(self, connection: Connection) -> None:
        log = Path(f"{self.location}-wal")
        if self._path is None or size(log) < self._log_kept + _CHECKPOINT_BYTES:
            return
        # Readers elsewhere may keep it from finishing; then the log grows by another step before the next attempt.
        with contextlib.suppress(sqlite3.OperationalError):
            await connection.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        self._log_kept = size(log)

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # A full disk has rolled back already; anything else that failed has not.
        if connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")


def _write(connection: sqlite3.Connection, statements: Iterable[Statement]) -> None:
    with _transaction(connection):
        for statement in statements:
            connection.executemany(statement.sql, statement.rows)


def _migrate(connection: sqlite3.Connection, due: Iterable[Migration], seed: Iterable[Statement]) -> None:
    with _transaction(connection):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at REAL)"
        )
        for migration in due:
            for sql in migration.statements:
                connection.execute(sql)
            done = (migration.version, migration.name, time.time())
            connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", done)
        for statement in seed:
            connection.executemany(statement.sql, statement.rows)
