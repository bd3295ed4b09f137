"""What is too much to look at before every turn."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["SnapshotRefused", "check_place", "escaped", "find_large_files"]

MAX_NEW_FILES: Final = 30_000
MAX_NEW_BYTES: Final = 512 << 20
LARGE_FILE_BYTES: Final = 50 << 20
"""A file that nobody has told git of and that is larger is left out, and named like those that git ignores."""

_SPECIAL = frozenset(b"\\*?[]!# ")


class SnapshotRefused(Exception):
    """No snapshot is taken of a workspace; the text tells people why."""


def check_place(workspace: Path) -> None:
    """Refuse the home directory and what is above it.

    Raises:
        SnapshotRefused: With the reason.
    """
    if Path.home().resolve().is_relative_to(workspace):
        what = "the home directory" if workspace == Path.home().resolve() else f"{workspace}, above the home directory"
        raise SnapshotRefused(
            f"This turn works in {what}: what it changes is not shown and cannot be undone. "
            "Work in the directory of a project."
        )


def find_large_files(workspace: Path, names: Sequence[bytes]) -> set[bytes]:
    """Look at the size of files that are new to a shadow before it copies them.

    Args:
        workspace: What the names are relative to.
        names: The files.

    Returns:
        Those that are left out.

    Raises:
        SnapshotRefused: They are too many or too large.
    """
    if len(names) > MAX_NEW_FILES:
        _refuse(workspace, f"{len(names):,} files that git does not know")
    total, large = 0, set()
    for name in names:
        try:
            found = os.lstat(os.fsencode(workspace) + b"/" + name)
        except OSError:  # gone meanwhile
            continue
        if not stat.S_ISREG(found.st_mode):
            continue
        if found.st_size > LARGE_FILE_BYTES and b"\n" not in name:
            large.add(name)
        else:
            total += found.st_size
    if total > MAX_NEW_BYTES:
        _refuse(workspace, f"{total >> 20:,} MiB in {len(names):,} files that git does not know")
    return large


def _refuse(workspace: Path, what: str) -> None:
    raise SnapshotRefused(
        f"{workspace} holds {what}; at most {MAX_NEW_FILES:,} files and {MAX_NEW_BYTES >> 20} MiB are looked at. "
        "What this turn changes is not shown and cannot be undone. List large or made files in .gitignore, or work in "
        "a smaller directory."
    )


def escaped(name: bytes) -> bytes:
    """Return a name as an ignore rule writes it, in which it stands for itself."""
    return b"".join(b"\\" + bytes([byte]) if byte in _SPECIAL else bytes([byte]) for byte in name)
