"""What a call would change, shown before it may: the change is made in a copy of the files that the call names."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from nbharness.events import FileDiff
from nbharness.policy import paths_of
from nbharness.tools.base import Tool, ToolContext, ToolError
from nbharness.tools.files import read_text
from nbharness.tools.tree import Tree

__all__ = ["preview"]

_PREVIEWED = frozenset({"write", "edit", "apply_patch"})
"""Tools of ours that do nothing but change the files that their arguments name. Those of others may do anything."""


async def preview(tool: Tool, args: dict[str, Any], workspace: Path) -> tuple[FileDiff, ...]:
    """Return what a call would change; nothing where that cannot be told or the call would fail.

    Args:
        tool: The tool.
        args: Its arguments.
        workspace: Where it would work.
    """
    if tool.name not in _PREVIEWED:
        return ()
    with tempfile.TemporaryDirectory(prefix="nbharness-preview-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        context = ToolContext(workspace=scratch, write=lambda _text: None, environment={})
        try:
            await asyncio.to_thread(_copy, workspace, scratch, paths_of(args))
            return (await tool.run(context, args)).diffs
        except (ToolError, OSError, ValueError):
            return ()


def _copy(workspace: Path, scratch: Path, paths: Sequence[str]) -> None:
    with Tree(workspace) as tree:
        for path in paths:
            parts = PurePosixPath(path).parts
            if path.startswith("/") or ".." in parts:
                raise ToolError(f"{path!r} has no place in a copy")
            text = read_text(tree, path, missing_ok=True).text
            if text is not None:
                copy = scratch.joinpath(*parts)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(text.encode())
