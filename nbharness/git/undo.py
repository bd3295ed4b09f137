"""Makes files of a workspace again what they were: all of them or none."""

from __future__ import annotations

from pathlib import Path

import msgspec

from nbharness.git.blobs import Blobs
from nbharness.git.diff import Change, shown
from nbharness.git.replace import Replacement
from nbharness.git.tree_files import ABSENT, NESTED, Root

__all__ = ["UndoResult", "restore"]


class UndoResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an undo, or a redo.

    Attributes:
        undone: True when the files are as they were to be; False when nothing was touched.
        restored: Paths that were written, relative to the workspace.
        removed: Paths that were removed.
        conflicts: Paths that are no longer as the turn (or its undo) left them, which is why nothing was touched.
        message: What came of it, for people.
    """

    undone: bool
    restored: list[str] = msgspec.field(default_factory=list)
    removed: list[str] = msgspec.field(default_factory=list)
    conflicts: list[str] = msgspec.field(default_factory=list)
    message: str = ""


def restore(workspace: Path, changes: list[Change], blobs_file: Path) -> UndoResult:
    """Make each file what it is on the new side of a change, if it still is what it is on the old side.

    Files are checked first, all new content is written beside them next, and only then are they swapped; when a swap
    fails, those before it are taken back. Nothing is read or written through a link.

    Args:
        workspace: What the paths are relative to.
        changes: The changes; no renames.
        blobs_file: Output of ``cat-file --batch`` for the new sides.

    Raises:
        OSError: The workspace cannot be opened.
    """
    changes = [change for change in changes if NESTED not in {change.old_mode, change.new_mode}]
    with Root(workspace) as root, Blobs(blobs_file) as blobs:
        lacking = [change for change in changes if change.new_mode != ABSENT and change.new_id not in blobs]
        if lacking:
            why = f"the old content of {_listed(lacking)} is no longer kept or was tampered with"
            return UndoResult(undone=False, message=f"Nothing was changed: {why}.")
        seen = {change.path: root.look(change.path) for change in changes}
        differing = [change for change in changes if seen[change.path].differs(change.old_mode, change.old_id)]
        if differing:
            return UndoResult(
                undone=False,
                conflicts=[shown(change.path) for change in differing],
                message=f"Nothing was changed: {_listed(differing)} changed since, or cannot be read.",
            )
        try:
            Replacement(root, changes, seen, blobs).run()
        except OSError as error:
            return UndoResult(undone=False, message=f"Nothing was changed: {error}.")
    restored = [shown(change.path) for change in changes if change.new_mode != ABSENT]
    removed = [shown(change.path) for change in changes if change.new_mode == ABSENT]
    message = f"{len(restored)} restored, {len(removed)} removed."
    return UndoResult(undone=True, restored=restored, removed=removed, message=message)


def _listed(changes: list[Change]) -> str:
    names = [shown(change.path) for change in changes[:3]]
    more = len(changes) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
