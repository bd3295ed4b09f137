"""A look at a database before anything is written to it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import aiosqlite

from nbharness.errors import StoreError
from nbharness.store.failures import Corrupt, explain
from nbharness.store.files import size
from nbharness.store.migrations import APPLICATION_ID, LATEST

__all__ = ["check", "schema_version"]

_CHECK_WHOLE_BYTES = 32 * 1024 * 1024
"""Up to this size the whole file is checked (about 1 ms a MiB); in a larger one damage is found when it is met."""


async def check(path: Path) -> None:
    """Return when `path` (absolute) is empty or a database that this program can use. Changes nothing.

    Raises:
        Corrupt: It is damaged.
        StoreError: It belongs to another program or to a newer nbharness.
    """
    if size(path) == 0:
        return
    # A connection that cannot write does not checkpoint either, whatever lies in the log.
    try:
        async with aiosqlite.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1.0) as probe:
            await _check_owner(probe, path)
            if size(path) <= _CHECK_WHOLE_BYTES:
                await _check_pages(probe, path)
    except sqlite3.Error as error:
        failure = explain(error, str(path))
        # Anything else (an old journal to roll back, say) is settled, or found again, by the connection that may write.
        if isinstance(failure, Corrupt):
            raise failure from error


async def schema_version(connection: aiosqlite.Connection) -> int:
    """Return the number of the last migration a database has taken, 0 when it has none."""
    if not await connection.execute_fetchall("SELECT 1 FROM sqlite_master WHERE name = 'migrations'"):
        return 0
    rows = await connection.execute_fetchall("SELECT max(version) FROM migrations")
    return max(row[0] or 0 for row in rows)


async def _check_owner(probe: aiosqlite.Connection, path: Path) -> None:
    owner = [row[0] for row in await probe.execute_fetchall("PRAGMA application_id")]
    tables = await probe.execute_fetchall("SELECT 1 FROM sqlite_master LIMIT 1")
    if owner != [APPLICATION_ID] and (owner != [0] or tables):
        raise StoreError(
            f"{path} is a database of another program and was left alone. "
            "Set NBHARNESS_DATABASE to another file, or move this one away."
        )
    version = await schema_version(probe)
    if version > LATEST:
        raise StoreError(
            f"{path} has schema version {version}; this nbharness knows up to {LATEST}. Nothing was changed. "
            "Upgrade it (pip install --upgrade nbharness), or set NBHARNESS_DATABASE to another file."
        )


async def _check_pages(probe: aiosqlite.Connection, path: Path) -> None:
    found = [row[0] for row in await probe.execute_fetchall("PRAGMA quick_check(1)")]
    if found != ["ok"]:
        raise Corrupt(f"the database is damaged: {path} ({found[0]})")
