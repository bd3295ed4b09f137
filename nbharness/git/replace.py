"""Swaps files of a workspace for others, and takes every step back when one fails."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence

from nbharness.git.blobs import Blobs
from nbharness.git.diff import Change
from nbharness.git.tree_files import ABSENT, EXECUTABLE, LINK, Root, Seen, signature

__all__ = ["Replacement"]

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Replacement:
    """One swap. New files are written to a directory of our own in the workspace, which old ones are moved to.

    Args:
        root: The workspace.
        changes: What is to become of which files.
        seen: The files as they were when they were checked, by path.
        blobs: The new contents.
    """

    def __init__(self, root: Root, changes: Sequence[Change], seen: Mapping[bytes, Seen], blobs: Blobs) -> None:
        self._root = root
        self._changes = changes
        self._seen = seen
        self._blobs = blobs
        self._name = f".nbharness-undo-{secrets.token_hex(8)}".encode()
        self._staging = -1
        self._back: list[Callable[[], None]] = []

    def run(self) -> None:
        """Do it.

        Raises:
            OSError: It was not possible, and everything is as before.
        """
        os.mkdir(self._name, 0o700, dir_fd=self._root.fd)
        self._staging = os.open(self._name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._root.fd)
        try:
            for number, change in enumerate(self._changes):
                self._stage(number, change)
            with contextlib.ExitStack() as undoing:
                undoing.callback(self._put_back)
                self._swap()
                undoing.pop_all()
        finally:
            self._clear()

    def _put_back(self) -> None:
        for step in reversed(self._back):
            step()

    def _stage(self, number: int, change: Change) -> None:
        name = b"new-%d" % number
        if change.new_mode == LINK:
            os.symlink(b"".join(self._blobs.read(change.new_id)), name, dir_fd=self._staging)
        elif change.new_mode != ABSENT:
            with os.fdopen(os.open(name, _NEW_FILE, 0o666, dir_fd=self._staging), "wb") as file:
                for block in self._blobs.read(change.new_id):
                    file.write(block)
                file.flush()
                os.fchmod(
                    file.fileno(), _permissions(change.new_mode, self._seen[change.path], os.fstat(file.fileno()))
                )

    def _swap(self) -> None:
        for number, change in enumerate(self._changes):
            if change.old_mode != ABSENT:
                self._move_away(number, change.path)
        wanted = {change.path for change in self._changes if change.new_mode != ABSENT}
        above = {parent for path in wanted for parent in _parents(path)}
        for change in self._changes:
            if change.new_mode == ABSENT:
                self._remove_emptied(change.path, above)
        for number, change in enumerate(self._changes):
            if change.new_mode != ABSENT:
                self._put(number, change.path)

    def _move_away(self, number: int, path: bytes) -> None:
        kept, name = b"old-%d" % number, path.rpartition(b"/")[2]
        with self._parent(path) as parent:
            os.rename(name, kept, src_dir_fd=parent, dst_dir_fd=self._staging)
        self._back.append(lambda: self._move(kept, path))
        if signature(os.stat(kept, dir_fd=self._staging, follow_symlinks=False)) != self._seen[path].signature:
            raise OSError(errno.EBUSY, "it changed just now", os.fsdecode(path))

    def _put(self, number: int, path: bytes) -> None:
        for directory in _parents(path):
            self._make_directory(directory)
        new = b"new-%d" % number
        self._move(new, path)

        def take_back() -> None:
            with self._parent(path) as parent:
                os.rename(path.rpartition(b"/")[2], new, src_dir_fd=parent, dst_dir_fd=self._staging)

        self._back.append(take_back)

    def _move(self, staged: bytes, path: bytes) -> None:
        """Move a file out of the directory of our own; never over another."""
        name = path.rpartition(b"/")[2]
        with self._parent(path) as parent:
            with contextlib.suppress(FileNotFoundError):
                found = os.stat(name, dir_fd=parent, follow_symlinks=False)
                if not stat.S_ISDIR(found.st_mode):
                    raise OSError(errno.EEXIST, "something is in its place", os.fsdecode(path))
                os.rmdir(name, dir_fd=parent)  # fails when anything is left in it
                self._back.append(lambda: self._make_directory_again(path, stat.S_IMODE(found.st_mode)))
            os.rename(staged, name, src_dir_fd=self._staging, dst_dir_fd=parent)

    def _make_directory(self, path: bytes) -> None:
        with self._parent(path) as parent:
            try:
                os.mkdir(path.rpartition(b"/")[2], dir_fd=parent)
            except FileExistsError:
                return
        self._back.append(lambda: self._remove_directory(path))

    def _remove_emptied(self, path: bytes, needed: set[bytes]) -> None:
        """Remove the directories that a file was the last to be in, the innermost first."""
        for directory in reversed(_parents(path)):
            if directory in needed or not self._remove_if_empty(directory):
                return

    def _remove_if_empty(self, path: bytes) -> bool:
        name = path.rpartition(b"/")[2]
        try:
            with self._parent(path) as parent:
                mode = stat.S_IMODE(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
                os.rmdir(name, dir_fd=parent)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        self._back.append(lambda: self._make_directory_again(path, mode))
        return True

    def _remove_directory(self, path: bytes) -> None:
        with self._parent(path) as parent:
            os.rmdir(path.rpartition(b"/")[2], dir_fd=parent)

    def _make_directory_again(self, path: bytes, mode: int) -> None:
        name = path.rpartition(b"/")[2]
        with self._parent(path) as parent:
            os.mkdir(name, dir_fd=parent)
            os.chmod(name, mode, dir_fd=parent)

    @contextlib.contextmanager
    def _parent(self, path: bytes) -> Iterator[int]:
        fd = self._root.open_parent(path)
        try:
            yield fd
        finally:
            os.close(fd)

    def _clear(self) -> None:
        """Remove the directory of our own and what is left in it."""
        try:
            for name in os.listdir(self._staging):  # noqa: PTH208 (of a descriptor)
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=self._staging)
        finally:
            os.close(self._staging)
        with contextlib.suppress(OSError):
            os.rmdir(self._name, dir_fd=self._root.fd)


def _parents(path: bytes) -> list[bytes]:
    """Return the directories that a path is in, the outermost first."""
    parts = path.split(b"/")
    return [b"/".join(parts[:count]) for count in range(1, len(parts))]


def _permissions(mode: str, seen: Seen, made: os.stat_result) -> int:
    """Return the permissions of the file in whose place it comes, or of a new one; git keeps only who may run it."""
    base = seen.permissions or stat.S_IMODE(made.st_mode)
    readers = (base & 0o444) >> 2
    return base | readers if mode == EXECUTABLE else base & ~0o111
