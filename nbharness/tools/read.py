"""``read``: lines of a text file of the workspace, or the names in a directory."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

from msgspec import Meta

from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.files import read_text
from nbharness.tools.output import capped
from nbharness.tools.tree import Tree

__all__ = ["TOOL"]

_LINES, _LINE_CHARS, _NAMES = 2000, 2000, 1000


class _Read(Arguments, frozen=True, kw_only=True):
    path: Annotated[str, Meta(description="The file or directory, relative to the workspace.", min_length=1)]
    offset: Annotated[int, Meta(description="First line; lines count from 1.", ge=1)] = 1
    limit: Annotated[int, Meta(description="Number of lines.", ge=1)] = _LINES


async def _run(context: ToolContext, args: _Read) -> ToolOutput:
    return ToolOutput(text=await asyncio.to_thread(_read, context, args))


def _read(context: ToolContext, args: _Read) -> str:
    with Tree(context.workspace) as tree:
        if (names := _names(tree, args.path)) is not None:
            more = [f"[{len(names) - _NAMES} more]"] if len(names) > _NAMES else []
            return capped("\n".join([*names[:_NAMES], *more])) or "(an empty directory)"
        lines = (read_text(tree, args.path).text or "").splitlines()
    if not lines:
        return "(an empty file)"
    if args.offset > len(lines):
        raise ToolError(f"{args.path!r} has {len(lines)} lines; offset {args.offset} is after the last")
    end = args.offset - 1 + args.limit
    shown = [f"{number:6}\t{_short(line)}" for number, line in enumerate(lines[args.offset - 1 : end], args.offset)]
    if end < len(lines):
        shown.append(f"[{len(lines) - end} more lines, from offset {end + 1}]")
    return capped("\n".join(shown))


def _short(line: str) -> str:
    more = len(line) - _LINE_CHARS
    return line if more <= 0 else f"{line[:_LINE_CHARS]} [{more} more characters]"


def _names(tree: Tree, path: str) -> list[str] | None:
    """Return the names in a directory, those of directories with a ``/``; ``None`` when it is none."""
    try:
        with tree.directory(path) as directory, os.scandir(directory) as entries:
            return sorted(entry.name + "/" * entry.is_dir(follow_symlinks=False) for entry in entries)
    except ToolError as error:
        if isinstance(error.__cause__, NotADirectoryError):
            return None
        raise


TOOL = typed_tool(
    "read",
    "Read a text file of the workspace; each line comes with its number and a tab, which are not part of the file. "
    "Of a directory the names in it.",
    _Read,
    _run,
    kind="read",
    asks=False,
)
