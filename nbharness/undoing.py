"""Taking back what a stored turn changed, in this process or another, long after it ended."""

from __future__ import annotations

from pathlib import Path

from nbharness.config import shadow_path
from nbharness.errors import NbHarnessError, UnknownName
from nbharness.events import WorkspaceChanged
from nbharness.evidence import undo_turn
from nbharness.git import UndoResult
from nbharness.store import Store, TurnRecord

__all__ = ["undo_lines", "undo_stored_turn"]


async def undo_stored_turn(store: Store, name: str, *, redo: bool = False) -> UndoResult:
    """Take back what a turn changed, or take that back.

    Args:
        store: Where the turn is kept.
        name: Id of the turn, or of a conversation (or its beginning) for its last turn.
        redo: Take an undo back.

    Raises:
        ConfigError: There is no such turn.
        NbHarnessError: It runs, changed nothing, or cannot be undone. Conflicts are no error but in the result.
    """
    turn = await _turn(store, name)
    if turn.status == "running":
        raise NbHarnessError(f"turn {turn.id} still runs; stop it first")
    changes = [e.event for e in await store.events(turn.id) if isinstance(e.event, WorkspaceChanged)]
    if not changes:
        raise NbHarnessError(f"turn {turn.id} changed nothing in {turn.workspace}")
    return await undo_turn(Path(turn.workspace), shadow_path(), changes[-1], redo=redo)


def undo_lines(result: UndoResult) -> list[str]:
    """Return what came of an undo, for people."""
    lines = [result.message] if result.message else []
    lines += [f"  restored {path}" for path in result.restored]
    lines += [f"  removed {path}" for path in result.removed]
    return lines + [f"  changed since: {path}" for path in result.conflicts]


async def _turn(store: Store, name: str) -> TurnRecord:
    try:
        return await store.get_turn(name)
    except UnknownName:
        conversation = await store.get_conversation(name)
    turns = await store.turns(conversation.id)
    if not turns:
        raise NbHarnessError(f"conversation {conversation.id} has no turn")
    return turns[-1]
