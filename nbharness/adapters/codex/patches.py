"""Codex's file changes as diffs. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from msgspec import UNSET

from nbharness.adapters.codex.messages import Change
from nbharness.events import FileDiff, ToolKind

__all__ = ["change_args", "change_kind", "file_diff", "shown_path"]

_MAX_PATCH_CHARS = 256 * 1024
_NOWHERE = "/dev/null"


def shown_path(path: str, workspace: str) -> str:
    """Return a path as people see it: relative to the workspace when it lies inside."""
    try:
        return str(PurePosixPath(path).relative_to(workspace))
    except ValueError:
        return path


def file_diff(change: Change, workspace: str) -> FileDiff:
    """Return a change as a unified diff of one file.

    Args:
        change: As Codex tells it.
        workspace: Directory that paths are shown relative to.
    """
    path = shown_path(change.path, workspace)
    target = shown_path(change.kind.move_path, workspace) if change.kind.move_path else path
    match change.kind.type:
        case "add":
            hunks, old, new = _whole(change.diff, "+"), _NOWHERE, f"b/{path}"
        case "delete":
            hunks, old, new = _whole(change.diff, "-"), f"a/{path}", _NOWHERE
        case _:
            hunks, old, new = change.diff, f"a/{path}", f"b/{target}"
    lines = hunks.split("\n")
    patch = f"--- {old}\n+++ {new}\n{hunks}"
    return FileDiff(
        path=target,
        patch=patch[:_MAX_PATCH_CHARS],
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        truncated=len(patch) - _MAX_PATCH_CHARS if len(patch) > _MAX_PATCH_CHARS else UNSET,
    )


def change_args(changes: Iterable[Change], workspace: str) -> dict[str, Any]:
    """Return a patch as arguments: every path that it touches, and exactly what it does to them."""
    listed = list(changes)
    paths = [path for change in listed for path in (change.path, change.kind.move_path) if path]
    return {
        "paths": [shown_path(path, workspace) for path in paths],
        "changes": [_change_arg(change, workspace) for change in listed],
    }


def change_kind(changes: Iterable[Change]) -> ToolKind:
    """Return what a patch does in a word."""
    kinds = {"move" if change.kind.move_path and not change.diff else change.kind.type for change in changes}
    return "delete" if kinds == {"delete"} else "move" if kinds == {"move"} else "edit"


def _change_arg(change: Change, workspace: str) -> dict[str, Any]:
    arg: dict[str, Any] = {"kind": change.kind.type, "diff": change.diff}
    if change.kind.move_path:
        arg["to"] = shown_path(change.kind.move_path, workspace)
    return {"path": shown_path(change.path, workspace), **arg}


def _whole(content: str, mark: str) -> str:
    if not content:
        return ""
    lines = content.removesuffix("\n").split("\n")
    head = f"@@ -0,0 +1,{len(lines)} @@" if mark == "+" else f"@@ -1,{len(lines)} +0,0 @@"
    tail = "" if content.endswith("\n") else "\n\\ No newline at end of file"
    return head + "\n" + "\n".join(mark + line for line in lines) + tail + "\n"
