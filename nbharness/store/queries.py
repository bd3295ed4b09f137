"""What the store reads."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from nbharness.errors import ConfigError, UnknownName
from nbharness.events import Envelope, Usage
from nbharness.store.database import Database, Row
from nbharness.store.event_rows import from_row
from nbharness.store.liveness import ProcessStamp
from nbharness.store.records import ApprovalRecord, ConversationRecord, TurnRecord
from nbharness.usage import TurnUsage

__all__ = [
    "approvals_of",
    "conversations",
    "events_of",
    "find_conversation",
    "find_turn",
    "last_event_at",
    "last_seq",
    "latest_turn",
    "running_turns",
    "turns_of",
    "usage_of",
]

_R = TypeVar("_R", bound=msgspec.Struct)


class _Consumed(msgspec.Struct):
    """What a result and a ``usage.updated`` have in common."""

    usage: Usage | None = None


_PAGE_ROWS = 2000
"""Events fetched at once, so that a long log holds up neither a write nor the loop."""

_LISTED = 10

_CONVERSATIONS = """
SELECT id, title, agent, workspace, archived, session_id, created_at, updated_at,
  (SELECT count(*) FROM turns WHERE conversation_id = conversations.id), definition
FROM conversations
"""
_TURNS = """
SELECT id, conversation_id, prompt, agent, model, approval_mode, workspace, notebook, cell_id, pid, started_at, status,
  ended_at, result FROM turns
"""
_USAGE = """
SELECT turns.id, conversation_id, title, turns.agent, result, CASE WHEN result IS NULL THEN
  (SELECT data FROM events WHERE turn_id = turns.id AND type = 'usage.updated' ORDER BY seq DESC LIMIT 1) END
FROM turns LEFT JOIN conversations ON conversations.id = conversation_id
WHERE ?1 IN (notebook, '') AND ?2 IN (conversation_id, '') ORDER BY started_at, turns.rowid
"""
_APPROVALS = "SELECT turn_id, id, tool, args_hash, status, by, reason, asked_at, decided_at FROM approvals"
_NEWEST = "ORDER BY updated_at DESC, rowid DESC"
_EVENTS = "SELECT turn_id, seq, at, type, data FROM events WHERE turn_id = ? AND seq > ? ORDER BY seq LIMIT ?"


async def conversations(database: Database, *, archived: bool | None) -> list[ConversationRecord]:
    """Return conversations, newest first: those put away or not, or with ``None`` all."""
    where = "" if archived is None else f"WHERE archived = {archived:d}"
    return await _conversations(database, f"{where} {_NEWEST}")


async def find_conversation(database: Database, name: str) -> ConversationRecord:
    """Return the conversation of that id, else of that title, else whose id begins so.

    Raises:
        UnknownName: There is none.
        ConfigError: There are several; the message lists them.
    """
    found: list[ConversationRecord] = []
    for where in ("id = ?1", "title = ?1 COLLATE NOCASE", "?1 <> '' AND substr(id, 1, length(?1)) = ?1"):
        found = found or await _conversations(database, f"WHERE {where} {_NEWEST}", name)
    if len(found) == 1:
        return found[0]
    if found:
        matches = ", ".join(map(_label, found[:_LISTED]))
        more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        raise ConfigError(f"conversation {name!r} could be any of: {matches}{more}. Use more of the id.")
    newest = await _conversations(database, f"{_NEWEST} LIMIT {_LISTED}")
    raise UnknownName("conversation", name, map(_label, newest))


async def find_turn(database: Database, turn_id: str) -> TurnRecord:
    """Return the turn of that id.

    Raises:
        UnknownName: There is none.
    """
    found = await _turns(database, "WHERE id = ?", turn_id)
    if not found:
        newest = await _turns(database, f"ORDER BY started_at DESC LIMIT {_LISTED}")
        raise UnknownName("turn", turn_id, [turn.id for turn in newest])
    return found[0]


async def turns_of(database: Database, conversation_id: str) -> list[TurnRecord]:
    """Return the turns of a conversation, oldest first."""
    return await _turns(database, "WHERE conversation_id = ? ORDER BY started_at, rowid", conversation_id)


async def latest_turn(database: Database, notebook: str | None, cell_id: str | None) -> TurnRecord | None:
    """Return the turn that was started last: by a cell, with ``None`` by any cell, of a notebook or of whatever."""
    where = "WHERE ?1 IN (notebook, '') AND ?2 IN (cell_id, '') ORDER BY started_at DESC, rowid DESC LIMIT 1"
    return next(iter(await _turns(database, where, notebook or "", cell_id or "")), None)


async def usage_of(database: Database, *, notebook: str, conversation_id: str) -> list[TurnUsage]:
    """Return what each turn consumed, oldest first: those of a notebook, of a conversation, of both; ``""`` is any."""
    rows = await database.read(_USAGE, (notebook, conversation_id))
    return [
        TurnUsage(turn_id=turn, conversation_id=id_, title=title or "", agent=agent, usage=_usage(result, update))
        for turn, id_, title, agent, result, update in rows
    ]


async def running_turns(database: Database) -> list[tuple[str, ProcessStamp]]:
    """Return the ids of the turns that have not ended, each with the process that runs it."""
    rows = await database.read("SELECT id, process FROM turns WHERE status = 'running' ORDER BY started_at")
    return [(turn_id, msgspec.json.decode(process, type=ProcessStamp)) for turn_id, process in rows]


async def events_of(database: Database, turn_id: str, after: int = -1, limit: int | None = None) -> list[Envelope]:
    """Return the events of a turn whose seq is above `after`, in order, at most `limit` of them."""
    events: list[Envelope] = []
    while limit is None or len(events) < limit:
        want = _PAGE_ROWS if limit is None else min(_PAGE_ROWS, limit - len(events))
        rows = await database.read(_EVENTS, (turn_id, after, want))
        events += [from_row(*row) for row in rows]
        if len(rows) < want:
            break
        after = events[-1].seq
    return events


async def last_seq(database: Database, turn_id: str) -> int:
    """Return the seq of a turn's last event, -1 when it has none."""
    rows = await database.read("SELECT max(seq) FROM events WHERE turn_id = ?", (turn_id,))
    return next((int(row[0]) for row in rows if row[0] is not None), -1)


