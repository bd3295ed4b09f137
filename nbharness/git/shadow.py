"""A git repository of our own beside each workspace, which takes snapshots of it.

It lies in our state directory, borrows the real repository's objects and has an index of its own. It defines no driver,
filter or hook, so nothing that the workspace's own git files name is ever run, and nothing an agent does to the real
repository (commit, mark files as unchanged, swap ``.git``) hides a change from it. Files are taken byte for byte.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec import UNSET

from nbharness.events import WorkspaceChanged
from nbharness.git import scripts
from nbharness.git.command import GitError, run_script
from nbharness.git.diff import parse_changes, read_diff, shown
from nbharness.git.index_file import doubt_young, may_leave_out
from nbharness.git.limits import SnapshotRefused, check_place, escaped, find_large_files
from nbharness.git.place import Place, find_place
from nbharness.git.pruning import start_pruning
from nbharness.git.status import Status, has_nested, parse_status
from nbharness.git.store import add_objects, forget_index, keep, keep_index, known_index, open_store
from nbharness.git.undo import UndoResult, restore

__all__ = ["Baseline", "ShadowRepository", "SnapshotRefused"]

TIMEOUT_S: Final = 20.0
"""How long one snapshot may take."""
_MAX_NAMES: Final = 50
_TREE: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DAMAGED, _INCOMPARABLE = 12, 14
"""Exit codes of scripts: the index is of no use, trees cannot be compared."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A workspace as it was before a turn.

    Attributes:
        tree: Id of the tree that holds it.
        ignored: Paths that git ignored, directories as one; relative to the workspace.
        work: Directory of the turn's own index; gone once the changes are known.
    """

    tree: str
    ignored: frozenset[bytes]
    work: Path


class ShadowRepository:
    """Snapshots of one workspace. Any number of turns and processes may use it at once.

    Args:
        place: The workspace.
        directory: The shadow's git directory.
        own: Files and directories of ours, which change meanwhile without being anybody's doing.
    """

    def __init__(self, place: Place, directory: Path, own: Sequence[Path] = ()) -> None:
        self.place = place
        self.directory = directory
        self._own = [path for path in (directory.parent.parent, *own) if path.is_relative_to(place.workspace)]

    @classmethod
    async def open(cls, workspace: Path, state_dir: Path, own: Sequence[Path] = ()) -> ShadowRepository:
        """Open the shadow of a workspace; make it when there is none.

        Args:
            workspace: An existing directory.
            state_dir: Directory of all shadows; made when it is missing.
            own: Files of ours that are left out, with all whose names begin alike.

        Raises:
            SnapshotRefused: The workspace is the home directory or one above it.
            OSError: The shadow cannot be made.
        """
        return await asyncio.to_thread(cls._open, workspace, state_dir, own)

    @classmethod
    def _open(cls, workspace: Path, state_dir: Path, own: Sequence[Path]) -> ShadowRepository:
        workspace, state_dir = workspace.resolve(), state_dir.resolve()
        check_place(workspace)
        place = find_place(workspace)
        directory = open_store(place, state_dir)
        if place.objects is not None:
            add_objects(directory, place.objects)
        return cls(place, directory, [path.resolve() for path in own])

    async def baseline(self) -> Baseline:
        """Take a snapshot to compare with later.

        Raises:
            SnapshotRefused: There is too much to look at.
            GitError: Git is missing, failed, or took too long.
            OSError: A file of ours cannot be written.
        """
        work = self.directory / "turns" / secrets.token_hex(6)
        work.mkdir(parents=True)
        with contextlib.ExitStack() as failing:
            failing.callback(shutil.rmtree, work, ignore_errors=True)
            known = await self._prepare_index(work)
            ignored = await self._snapshot(work, known=known)
            tree = _tree(work)
            failing.pop_all()
        return Baseline(tree, ignored, work)

    async def changes(self, baseline: Baseline) -> WorkspaceChanged | None:
        """Return what is different since a baseline, or ``None`` when nothing is. To be called once a baseline.

        The trees are kept, so that the turn can be undone later, also by another process.

        Raises:
            SnapshotRefused: There is too much to look at by now.
            GitError: Git failed or took too long, or objects that it needs are gone.
            OSError: A file of ours cannot be read or written.
        """
        work = baseline.work
        try:
            ignored = await self._snapshot(work, base=baseline.tree, known=baseline.tree)
            found = await asyncio.to_thread(_read_changes, baseline, ignored, self._own_names())
            if found is not None and found.undoable:
                keep(self.directory, work.name, baseline.tree, str(found.result))
            keep_index(self.directory, work / "index", _tree(work))
        except GitError as error:
            if error.code == _INCOMPARABLE:
                forget_index(self.directory)
            raise
        finally:
            self.forget(baseline)
        return found

    def prune(self) -> None:
        """Let what no shadow needs any more be removed; rarely does a thing, and nobody waits for it."""
        start_pruning(self.directory.parent)

    def forget(self, baseline: Baseline) -> None:
        """Give up a baseline whose changes nobody will ask for; does nothing when it is given up already."""
        shutil.rmtree(baseline.work, ignore_errors=True)

    async def restore(self, *, current: str, wanted: str) -> UndoResult:
        """Make the files that differ between two trees what they are in one of them; all of them or none.

        Args:
            current: Tree that these files must still be as.
            wanted: Tree that they are to be as.

        Raises:
            GitError: The trees are not known here, or git failed.
            OSError: The workspace cannot be opened.
        """
        for tree in (current, wanted):
            if not _TREE.fullmatch(tree):
                raise GitError(f"{tree!r} is no id of a tree")
        work = self.directory / "turns" / secrets.token_hex(6)
        work.mkdir(parents=True)
        try:
            await self._run(scripts.COMPARE, work, {"FROM": current, "TO": wanted})
            changes = parse_changes((work / "names").read_bytes())
            ids = {change.new_id for change in changes if change.new_mode not in {"000000", "160000"}}
            (work / "ids").write_text("".join(f"{each}\n" for each in sorted(ids)))
            await self._run(scripts.CONTENTS, work, {})
            return await asyncio.to_thread(restore, self.place.workspace, changes, work / "blobs")
        finally:
            shutil.rmtree(work, ignore_errors=True)

    async def _prepare_index(self, work: Path) -> str:
        """Start from what is known, so that only files that changed since are read; return its tree, or nothing."""
        known = known_index(self.directory, work / "index")
        if known is None and self.place.index is not None:
            shutil.copy2(self.place.index, work / "index")
            await self._clear_flags(work)
        return known or ""

    async def _clear_flags(self, work: Path) -> None:
        """Look again at files that somebody told git not to look at, and at those left out that are there now."""
        try:
            await self._run(scripts.FLAGS, work, {})
        except GitError:  # an index that cannot be read
            (work / "index").unlink(missing_ok=True)
            return
        unchanged, skipped = await asyncio.to_thread(_flagged, work / "flags", self.place.workspace)
        if unchanged or skipped:
            (work / "unchanged").write_bytes(b"".join(path + b"\0" for path in unchanged))
            (work / "skipped").write_bytes(b"".join(path + b"\0" for path in skipped))
            await self._run(scripts.UNFLAG, work, {})

    async def _snapshot(self, work: Path, *, base: str = "", known: str = "") -> frozenset[bytes]:
        """Write the tree of what is there now; return the paths that are left out.

        Args:
            work: The turn's directory.
            base: Tree to compare with.
            known: Tree that the turn's index holds, if that is known.
        """
        began = int(time.time()) - 1
        for _attempt in range(3):
            try:
                if may_leave_out(work / "index"):
                    await self._clear_flags(work)
                found = await self._look(work)
                nested = has_nested(work / "index") or any(path.endswith(b"/") for path in found.others)
                if known and not found.changed and not found.others and not (base and nested):
                    (work / "tree").write_text(known)
                else:
                    (work / "paths").write_bytes(b"".join(path + b"\0" for path in (*found.changed, *found.others)))
                    await self._run(scripts.TAKE, work, {"BASE": base, "ALL": "yes" if nested else ""})
            except GitError as error:
                if error.code != _DAMAGED or not (work / "index").exists():
                    raise
                (work / "index").unlink()
                forget_index(self.directory)
                known = ""
            else:
                await asyncio.to_thread(doubt_young, work / "index", began, is_sha256=self.place.is_sha256)
                return frozenset(found.ignored)
        raise GitError(f"git could not make a snapshot of {self.place.workspace}")

    async def _look(self, work: Path) -> Status:
        """Compare the workspace with the turn's index. Files that are too large count as ignored."""
        workspace, prefix = self.place.workspace, self._prefix()
        (work / "exclude").write_bytes(self._own_rules())
        await self._run(scripts.LOOK, work, {})
        found = parse_status((work / "status").read_bytes(), prefix)
        large = await asyncio.to_thread(find_large_files, workspace, found.others) if found.others else set()
        if not large:
            return found
        with (work / "exclude").open("ab") as file:
            file.write(b"".join(b"/" + escaped(prefix + path) + b"\n" for path in large))
        others = [path for path in found.others if path not in large]
        return Status(found.changed, others, [*found.ignored, *large])

    async def _run(self, script: str, work: Path, variables: dict[str, str]) -> None:
        place = self.place
        await run_script(
            script,
            git_dir=self.directory,
            top=place.top,
            cwd=place.workspace,
            out=work,
            variables=variables,
            timeout_s=TIMEOUT_S,
        )

    def _prefix(self) -> bytes:
        """Return the path of the workspace in the work tree as git writes it before names."""
        workspace, top = self.place.workspace, self.place.top
        return os.fsencode(workspace.relative_to(top)) + b"/" if workspace != top else b""

    def _own_rules(self) -> bytes:
        """Return ignore rules for files of ours that lie in the workspace."""
        names = [os.fsencode(path.relative_to(self.place.top)) for path in self._own if path != self.place.top]
        return b".nbharness-undo-*/\n" + b"".join(b"/" + escaped(name) + b"*\n" for name in names if b"\n" not in name)

    def _own_names(self) -> tuple[bytes, ...]:
        workspace = self.place.workspace
        return tuple(os.fsencode(path.relative_to(workspace)) for path in self._own if path != workspace)


