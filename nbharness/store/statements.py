"""What the store writes. Each may run twice without harm, since a failed transaction is tried again."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from nbharness.events import ApprovalRequired, ApprovalUpdated, Envelope
from nbharness.events.repair import clean_text
from nbharness.store.database import Row, Statement
from nbharness.store.event_rows import EventRows, Redact, WideRows
from nbharness.store.liveness import stamp
from nbharness.store.records import TurnRecord, guess_title

__all__ = [
    "append_events",
    "archive",
    "begin_turn",
    "create_conversation",
    "delete_conversation",
    "end_turn",
    "rename",
    "set_session",
]

_APPEND = "INSERT OR IGNORE INTO events (turn_id, seq, at, type, data) VALUES (?, ?, ?, ?, ?)"
# A third less work for SQLite, and a twentieth of the times that its thread asks for Python's lock.
_WIDTH = 20
_APPEND_WIDE = _APPEND + ", (?, ?, ?, ?, ?)" * (_WIDTH - 1)
_ASK = """
INSERT OR IGNORE INTO approvals (turn_id, id, tool, args_hash, status, by, reason, asked_at)
VALUES (?, ?, ?, ?, 'pending', '', '', ?)
"""
_DECIDE = """
UPDATE approvals SET status = ?, by = ?, reason = ?, decided_at = ?
WHERE turn_id = ? AND id = ? AND status = 'pending'
"""
_CREATE = """
INSERT OR IGNORE INTO conversations (id, title, agent, workspace, created_at, updated_at, definition)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_BEGIN = """
INSERT OR IGNORE INTO turns (id, conversation_id, prompt, agent, model, approval_mode, workspace, notebook, cell_id,
  pid, process, status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?)
"""
_TOUCH = """
UPDATE conversations SET updated_at = ?, title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?
"""
_END = "UPDATE turns SET status = ?, result = ?, ended_at = ? WHERE id = ? AND status = 'running'"
_TOUCH_END = """
UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = (SELECT conversation_id FROM turns WHERE id = ?)
"""
_DELETE = (
    "DELETE FROM events WHERE turn_id IN (SELECT id FROM turns WHERE conversation_id = ?)",
    "DELETE FROM approvals WHERE turn_id IN (SELECT id FROM turns WHERE conversation_id = ?)",
    "DELETE FROM turns WHERE conversation_id = ?",
    "DELETE FROM conversations WHERE id = ?",
)


def append_events(envelopes: Sequence[Envelope], redact: Redact | None) -> list[Statement]:
    """Add envelopes to the log, and what they say about approvals to the table of approvals."""
    approvals = [
        _approval(envelope, envelope.event, redact)
        for envelope in envelopes
        if isinstance(envelope.event, ApprovalRequired | ApprovalUpdated)
    ]
    wide = len(envelopes) // _WIDTH * _WIDTH
    return [
        Statement(_APPEND_WIDE, WideRows(EventRows(envelopes[:wide], redact), _WIDTH)),
        Statement(_APPEND, EventRows(envelopes[wide:], redact)),
        *approvals,
    ]


def rewrite_events(envelopes: Sequence[Envelope], redact: Redact | None) -> Statement:
    """Replace the payloads of events that are in the log."""
    rows = [(data, turn_id, seq) for turn_id, seq, _at, _type, data in EventRows(envelopes, redact)]
    return Statement("UPDATE events SET data = ? WHERE turn_id = ? AND seq = ?", rows)


def create_conversation(id_: str, title: str, agent: str, workspace: str, at: float, definition: str = "") -> Statement:
    """Add a conversation, unless it is there."""
    return _one(_CREATE, id_, title, agent, workspace, at, at, definition)


def begin_turn(turn: TurnRecord, redact: Redact | None) -> list[Statement]:
    """Add a turn; name its conversation if it has no title, and create it if it is gone."""
    prompt = redact(turn.prompt) if redact else turn.prompt
    title = guess_title(prompt)
    process = msgspec.json.encode(stamp(turn.pid)).decode()
    return [
        create_conversation(turn.conversation_id, title, turn.agent, turn.workspace, turn.started_at),
        _one(
            _BEGIN,
            *(turn.id, turn.conversation_id, prompt, turn.agent, turn.model, turn.approval_mode, turn.workspace),
            *(turn.notebook, turn.cell_id, turn.pid, process, turn.started_at),
        ),
        _one(_TOUCH, turn.started_at, title, turn.conversation_id),
    ]


def end_turn(turn_id: str, status: str, result: str | None, at: float) -> list[Statement]:
    """Note how a turn ended; the first time counts."""
    return [_one(_END, status, result, at, turn_id), _one(_TOUCH_END, at, turn_id)]


def rename(conversation_id: str, title: str) -> Statement:
    """Give a conversation a title."""
    return _one("UPDATE conversations SET title = ?, updated_at = ? WHERE id = ?", title, time.time(), conversation_id)


def archive(conversation_id: str, *, archived: bool) -> Statement:
    """Put a conversation away, or take it out again."""
    return _one("UPDATE conversations SET archived = ? WHERE id = ?", int(archived), conversation_id)


def set_session(conversation_id: str, session_id: str) -> Statement:
    """Note the agent's session, which resumes it."""
    return _one("UPDATE conversations SET session_id = ? WHERE id = ?", session_id, conversation_id)


def delete_conversation(conversation_id: str) -> list[Statement]:
    """Delete a conversation with its turns, events and approvals."""
    return [_one(sql, conversation_id) for sql in _DELETE]


def _approval(envelope: Envelope, event: ApprovalRequired | ApprovalUpdated, redact: Redact | None) -> Statement:
    turn_id, at = envelope.turn_id, envelope.at
    if isinstance(event, ApprovalRequired):
        return _one(_ASK, turn_id, event.id, event.tool_name, _text(event.args_hash), at)
    reason = _text(event.reason)
    return _one(_DECIDE, event.status, _text(event.by), redact(reason) if redact else reason, at, turn_id, event.id)


def _text(value: str | msgspec.UnsetType) -> str:
    return value if isinstance(value, str) else ""


def _one(sql: str, *values: str | float | None) -> Statement:
    row: Row = tuple(clean_text(value) if isinstance(value, str) else value for value in values)
    return Statement(sql, (row,))
