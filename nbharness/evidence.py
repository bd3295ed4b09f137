"""What a turn changed in its workspace, found out by comparing snapshots, and how to take it back."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from nbharness.errors import AdapterProcessError, NbHarnessError
from nbharness.events import FileDiff, Notice, WorkspaceChanged
from nbharness.git import Baseline, GitError, ShadowRepository, SnapshotRefused, UndoResult

__all__ = ["WorkspaceEvidence", "stale_modules", "undo_turn", "unified_diff"]

_FAILURES = (GitError, AdapterProcessError, OSError, ValueError)


class WorkspaceEvidence:
    """Compares a workspace before and after one turn. On the runtime's loop.

    Args:
        workspace: The workspace.
        state_dir: Directory of all shadow repositories.
        own: Files of ours, which are left out should they lie in the workspace.
    """

    def __init__(self, workspace: Path, state_dir: Path, own: Sequence[Path] = ()) -> None:
        self._workspace = workspace
        self._state_dir = state_dir
        self._own = own
        self._shadow: ShadowRepository | None = None
        self._baseline: Baseline | None = None
        self._found: WorkspaceChanged | None = None

    async def begin(self) -> Notice | None:
        """Take a snapshot; return why that was not possible. Never raises for what is in the workspace."""
        try:
            self._shadow = await ShadowRepository.open(self._workspace, self._state_dir, self._own)
            self._baseline = await self._shadow.baseline()
        except SnapshotRefused as refusal:
            return Notice(message=str(refusal), level="info")
        except _FAILURES as error:
            return Notice(message=f"What this turn changes is not shown and cannot be undone: {error}", level="warning")
        return None

    async def finish(self) -> WorkspaceChanged | Notice | None:
        """Return what is different since :meth:`begin`, or why nobody knows; ``None`` when nothing is."""
        shadow, baseline, self._baseline = self._shadow, self._baseline, None
        if shadow is None or baseline is None:
            return None
        try:
            found = await shadow.changes(baseline)
            with contextlib.suppress(OSError):  # a later turn tries again
                shadow.prune()
        except (SnapshotRefused, RuntimeError, *_FAILURES) as error:  # RuntimeError: no thread, as Python ends
            message = f"Changes were not compared, so whatever this turn did to the workspace is not shown: {error}"
            return Notice(message=message, level="warning")
        if found is None:
            return None
        self._found = msgspec.structs.replace(found, stale_modules=stale_modules(self._workspace, found.diffs))
        return self._found

    async def undo(self, *, redo: bool) -> UndoResult:
        """Take back what the turn changed, or take that back; raises as :func:`undo_turn`."""
        if self._found is None:
            raise NbHarnessError("this turn cannot be undone: it changed nothing that is known")
        return await undo_turn(self._workspace, self._state_dir, self._found, redo=redo)


async def undo_turn(workspace: Path, state_dir: Path, changed: WorkspaceChanged, *, redo: bool = False) -> UndoResult:
    """Take back what a turn changed, or take that back; needs no memory but the turn's own event.

    Args:
        workspace: The turn's workspace.
        state_dir: Directory of all shadow repositories.
        changed: The turn's ``workspace.changed``.
        redo: Take an undo back.

    Raises:
        NbHarnessError: The turn cannot be undone; the message says why. Conflicts are no error but in the result.
    """
    if not (changed.undoable and isinstance(changed.baseline, str) and isinstance(changed.result, str)):
        raise NbHarnessError("this turn cannot be undone: no snapshot of it was kept")
    before, after = (changed.result, changed.baseline) if not redo else (changed.baseline, changed.result)
    try:
        shadow = await ShadowRepository.open(workspace, state_dir)
        return await shadow.restore(current=before, wanted=after)
    except (SnapshotRefused, *_FAILURES) as error:
        raise NbHarnessError(f"nothing was changed: {error}") from error


def stale_modules(workspace: Path, diffs: Iterable[FileDiff]) -> list[str]:
    """Return the modules imported in this process whose files are among the changed ones, in order of their names.

    Args:
        workspace: What the paths of `diffs` are relative to.
        diffs: The changed files.
    """
    changed = {diff.path for diff in diffs}
    prefix = str(workspace.resolve()) + os.sep
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or name in {"__main__", "__mp_main__"}:
            continue
        real = file if file.startswith(prefix) else os.path.realpath(file) if _is_linked(file, changed) else ""
        if real.startswith(prefix) and real.removeprefix(prefix).replace(os.sep, "/") in changed:
            found.append(name)
    return sorted(found)


def unified_diff(changed: WorkspaceChanged | None) -> str:
    """Return the diffs of all files as one text that ``git apply`` takes, unless some were cut."""
    return "" if changed is None else "".join(diff.patch for diff in changed.diffs)


def _is_linked(file: str, changed: set[str]) -> bool:
    """Resolving a path takes long; a file of another name is none of the changed ones."""
    name = os.path.basename(file)  # noqa: PTH119 (thousands of modules)
    return any(path.rpartition("/")[2] == name for path in changed)
