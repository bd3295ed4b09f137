"""Reading one turn from outside: by a program that must neither write to the database nor wait for it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

import msgspec

from nbharness.events import Envelope, SessionUpdated
from nbharness.store.event_rows import from_row
from nbharness.store.failures import explain
from nbharness.store.liveness import ProcessStamp, is_dead

__all__ = ["StoredTurn", "read_choices", "read_turn"]

_PATIENCE_S = 0.1
# Of a few turns only: the log is long, and has no index by the type of event.
_SESSION_UPDATES = """
SELECT turn_id, seq, at, type, data FROM events
WHERE type = 'session.updated' AND turn_id IN (SELECT id FROM turns WHERE agent = ? ORDER BY started_at DESC LIMIT 3)
ORDER BY at
"""


class StoredTurn(NamedTuple):
    """A turn as its log has it.

    Attributes:
        envelopes: Its events so far, in order.
        is_running: True while its process may still go on with it.
    """

    envelopes: list[Envelope]
    is_running: bool


def read_turn(database: Path, turn_id: str) -> StoredTurn | None:
    """Return a turn, or ``None`` when the database, or the turn in it, does not exist.

    Opens the file read-only and blocks for at most a tenth of a second when somebody writes.

    Args:
        database: The file.
        turn_id: The turn.

    Raises:
        StoreError: The file cannot be read.
    """
    if not database.exists():
        return None
    try:
        with _opened(database) as connection:
            turn = connection.execute("SELECT status, process FROM turns WHERE id = ?", (turn_id,)).fetchone()
            if turn is None:
                return None
            sql = "SELECT turn_id, seq, at, type, data FROM events WHERE turn_id = ? ORDER BY seq"
            envelopes = [from_row(*row) for row in connection.execute(sql, (turn_id,))]
    except sqlite3.Error as error:
        raise explain(error, str(database)) from error
    status, process = turn
    return StoredTurn(envelopes, status == "running" and not is_dead(msgspec.json.decode(process, type=ProcessStamp)))


def read_choices(database: Path, agent: str) -> SessionUpdated:
    """Return the modes and models that an agent named when it worked last; fields that it left out are unset.

    Opens the file read-only and blocks for at most a tenth of a second when somebody writes.

    Args:
        database: The file; nothing is known when it does not exist.
        agent: Name of the agent.

    Raises:
        StoreError: The file cannot be read.
    """
    known = SessionUpdated()
    if not database.exists():
        return known
    try:
        with _opened(database) as connection:
            for row in connection.execute(_SESSION_UPDATES, (agent,)):
                event = from_row(*row).event
                if isinstance(event, SessionUpdated):
                    known = SessionUpdated(modes=event.modes or known.modes, models=event.models or known.models)
    except sqlite3.Error as error:
        raise explain(error, str(database)) from error
    return known


def _opened(database: Path) -> contextlib.closing[sqlite3.Connection]:
    address = f"{database.resolve().as_uri()}?mode=ro"
    return contextlib.closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE_S))
