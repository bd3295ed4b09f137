"""Whether a path is one that a pattern speaks about."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

__all__ = ["is_inside", "path_matches"]

_ANY_DEPTH = "**"


def path_matches(pattern: str, path: str, workspace: str, *, allows: bool) -> bool:
    """Tell whether a pattern speaks about a path, which is looked at as it is on disk, links followed.

    Args:
        pattern: A glob relative to the workspace; ``*`` does not cross a ``/``, ``**`` does.
        path: As an agent wrote it.
        workspace: Where relative paths start; what lies outside never matches.
        allows: True when a match lets the action through. Then a wildcard covers no name that begins with a dot, as
            in a shell: such files configure what runs.
    """
    below = _below(path, workspace)
    return below is not None and _match(PurePosixPath(pattern).parts, below, hidden=not allows)


def is_inside(path: str, workspace: str) -> bool:
    """Tell whether a path is the workspace or lies in it, links followed."""
    return _below(path, workspace) is not None


def _below(path: str, workspace: str) -> Sequence[str] | None:
    root = os.path.realpath(workspace)
    try:
        resolved = os.path.realpath(Path(workspace) / path)
        if os.path.commonpath([resolved, root]) != root:
            return None
    except ValueError:  # no path, or one on another drive
        return None
    return PurePosixPath(os.path.relpath(resolved, root)).parts


def _match(wanted: Sequence[str], parts: Sequence[str], *, hidden: bool) -> bool:
    if not wanted or not parts:
        return not wanted and not parts
    if wanted[0] == _ANY_DEPTH:
        rest = parts[1:]
        if len(wanted) > 1 and _match(wanted[1:], parts, hidden=hidden):
            return True
        return _is_covered(parts[0], "*", hidden=hidden) and (
            _match(wanted, rest, hidden=hidden) if rest else len(wanted) == 1
        )
    return _is_covered(parts[0], wanted[0], hidden=hidden) and _match(wanted[1:], parts[1:], hidden=hidden)


def _is_covered(name: str, pattern: str, *, hidden: bool) -> bool:
    return fnmatch.fnmatchcase(name, pattern) and (hidden or not name.startswith(".") or pattern.startswith("."))
