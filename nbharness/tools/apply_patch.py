"""``apply_patch``: changes to several files of the workspace, all or none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from nbharness.events import FileDiff
from nbharness.file_diff import file_diff
from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.files import TextFile, read_text, remove_file, write_text
from nbharness.tools.patch import FilePatch, patched, read_patch
from nbharness.tools.tree import Tree

__all__ = ["TOOL"]


class _Patch(Arguments, frozen=True, kw_only=True):
    paths: Annotated[list[str], Meta(description="Every file that the patch names, also the new names.", min_length=1)]
    patch: Annotated[str, Meta(description="The patch, from *** Begin Patch to *** End Patch.", min_length=1)]


@dataclass(frozen=True, slots=True)
class _Change:
    path: str
    before: TextFile
    after: str | None


async def _run(context: ToolContext, args: _Patch) -> ToolOutput:
    return await asyncio.to_thread(_apply, context, args)


def _apply(context: ToolContext, args: _Patch) -> ToolOutput:
    parts = read_patch(args.patch)
    _check_paths(parts, args.paths)
    with Tree(context.workspace) as tree:
        changes = [change for part in parts for change in _changes(tree, part)]
        diffs = _carry_out(tree, changes)
    lines = [f"{diff.path}: {diff.added} lines added, {diff.removed} removed" for diff in diffs]
    return ToolOutput(text="\n".join(lines), diffs=tuple(diffs))


def _check_paths(parts: list[FilePatch], paths: list[str]) -> None:
    """See that rules, which look at `paths`, see all that the patch reaches."""
    named = [path for part in parts for path in (part.path, part.move_to) if path]
    for path in named:
        if path not in paths:
            raise ToolError(f"the patch names {path!r}, which is not among paths: {', '.join(paths)}")
        if named.count(path) > 1:
            raise ToolError(f"the patch names {path!r} more than once; put all that changes in it into one section")


def _changes(tree: Tree, part: FilePatch) -> list[_Change]:
    before = read_text(tree, part.path, missing_ok=part.action == "Add")
    if part.action == "Delete":
        return [_Change(part.path, before, None)]
    if part.action == "Add" and before.text is not None:
        raise ToolError(f"{part.path!r} is there already; change it by '*** Update File: {part.path}'")
    after = patched(part, before.text or "")
    if not part.move_to:
        return [_Change(part.path, before, after)]
    target = read_text(tree, part.move_to, missing_ok=True)
    if target.text is not None:
        raise ToolError(f"{part.move_to!r} is there already; nothing can be moved to it")
    return [_Change(part.move_to, target, after), _Change(part.path, before, None)]


def _carry_out(tree: Tree, changes: list[_Change]) -> list[FileDiff]:
    """Make all changes; when one fails, take back those that were made.

    Raises:
        ToolError: One failed.
    """
    done: list[_Change] = []
    diffs = []
    try:
        for change in changes:
            relative = change.before.relative
            if change.after is None:
                remove_file(tree, change.before, change.path)
            else:
                relative = write_text(tree, change.before, change.path, change.after)
            done.append(change)
            diffs.append(_diff(relative, change))
    except ToolError as error:
        kept = _take_back(tree, done)
        raise ToolError(
            f"{error}. " + (f"Changed all the same: {', '.join(kept)}" if kept else "Nothing was changed")
        ) from error
    return diffs


def _diff(relative: str, change: _Change) -> FileDiff:
    diff = file_diff(relative, change.before.text, change.after or "")
    if change.after is not None:
        return diff
    return FileDiff(
        path=relative,
        patch=diff.patch.replace(f"\n+++ b/{relative}\n", "\n+++ /dev/null\n", 1),
        added=0,
        removed=diff.removed,
        truncated=diff.truncated,
    )


def _take_back(tree: Tree, done: list[_Change]) -> list[str]:
    """Undo changes, the last first; return the paths of those that cannot be."""
    kept = []
    for change in reversed(done):
        try:
            now = read_text(tree, change.path, missing_ok=True)
            if change.before.text is None:
                remove_file(tree, now, change.path)
            else:
                write_text(tree, now, change.path, change.before.text)
        except ToolError:
            kept.append(change.path)
    return kept


TOOL = typed_tool(
    "apply_patch",
    """Change several text files of the workspace, all or none. The patch has this form; lines that stay begin with a \
space, and after @@ may stand a line of the file to say where:
*** Begin Patch
*** Update File: path
@@ def total(items):
 stays
-goes
+comes
*** Add File: path
+content
*** Delete File: path
*** End Patch
To rename a file, '*** Move to: path' follows its Update File line.""",
    _Patch,
    _run,
    kind="edit",
    asks=True,
)
