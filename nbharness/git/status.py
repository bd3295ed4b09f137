"""Reads what ``git status`` says of a work tree."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Status", "has_nested", "parse_status"]

_NESTED_MODE = b"\x00\x00\xe0\x00"
"""How an index writes the mode of a nested repository."""
_PATH = 3
"""Where the path begins, after two letters and a space."""


@dataclass(frozen=True, slots=True)
class Status:
    """How a workspace differs from an index. Paths are relative to the workspace; those of directories end in a slash.

    Attributes:
        changed: Files in the index that are now others, or gone.
        others: Files that are not in the index. A nested repository is one of them, as a directory.
        ignored: Files and directories that git ignores.
    """

    changed: list[bytes]
    others: list[bytes]
    ignored: list[bytes]


def parse_status(data: bytes, prefix: bytes) -> Status:
    """Read the output of ``git status --porcelain -z --no-renames --ignored``.

    Args:
        data: The output.
        prefix: Path of the workspace in the work tree, with a slash at its end; empty for its top.

    Raises:
        ValueError: It is none.
    """
    found = Status([], [], [])
    # The first letter compares the index with a commit, which does not matter; many lines may say no more than that.
    for line in [line for line in data.split(b"\0") if line[1:2] not in (b" ", b"")]:
        letters, path = line[: _PATH - 1], line[_PATH:]
        if line[_PATH - 1 : _PATH] != b" " or not path:
            raise ValueError(f"git told the status of files as {line[:80]!r}")
        # All of the workspace may be in a directory that git ignores.
        name = path[len(prefix) :] if path.startswith(prefix) and path != prefix else b"./"
        if letters == b"!!":
            found.ignored.append(name)
        elif letters == b"??":
            found.others.append(name)
        else:
            found.changed.append(name)
    return found


def has_nested(index: Path) -> bool:
    """Tell whether an index may hold a nested repository; when it says no, there is none."""
    if not index.exists() or not index.stat().st_size:
        return False
    with index.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(_NESTED_MODE) >= 0
