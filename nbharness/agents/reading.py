"""Reads a definition's files through the workspace's own tree: no link leads out, nothing is run, sizes are bounded."""

from __future__ import annotations

import os

from nbharness.agents.definition import SourceFile
from nbharness.errors import BrokenDefinition
from nbharness.tools.base import ToolError
from nbharness.tools.files import read_text
from nbharness.tools.tree import Tree

__all__ = ["MAX_BYTES", "exists", "names_in", "read_source"]

MAX_BYTES = 64 * 1024
"""Of one file; a longer one makes its definition broken."""

_MISSING = (FileNotFoundError, NotADirectoryError)


def read_source(tree: Tree, path: str) -> SourceFile | None:
    """Return a file, or ``None`` when there is none.

    Raises:
        BrokenDefinition: It leads out of the workspace, is too long, or no text.
    """
    try:
        text = read_text(tree, path).text or ""
    except ToolError as error:
        if isinstance(error.__cause__, _MISSING):
            return None
        raise BrokenDefinition(path, None, str(error).removeprefix(f"{path!r}").lstrip(": ")) from error
    if (size := len(text.encode())) > MAX_BYTES:
        raise BrokenDefinition(path, None, f"has {size} bytes; valid: at most {MAX_BYTES}")
    return SourceFile(path, text)


def names_in(tree: Tree, path: str, *, at_most: int = 100) -> list[str]:
    """Return the names in a directory, sorted; none when there is no such directory.

    Args:
        tree: The workspace.
        path: The directory.
        at_most: How many names it may hold.

    Raises:
        BrokenDefinition: It leads out of the workspace, or holds too many.
    """
    try:
        with tree.directory(path) as directory, os.scandir(directory) as entries:
            names = sorted(entry.name for entry in entries)
    except ToolError as error:
        if isinstance(error.__cause__, _MISSING):
            return []
        raise BrokenDefinition(path, None, str(error).removeprefix(f"{path!r}").lstrip(": ")) from error
    if len(names) > at_most:
        raise BrokenDefinition(path, None, f"holds {len(names)} files; valid: at most {at_most}")
    return names


def exists(tree: Tree, path: str) -> bool:
    """Tell whether something of that name is there, whatever it is; a link out of the workspace is there, too."""
    try:
        with tree.place(path) as place:
            os.stat(place.name, dir_fd=place.parent, follow_symlinks=False)
    except ToolError as error:
        return not isinstance(error.__cause__, _MISSING)
    return True
