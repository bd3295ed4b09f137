"""``write``: a file of the workspace, whole."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import Meta

from nbharness.file_diff import file_diff
from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.files import TextFile, read_text, write_text
from nbharness.tools.tree import Tree

__all__ = ["TOOL"]


class _Write(Arguments, frozen=True, kw_only=True):
    path: Annotated[str, Meta(description="The file, relative to the workspace.", min_length=1)]
    content: Annotated[str, Meta(description="All that it is to hold.")]


async def _run(context: ToolContext, args: _Write) -> ToolOutput:
    return await asyncio.to_thread(_write, context, args)


def _write(context: ToolContext, args: _Write) -> ToolOutput:
    with Tree(context.workspace) as tree:
        before: TextFile = read_text(tree, args.path, missing_ok=True)
        if before.text == args.content:
            raise ToolError(f"{args.path!r} holds exactly this already; nothing was written")
        path = write_text(tree, before, args.path, args.content)
    diff = file_diff(path, before.text, args.content)
    did = "made" if before.text is None else "replaced"
    return ToolOutput(text=f"{did} {path}: {diff.added} lines added, {diff.removed} removed", diffs=(diff,))


TOOL = typed_tool(
    "write",
    "Write a text file of the workspace whole, new or in the place of the old; directories are made. "
    "To change a part of a file use edit.",
    _Write,
    _run,
    kind="edit",
    asks=True,
)