async def last_event_at(database: Database, turn: TurnRecord) -> float:
    """Return when a turn last gave a sign of life, Unix seconds."""
    sql = "SELECT at FROM events WHERE turn_id = ? ORDER BY seq DESC LIMIT 1"
    return next((float(row[0]) for row in await database.read(sql, (turn.id,))), turn.started_at)


async def approvals_of(database: Database, turn_id: str) -> list[ApprovalRecord]:
    """Return the approvals of a turn in the order they were asked."""
    rows = await database.read(f"{_APPROVALS} WHERE turn_id = ? ORDER BY asked_at, rowid", (turn_id,))
    return [_record(ApprovalRecord, row) for row in rows]


def _usage(result: str | None, update: str | None) -> Usage | None:
    """Read it off the result or, while there is none, off the last event that tells of it."""
    try:
        found = msgspec.json.decode(result or update or "{}", type=_Consumed)
    except msgspec.DecodeError:  # written by a version whose words are not ours
        return None
    return found.usage


async def _conversations(database: Database, rest: str, *parameters: str) -> list[ConversationRecord]:
    rows = await database.read(_CONVERSATIONS + rest, parameters)
    return [_record(ConversationRecord, row) for row in rows]


async def _turns(database: Database, rest: str, *parameters: str) -> list[TurnRecord]:
    rows = await database.read(_TURNS + rest, parameters)
    return [_record(TurnRecord, row) for row in rows]


def _record(cls: type[_R], row: Row) -> _R:
    """Make a record of a row that has its fields in its order; SQLite has 0 and 1 for false and true."""
    return msgspec.convert(dict(zip(cls.__struct_encode_fields__, row, strict=True)), cls, strict=False)


def _label(conversation: ConversationRecord) -> str:
    return f"{conversation.id} ({conversation.title or 'untitled'})"
