"""The database as files: private, on which kind of disk, and how to put a damaged one aside."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from pathlib import Path

__all__ = [
    "SIDECARS",
    "create_private",
    "identity",
    "is_on_network",
    "is_writable",
    "open_private",
    "put_aside",
    "size",
]

SIDECARS = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database."""

_MOUNTS = Path("/proc/self/mounts")
# How that table writes a blank in a name.
_OCTAL = re.compile(r"\\([0-7]{3})")
_NETWORK = {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"}
_NETWORK |= {"ocfs2", "orangefs", "panfs", "prl_fs", "smb3", "smbfs", "vboxsf", "vmhgfs"}


def create_private(path: Path) -> None:
    """Create an empty file that only the user can read, and the directories that lead to it, unless they exist.

    SQLite gives its sidecars the mode of the database, so they are private too. A file that others could read no longer
    is; directories that exist are left alone, they may be shared on purpose.

    Raises:
        OSError: If it cannot be created.
    """
    _create_directories(path.parent)
    try:
        # Never opened when it exists: closing a second descriptor drops the locks that SQLite holds in this process.
        os.close(_open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            path.chmod(mode & 0o700)


def open_private(path: Path) -> int:
    """Open a file for reading and writing, created when needed, that only the user can read; return the descriptor.

    Raises:
        OSError: If it cannot be opened.
    """
    return _open(path, os.O_CREAT)


def put_aside(path: Path) -> Path:
    """Rename a database and its sidecars to ``<name>.corrupt-<time>`` and return the new path.

    On POSIX a connection that still has it open then writes nothing more: SQLite notices the move and does not
    checkpoint when it closes.

    Raises:
        OSError: If it cannot be renamed.
    """
    stamp = time.strftime("%Y%m%dT%H%M%S")
    names = [f"{path.name}.corrupt-{stamp}", *(f"{path.name}.corrupt-{stamp}-{n}" for n in range(1, 100))]
    aside = next(new for name in names if not (new := path.with_name(name)).exists())
    for suffix in ("", *SIDECARS):
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.rename(aside.with_name(aside.name + suffix))
    return aside


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells this file from another one of the same name, or ``None`` when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def size(path: Path) -> int:
    """Return the size of a file in bytes, 0 when there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def is_writable(path: Path) -> bool:
    """Tell whether a file that exists, and its directory, where SQLite keeps its sidecars, can be written."""
    return os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)


def is_on_network(path: Path, mounts: Path = _MOUNTS) -> bool:
    """Tell whether a file lies on a network file system, where SQLite's write-ahead log is not safe.

    Known for certain on Linux only; elsewhere a file counts as local unless its name says otherwise.

    Args:
        path: The file; it need not exist.
        mounts: The system's table of mounts.
    """
    if str(path).startswith("\\\\"):
        return True
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    real = path.resolve()
    best, kind = -1, ""
    for line in lines:
        _, point, found, *_ = line.split(" ")
        mounted = Path(_OCTAL.sub(lambda match: chr(int(match[1], 8)), point))
        # Later mounts cover earlier ones at the same place.
        if real.is_relative_to(mounted) and len(mounted.parts) >= best:
            best, kind = len(mounted.parts), found
    return kind in _NETWORK or kind.startswith("fuse.")


def _create_directories(directory: Path) -> None:
    missing = [each for each in (directory, *directory.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        each.chmod(0o700)


def _open(path: Path, flags: int) -> int:
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | flags, 0o600)
    if hasattr(os, "fchmod"):
        # Whatever the umask, also one that takes the user's own rights. Some file systems know no modes.
        with contextlib.suppress(PermissionError):
            os.fchmod(descriptor, 0o600)
    return descriptor