def _read_changes(baseline: Baseline, ignored: frozenset[bytes], own: tuple[bytes, ...]) -> WorkspaceChanged | None:
    work = baseline.work
    tree = _tree(work)
    changes, diffs = read_diff(work / "diff") if tree != baseline.tree else ([], [])
    appeared = sorted(name for name in ignored - baseline.ignored if not name.startswith(own))
    if not changes and not appeared:
        return None
    entries = _names(work / "entries") if (work / "entries").exists() else []
    links = [line.partition(b"\t")[2] for line in entries if line.startswith(b"160000 ")]
    return WorkspaceChanged(
        diffs=diffs,
        files=len(changes),
        added=sum(change.added for change in changes),
        removed=sum(change.removed for change in changes),
        ignored=[shown(path) for path in appeared[:_MAX_NAMES]],
        nested=[shown(path) for path in links[:_MAX_NAMES]],
        undoable=bool(changes),
        baseline=baseline.tree if changes else UNSET,
        result=tree if changes else UNSET,
    )


def _flagged(file: Path, workspace: Path) -> tuple[list[bytes], list[bytes]]:
    """Return the files marked as unchanged, and those marked as left out that are there all the same."""
    unchanged, skipped = [], []
    top, directories = os.fsencode(workspace) + b"/", dict[bytes, bool]()
    for line in _names(file):
        tag, path = line[:1], line[2:]
        if tag.islower():
            unchanged.append(path)
        if tag.upper() == b"S" and _is_there(path, top, directories):
            skipped.append(path)
    return unchanged, skipped


def _is_there(path: bytes, top: bytes, directories: dict[bytes, bool]) -> bool:
    """A sparse checkout may leave out a million files, most in directories that are missing and looked at once."""
    end = path.find(b"/")
    while end >= 0:
        directory = path[:end]
        if directory not in directories:
            directories[directory] = os.path.isdir(top + directory)  # noqa: PTH112 (bytes)
        if not directories[directory]:
            return False
        end = path.find(b"/", end + 1)
    return os.path.lexists(top + path)


def _tree(work: Path) -> str:
    return (work / "tree").read_text().strip()


def _names(file: Path) -> list[bytes]:
    return [name for name in file.read_bytes().split(b"\0") if name]
