"""Reading unified diffs line by line, those that an agent gets wrong included."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from nbharness.events import FileDiff
from nbharness.transcript.outline import Diff
from nbharness.transcript.visible import one_line, printable
from nbharness.transcript.words import changes, plural

__all__ = ["LineKind", "diff_of", "line_kinds"]

LineKind: TypeAlias = Literal["added", "removed", "hunk", "header", "same"]

_HUNK = re.compile(r"@@+ -\d+(?:,(\d{1,7}))? \+\d+(?:,(\d{1,7}))? @@")


def diff_of(change: FileDiff) -> Diff:
    """Return the change as a document shows it: without the file header, which the title repeats."""
    lines = printable(change.patch).removesuffix("\n").split("\n") if change.patch else []
    kinds = line_kinds(lines)
    first = next((index for index, kind in enumerate(kinds) if kind != "header"), 0)
    cut = isinstance(change.truncated, int) and change.truncated > 0
    return Diff(
        path=one_line(change.path),
        counts=changes(change.added, change.removed),
        lines=lines[first:],
        cut=f"… {plural(int(change.truncated), 'byte')} left out" if cut else "",  # type: ignore[arg-type]
    )


def line_kinds(lines: list[str]) -> list[LineKind]:
    """Return what each line of a patch is.

    A hunk owns as many lines as its header says: that tells a removed ``-- comment`` from a file header. Outside a hunk
    a sign still counts, so that a lying header hides nothing.
    """
    kinds: list[LineKind] = []
    old = new = 0
    for line in lines:
        hunk = _HUNK.match(line)
        inside = old > 0 or new > 0
        if hunk:
            old, new = int(hunk[1] or 1), int(hunk[2] or 1)
            kinds.append("hunk")
        elif not inside and line.startswith(("--- ", "+++ ", "diff --git ", "index ", "new file", "deleted file")):
            kinds.append("header")
        else:
            kinds.append({"+": "added", "-": "removed"}.get(line[:1], "same"))  # type: ignore[arg-type]
            old -= line[:1] not in {"+", "\\"}
            new -= line[:1] not in {"-", "\\"}
    return kinds
