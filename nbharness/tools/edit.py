"""``edit``: puts one text in the place of another in a file of the workspace."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import Meta

from nbharness.file_diff import file_diff
from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.files import read_text, write_text
from nbharness.tools.tree import Tree

__all__ = ["TOOL"]


class _Edit(Arguments, frozen=True, kw_only=True):
    path: Annotated[str, Meta(description="The file, relative to the workspace.", min_length=1)]
    old_string: Annotated[str, Meta(description="What stands there, to the letter, indentation too.", min_length=1)]
    new_string: Annotated[str, Meta(description="What is to stand there instead.")]
    replace_all: Annotated[bool, Meta(description="Replace every occurrence instead of the only one.")] = False


async def _run(context: ToolContext, args: _Edit) -> ToolOutput:
    return await asyncio.to_thread(_edit, context, args)


def _edit(context: ToolContext, args: _Edit) -> ToolOutput:
    if args.old_string == args.new_string:
        raise ToolError("edit: old_string and new_string are the same; nothing was changed")
    with Tree(context.workspace) as tree:
        file = read_text(tree, args.path)
        text = file.text or ""
        old, new = args.old_string, args.new_string
        if old not in text and "\r\n" in text:
            # Models see and write plain line ends.
            old, new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
        count = text.count(old)
        if not count:
            raise ToolError(
                f"edit: old_string does not stand in {args.path!r}; read the file and copy it to the letter"
            )
        if count > 1 and not args.replace_all:
            raise ToolError(
                f"edit: old_string stands {count} times in {args.path!r}; give more of what is around it, "
                "or replace_all=true"
            )
        after = text.replace(old, new)
        path = write_text(tree, file, args.path, after)
    diff = file_diff(path, text, after)
    times = f"{count} places, " if count > 1 else ""
    return ToolOutput(text=f"changed {path}: {times}{diff.added} lines added, {diff.removed} removed", diffs=(diff,))


TOOL = typed_tool(
    "edit",
    "Replace a text in a file of the workspace. The old text must stand there exactly once, or replace_all is given. "
    "Read the file before; line numbers are not part of it.",
    _Edit,
    _run,
    kind="edit",
    asks=True,
)
