"""Looks at files of a workspace the way git names them, never through a link."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

__all__ = ["ABSENT", "EXECUTABLE", "LINK", "NESTED", "PLAIN", "Root", "Seen", "blob_hash", "signature"]

ABSENT: Final = "000000"
PLAIN: Final = "100644"
EXECUTABLE: Final = "100755"
LINK: Final = "120000"
NESTED: Final = "160000"
_OTHER: Final = "other"

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MISSING = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
_BLOCK = 1 << 20
_SHA256_DIGITS = 64


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it is now.

    Attributes:
        mode: Mode as git writes it; ``other`` for what git does not keep (a pipe, a directory).
        ids: Its object ids by the two hash functions; none when it is absent or cannot be read.
        signature: Tells it from another file that is put in its place, or from itself after a write.
        permissions: Permission bits; 0 when it is absent.
    """

    mode: str
    ids: frozenset[str] = frozenset()
    signature: tuple[int, ...] = ()
    permissions: int = 0

    def differs(self, mode: str, object_id: str) -> bool:
        """Tell whether it is another file than git names."""
        return self.mode != mode or (mode != ABSENT and object_id not in self.ids)


class Root:
    """The directory that paths are relative to, held open.

    Args:
        directory: The directory.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, directory: Path) -> None:
        self.fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self.fd)

    def open_parent(self, path: bytes) -> int:
        """Open the directory that a path lies in; the caller closes it.

        Raises:
            OSError: It is missing, no directory, or behind a link; or the path would leave the root.
        """
        *parents, name = path.split(b"/")
        if any(part in {b"", b".", b".."} or part.lower() == b".git" for part in (*parents, name)):
            raise OSError(errno.EINVAL, "no path of a work tree", os.fsdecode(path))
        fd = os.dup(self.fd)
        for part in parents:
            try:
                below = os.open(part, _DIRECTORY, dir_fd=fd)
            finally:
                os.close(fd)
            fd = below
        return fd

    def look(self, path: bytes) -> Seen:
        """Return what a path is now."""
        name = path.rpartition(b"/")[2]
        try:
            parent = self.open_parent(path)
        except OSError as error:
            return Seen(ABSENT if error.errno in _MISSING else _OTHER)
        try:
            return _look(name, parent)
        except OSError as error:
            return Seen(ABSENT if error.errno == errno.ENOENT else _OTHER)
        finally:
            os.close(parent)


def blob_hash(size: int, digits: int) -> hashlib._Hash:
    """Return the hash of a blob of that many bytes, to be fed with them, for ids of that many digits."""
    kind = hashlib.sha256 if digits == _SHA256_DIGITS else hashlib.sha1
    return kind(b"blob %d\0" % size, usedforsecurity=False)


def signature(found: os.stat_result) -> tuple[int, ...]:
    """Return what stays the same when a file is moved and not written."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode)


def _look(name: bytes, parent: int) -> Seen:
    found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if stat.S_ISLNK(found.st_mode):
        target = os.readlink(name, dir_fd=parent)
        return Seen(LINK, _ids([target], len(target)), signature(found))
    if not stat.S_ISREG(found.st_mode):
        # A directory where a file was: the file is gone. What lies in the directory is looked at by its own path.
        return Seen(ABSENT if stat.S_ISDIR(found.st_mode) else _OTHER)
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(fd)
        ids = _ids(iter(lambda: file.read(_BLOCK), b""), found.st_size)
    mode = EXECUTABLE if found.st_mode & stat.S_IXUSR else PLAIN
    return Seen(mode, ids, signature(found), stat.S_IMODE(found.st_mode))


def _ids(blocks: Iterable[bytes], size: int) -> frozenset[str]:
    hashes = [blob_hash(size, digits) for digits in (40, _SHA256_DIGITS)]
    for block in blocks:
        for each in hashes:
            each.update(block)
    return frozenset(each.hexdigest() for each in hashes)
