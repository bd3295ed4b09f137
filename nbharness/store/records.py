"""What the store returns: conversations, turns and approvals as values."""

from __future__ import annotations

import os
import time

import msgspec

__all__ = ["ApprovalRecord", "ConversationRecord", "TurnRecord", "guess_title"]

_TITLE_CHARS = 60


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of the records; camelCase when encoded as JSON."""


class ConversationRecord(_Record, frozen=True, kw_only=True):
    """A conversation: ordered turns with one agent.

    Attributes:
        id: Ours, 12 hexadecimal digits.
        title: What it is about; ``""`` until its first turn names it.
        agent: The agent it is with.
        workspace: Directory it was begun for.
        archived: True when it is put away.
        session_id: The agent's own session, which resumes it; ``""`` when unknown.
        created_at: Unix seconds.
        updated_at: Unix seconds of the last begin or end of a turn, or of the last change.
        turn_count: How many turns it has.
        definition: The agent of the project that it was begun with; ``""`` for none.
    """

    id: str
    title: str
    agent: str
    workspace: str
    archived: bool
    session_id: str
    created_at: float
    updated_at: float
    turn_count: int
    definition: str = ""


class TurnRecord(_Record, frozen=True, kw_only=True):
    """A turn: what was asked, of whom, from where, and how it ended.

    Attributes:
        id: The turn.
        conversation_id: The conversation it belongs to.
        prompt: What the user asked.
        agent: The agent.
        model: Model it was asked to use; ``""`` when the choice was the agent's.
        approval_mode: Permission mode.
        workspace: Directory the agent works in.
        notebook: Notebook it was started from, or ``None``.
        cell_id: Cell it was started from, or ``None``.
        pid: Process that runs it.
        started_at: Unix seconds.
        status: ``running`` until it ends.
        ended_at: Unix seconds, or ``None`` while it runs.
        result: JSON of the result, or ``None`` while it runs and when its process died.
    """

    id: str
    conversation_id: str
    prompt: str
    agent: str
    model: str = ""
    approval_mode: str = "require"
    workspace: str = ""
    notebook: str | None = None
    cell_id: str | None = None
    pid: int = msgspec.field(default_factory=os.getpid)
    started_at: float = msgspec.field(default_factory=time.time)
    status: str = "running"
    ended_at: float | None = None
    result: str | None = None


class ApprovalRecord(_Record, frozen=True, kw_only=True):
    """One approval: what was asked, and who decided what, when, over which arguments.

    Attributes:
        turn_id: The turn.
        id: Approval id.
        tool: Tool the agent wanted to use.
        args_hash: SHA-256 of the canonical arguments, hex.
        status: ``pending``, or how it ended.
        by: Who decided; ``""`` while it waits.
        reason: Why it was rejected, or the rule that answered.
        asked_at: Unix seconds.
        decided_at: Unix seconds, or ``None`` while it waits.
    """

    turn_id: str
    id: str
    tool: str
    args_hash: str
    status: str
    by: str
    reason: str
    asked_at: float
    decided_at: float | None


def guess_title(prompt: str) -> str:
    """Return a title for a conversation that begins with `prompt`: its first line, at most 60 characters."""
    line = next((line for line in prompt.splitlines() if line.strip()), "")
    title = " ".join(line.split())
    if len(title) <= _TITLE_CHARS:
        return title
    cut = title[: _TITLE_CHARS - 1]
    words, _, _ = cut.rpartition(" ")
    # A first word of more than half the room is cut; whole words beat a short title otherwise.
    return f"{words if len(words) > _TITLE_CHARS // 2 else cut}…"
