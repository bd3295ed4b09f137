"""A unified diff out of two texts, before and after. Pure."""

from __future__ import annotations

import difflib
import io
import os.path
from itertools import islice

from msgspec import UNSET

from nbharness.events import FileDiff

__all__ = ["file_diff", "relative"]

_CONTEXT_LINES = 3
_MAX_COMPARED_LINES = 2000
"""Above this, in either text, what differs is shown as one block: comparing takes the square of it."""
_MAX_PATCH_BYTES = 256 * 1024
_UNENDED = "\n\\ No newline at end of file\n"


def file_diff(path: str, old: str | None, new: str, workspace: str = "") -> FileDiff:
    """Return a change to a file as events hold it.

    Args:
        path: The file, as the agent names it.
        old: Its text before; ``None`` when it is new.
        new: Its text after.
        workspace: Directory that paths are shown relative to.
    """
    name = relative(path, workspace)
    before, after = _lines(old or ""), _lines(new)
    lines = _compared(before, after)
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    head = ["--- /dev/null\n" if old is None else f"--- a/{name}\n", f"+++ b/{name}\n"] if lines else []
    # Agents also send a piece of a file as if it were all of it; that it ends without a newline says nothing then.
    mark = old is None or old.endswith("\n") is not new.endswith("\n")
    patch = "".join(line if line.endswith("\n") else line + (_UNENDED if mark else "\n") for line in (*head, *lines))
    encoded = patch.encode("utf-8", "surrogatepass")
    kept = encoded[:_MAX_PATCH_BYTES].decode("utf-8", "ignore") if len(encoded) > _MAX_PATCH_BYTES else patch
    return FileDiff(
        path=name,
        patch=kept,
        added=added,
        removed=removed,
        truncated=len(encoded) - _MAX_PATCH_BYTES if len(encoded) > _MAX_PATCH_BYTES else UNSET,
    )


def relative(path: str, workspace: str) -> str:
    """Return a path relative to the workspace when it lies inside."""
    root = workspace.rstrip("/") + "/"
    clean = os.path.normpath(path) if path.startswith("/") else path
    return clean.removeprefix(root) if workspace and clean.startswith(root) else path


def _lines(text: str) -> list[str]:
    """A form feed or a line separator is part of a line, as it is for git."""
    return list(io.StringIO(text, newline="\n"))


def _compared(before: list[str], after: list[str]) -> list[str]:
    """The lines of a unified diff from its first ``@@`` on."""
    start = _same(before, after)
    end = _same(reversed(before[start:]), reversed(after[start:]))
    first, last = max(0, start - _CONTEXT_LINES), max(0, end - _CONTEXT_LINES)
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    if max(len(old), len(new)) > _MAX_COMPARED_LINES:
        return _as_block(before, after, start, end)
    lines = difflib.unified_diff(old, new, n=_CONTEXT_LINES)
    return [_moved(line, first) for line in islice(lines, 2, None)]


def _as_block(before: list[str], after: list[str], start: int, end: int) -> list[str]:
    first, tail = max(0, start - _CONTEXT_LINES), min(end, _CONTEXT_LINES)
    old, new = len(before) - end, len(after) - end
    counts = old + tail - first, new + tail - first
    return [
        f"@@ -{first + 1},{counts[0]} +{first + 1},{counts[1]} @@\n",
        *(f" {line}" for line in before[first:start]),
        *(f"-{line}" for line in before[start:old]),
        *(f"+{line}" for line in after[start:new]),
        *(f" {line}" for line in before[old : old + tail]),
    ]


def _moved(line: str, by: int) -> str:
    """A hunk's head, counted from the beginning of the file again."""
    if not line.startswith("@@") or not by:
        return line
    _, old, new, _ = line.split(" ")
    return f"@@ {_shifted(old, by)} {_shifted(new, by)} @@\n"


def _shifted(span: str, by: int) -> str:
    start, comma, count = span[1:].partition(",")
    return f"{span[0]}{int(start) + by}{comma}{count}"


def _same(one: object, other: object) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):  # type: ignore[call-overload]
        if left != right:
            break
        count += 1
    return count
