"""Claude's tools: what they do, what they would change, and what they did. Pure."""

from __future__ import annotations

import difflib
import itertools
import re
from pathlib import PurePosixPath
from typing import Any

from msgspec import UNSET

from nbharness.adapters.claude.fields import items, number, text
from nbharness.events import FileDiff, ToolKind

__all__ = ["HIDDEN", "done_diffs", "exit_code_of", "kind_of", "output_of", "proposed_diffs"]

HIDDEN = frozenset({"AskUserQuestion", "ExitPlanMode", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite"})
"""Tools whose calls are shown as what they are for: a question, a plan, a checklist."""

_KINDS: dict[str, ToolKind] = {
    "Agent": "agent",
    "Bash": "execute",
    "Edit": "edit",
    "Glob": "search",
    "Grep": "search",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "NotebookRead": "read",
    "Read": "read",
    "Task": "agent",
    "WebFetch": "fetch",
    "WebSearch": "fetch",
    "Write": "edit",
}
_MAX_PATCH_CHARS = 256 * 1024
_MAX_COMPARED = 4_000_000
"""Lines before times lines after that are compared one by one, which takes the square of their number at worst."""
_EXIT = re.compile(r"Exit code (\d{1,3})\b")


def kind_of(tool: str) -> ToolKind:
    """Return what a tool does."""
    return _KINDS.get(tool, "other")


def proposed_diffs(tool: str, args: Any, workspace: str, before: str | None = None) -> tuple[FileDiff, ...]:
    """Return what a call would change, as far as its arguments tell: for an edit its own lines, with no line numbers.

    Args:
        tool: The tool.
        args: Its arguments.
        workspace: Directory that paths are shown relative to.
        before: The file as it is, for a call that replaces it; ``None`` when there is none.
    """
    path = text(args, "file_path")
    if not path or tool not in {"Write", "Edit", "MultiEdit"}:
        return ()
    edits = items(args, "edits") if tool == "MultiEdit" else [args]
    pairs = [(before or "", text(args, "content"))] if tool == "Write" else [
        (text(edit, "old_string"), text(edit, "new_string")) for edit in edits
    ]  # fmt: skip
    lines = [line for old, new in pairs for line in _changed(old, new)]
    return (_file_diff(path, lines, workspace, is_new=tool == "Write" and before is None),)


def done_diffs(result: Any, workspace: str) -> list[FileDiff]:
    """Return what a call changed, out of its structured result."""
    path, patch = text(result, "filePath"), items(result, "structuredPatch")
    if not path or not isinstance(result, dict) or "structuredPatch" not in result:
        return []
    is_new = result.get("type") == "create"
    lines = _changed("", text(result, "content")) if is_new else [line for hunk in patch for line in _hunk(hunk)]
    return [_file_diff(path, lines, workspace, is_new=is_new)] if lines else []


def output_of(tool: str, block: Any, result: Any) -> str:
    """Return the output of a call: what a command printed, or what the model was told."""
    if tool == "Bash" and isinstance(result, dict) and "stdout" in result:
        parts = (text(result, "stdout"), text(result, "stderr"))
        return "\n".join(part for part in parts if part)
    content = block.get("content") if isinstance(block, dict) else None
    if isinstance(content, str):
        return content
    return "\n".join(text(part, "text") or f"[{text(part, 'type')}]" for part in items(block, "content"))


def exit_code_of(tool: str, output: str, *, is_error: bool) -> int | None:
    """Return the exit status of a command; ``None`` when it is not told."""
    if tool != "Bash":
        return None
    found = _EXIT.match(output)
    return int(found[1]) if found and is_error else None if is_error else 0


def _changed(old: str, new: str) -> list[str]:
    before, after = old.splitlines(), new.splitlines()
    if len(before) * len(after) > _MAX_COMPARED:
        return _replaced(before, after)
    return list(difflib.unified_diff(before, after, lineterm="", n=3))[2:]


def _replaced(before: list[str], after: list[str]) -> list[str]:
    """Return a hunk that replaces all between the first and the last line that differ, in linear time."""
    same = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    head = min(len(before), len(after)) if same is None else same
    tails = zip(reversed(before[head:]), reversed(after[head:]), strict=False)
    tail = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], tails))
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return []
    starts = (head + 1 if old else head, head + 1 if new else head)
    place = f"@@ -{starts[0]},{len(old)} +{starts[1]},{len(new)} @@"
    return [place, *(f"-{line}" for line in old), *(f"+{line}" for line in new)]


def _hunk(hunk: dict[str, Any]) -> list[str]:
    places = [number(hunk, name) or 0 for name in ("oldStart", "oldLines", "newStart", "newLines")]
    lines = hunk.get("lines")
    kept = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
    return ["@@ -{},{} +{},{} @@".format(*places), *kept]


def _file_diff(path: str, lines: list[str], workspace: str, *, is_new: bool) -> FileDiff:
    shown = _shown(path, workspace)
    head = [f"--- {'/dev/null' if is_new else f'a/{shown}'}", f"+++ b/{shown}"]
    patch = "\n".join([*head, *lines]) + "\n"
    return FileDiff(
        path=shown,
        patch=patch[:_MAX_PATCH_CHARS],
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        truncated=len(patch) - _MAX_PATCH_CHARS if len(patch) > _MAX_PATCH_CHARS else UNSET,
    )


def _shown(path: str, workspace: str) -> str:
    try:
        return str(PurePosixPath(path).relative_to(workspace))
    except ValueError:
        return path
