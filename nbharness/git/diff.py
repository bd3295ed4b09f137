"""Reads what ``git diff-index`` and ``git diff-tree`` write: names and counts (NUL separated), and patches."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET

from nbharness.events import FileDiff

__all__ = ["Change", "parse_changes", "read_diff", "shown"]

MAX_FILES = 300
"""Files whose diffs are told; more are only counted."""
MAX_FILE_BYTES = 200_000
MAX_ALL_BYTES = 2_000_000

_SECTION = b"diff --git "


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs between two trees.

    Attributes:
        path: Path in the newer tree (of a deleted file, in the older).
        old_path: Path in the older tree.
        status: A, D, M, R (renamed), C or T (of another type).
        old_mode: Mode in octal digits, ``000000`` when it was not there.
        new_mode: As `old_mode`.
        old_id: Object id, all zeros when it was not there.
        new_id: As `old_id`.
        added: Lines added; 0 for a binary file.
        removed: Lines removed.
    """

    path: bytes
    old_path: bytes
    status: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str
    added: int = 0
    removed: int = 0


def parse_changes(data: bytes) -> list[Change]:
    """Read the output of ``diff-tree -z --raw [--numstat]``, in its order.

    Raises:
        ValueError: It is none.
    """
    fields = iter(data.split(b"\0"))
    raw: list[Change] = []
    counts: list[tuple[int, int]] = []
    for field in fields:
        if field.startswith(b":"):
            raw.append(_raw_change(field, fields))
        elif field:
            counts.append(_counts(field, fields))
    if counts and len(counts) != len(raw):
        raise ValueError(f"git named {len(raw)} files and counted lines of {len(counts)}")
    return [_with_counts(change, *count) for change, count in zip(raw, counts, strict=True)] if counts else raw


def read_diff(file: Path) -> tuple[list[Change], list[FileDiff]]:
    """Read the output of ``diff-index -z --raw --numstat -p`` piecemeal; it may be larger than memory.

    Returns:
        The files, and the diffs of as many as are told.

    Raises:
        ValueError: It is none.
    """
    if not file.stat().st_size:
        return [], []
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        # No name is empty, so two NULs in a row are where the names end.
        end = content.find(b"\0\0")
        names = len(content) if end < 0 else end + 1
        changes = parse_changes(content[:names])
        return changes, _file_diffs(changes, content, names + 1)


def _file_diffs(changes: list[Change], patch: mmap.mmap, start: int) -> list[FileDiff]:
    """Return the diffs of files, in the order of the patch; those that do not fit are cut or left out."""
    diffs: list[FileDiff] = []
    left = MAX_ALL_BYTES
    sections = _sections(patch, start)
    for change in changes[:MAX_FILES]:
        # A file that became a link is shown as one that goes and one that comes.
        spans = [span for _ in range(2 if change.status == "T" else 1) for span in [next(sections, (0, 0))]]
        start, end = spans[0][0], spans[-1][1]
        kept = min(end - start, MAX_FILE_BYTES, left)
        left -= kept
        diffs.append(_diff(change, patch[start : start + kept], end - start - kept))
    return diffs


def _raw_change(field: bytes, fields: Iterator[bytes]) -> Change:
    old_mode, new_mode, old_id, new_id, status = field[1:].decode("ascii").split(" ")
    first = next(fields)
    second = next(fields) if status[0] in "RC" else first
    return Change(second, first, status[0], old_mode, new_mode, old_id, new_id)


def _counts(field: bytes, fields: Iterator[bytes]) -> tuple[int, int]:
    added, removed, path = field.split(b"\t", 2)
    if not path:  # a rename: its two names follow
        next(fields)
        next(fields)
    return (0, 0) if added == b"-" else (int(added), int(removed))


def _with_counts(change: Change, added: int, removed: int) -> Change:
    return Change(
        change.path,
        change.old_path,
        change.status,
        change.old_mode,
        change.new_mode,
        change.old_id,
        change.new_id,
        added,
        removed,
    )


def _sections(patch: mmap.mmap, start: int) -> Iterator[tuple[int, int]]:
    """Yield where each file's patch begins and ends. Lines of content never begin with the word it begins with."""
    while start < len(patch):
        found = patch.find(b"\n" + _SECTION, start)
        end = len(patch) if found < 0 else found + 1
        yield start, end
        start = end


def _diff(change: Change, patch: bytes, left_out: int) -> FileDiff:
    return FileDiff(
        path=shown(change.path),
        patch=patch.decode("utf-8", errors="replace"),
        added=change.added,
        removed=change.removed,
        truncated=left_out or UNSET,
    )


def shown(path: bytes) -> str:
    """Return a path as text; bytes that are no UTF-8 are shown as replacement characters."""
    return path.decode("utf-8", errors="replace")
