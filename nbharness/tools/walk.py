"""Going through the files of a workspace. Blocking; called in a thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence

from nbharness.tools.base import ToolError
from nbharness.tools.files import read_text
from nbharness.tools.patterns import Ignored, matches
from nbharness.tools.tree import Tree

__all__ = ["MAX_FILES", "Stopped", "files_below"]

MAX_FILES = 200_000
"""A workspace with more is searched as far as this."""

_GIT = ".git"
_MAX_DEPTH = 200

_Rules = tuple[tuple[int, Sequence[Ignored]], ...]
"""The rules that hold in a directory, the nearest last, each with how deep the file with them lies."""


class Stopped(Exception):
    """Nobody waits for the answer any more."""


def files_below(tree: Tree, start: str, stop: threading.Event, *, ignored: bool) -> Iterator[str]:
    """Yield the files below a directory, sorted, relative to the workspace. No link is followed or named.

    Args:
        tree: The workspace.
        start: The directory.
        stop: Set when nobody waits any more.
        ignored: Whether what ``.gitignore`` files leave out counts too.

    Raises:
        ToolError: There is no such directory.
        Stopped: `stop` was set.
    """
    with tree.place(start) as place:
        top = "" if place.relative == "." else place.relative
    with tree.directory(top or "."):
        waiting: list[tuple[str, _Rules]] = [(top, () if ignored else _rules_above(tree, top))]
    count = 0
    while waiting:
        if stop.is_set():
            raise Stopped
        directory, rules = waiting.pop()
        if not ignored:
            rules = _with_own(tree, directory, rules)
        below: list[tuple[str, _Rules]] = []
        for name, is_directory in _entries(tree, directory):
            path = f"{directory}/{name}" if directory else name
            if not _is_ignored(path.split("/"), is_directory, rules):
                if is_directory:
                    below.append((path, rules))
                    continue
                count += 1
                if count > MAX_FILES:
                    return
                yield path
        waiting += reversed(below)


def _entries(tree: Tree, directory: str) -> list[tuple[str, bool]]:
    """Return regular files and directories with whether they are one; none of what went away meanwhile."""
    if directory.count("/") > _MAX_DEPTH:
        return []
    try:
        with tree.directory(directory or ".") as fd, os.scandir(fd) as entries:
            found = [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not entry.is_symlink() and (entry.is_dir() or entry.is_file()) and entry.name != _GIT
            ]
    except (ToolError, OSError):
        return []
    return sorted(found)


def _rules_above(tree: Tree, top: str) -> _Rules:
    rules: _Rules = ()
    parts = top.split("/")[:-1] if top else []
    for depth in range(len(parts) + 1 if top else 0):
        rules = _with_own(tree, "/".join(parts[:depth]), rules)
    return rules


def _with_own(tree: Tree, directory: str, rules: _Rules) -> _Rules:
    try:
        text = read_text(tree, f"{directory}/.gitignore" if directory else ".gitignore").text or ""
    except ToolError:
        return rules
    return (*rules, (len(directory.split("/")) if directory else 0, Ignored.read(text)))


def _is_ignored(path: Sequence[str], is_directory: bool, rules: _Rules) -> bool:  # noqa: FBT001 (as the entry says)
    for depth, lines in reversed(rules):
        for line in reversed(lines):
            if (is_directory or not line.directories) and matches(line.pattern, path[depth:]):
                return not line.again
    return False
