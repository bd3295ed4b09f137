"""What git knows about a directory, read from its files: running git where an agent may write can run its code."""

from __future__ import annotations

import errno
from pathlib import Path

__all__ = ["branch_of", "find_git_dir", "first_line"]

_BRANCH = "ref: refs/heads/"
_SHORT_HASH = 7
_MAX_BYTES = 4096


def branch_of(directory: Path) -> str | None:
    """Return the branch that is checked out, the short hash of a detached commit, or ``None`` outside a repository.

    Args:
        directory: Any directory of a work tree; linked work trees are understood.
    """
    for parent in (directory, *directory.parents):
        marker = parent / ".git"
        try:
            head = _beginning(_git_dir(marker) / "HEAD")
        except (OSError, ValueError):  # no such file, or what a file names is no path
            continue
        return head.removeprefix(_BRANCH) if head.startswith(_BRANCH) else head[:_SHORT_HASH]
    return None


def find_git_dir(directory: Path) -> tuple[Path, Path] | None:
    """Return the top of the work tree that a directory is in, and its git directory; ``None`` outside a repository."""
    for parent in (directory, *directory.parents):
        try:
            git_dir = _git_dir(parent / ".git")
            if (git_dir / "HEAD").is_file():
                return parent, git_dir
        except (OSError, ValueError):
            continue
    return None


def first_line(file: Path) -> str:
    """Return the first line of a small text file.

    Raises:
        OSError: There is no such regular file.
    """
    return _beginning(file)


def _git_dir(marker: Path) -> Path:
    if marker.is_dir():
        return marker
    return marker.parent / _beginning(marker).removeprefix("gitdir: ")


def _beginning(file: Path) -> str:
    """Return the first line of a text file, or its beginning; an agent may have put a pipe or a device there."""
    if not file.is_file():
        raise FileNotFoundError(errno.ENOENT, "no regular file", str(file))
    with file.open("rb") as opened:
        return opened.read(_MAX_BYTES).decode("utf-8", errors="replace").strip().partition("\n")[0]
