"""Texts as they are read, and cutting them without breaking a line or a character."""

from __future__ import annotations

from typing import Any

import msgspec

from nbharness.events.repair import clean
from nbharness.transcript.words import plural

__all__ = ["clip", "folded_lines", "head", "left_out_words", "line_count", "readable", "size", "tail"]

_FIRST, _LAST = 5, 15


def readable(value: Any) -> str:
    """Return a JSON-like value as a person reads it: text as it is, everything else as indented JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.format(msgspec.json.encode(clean(value)), indent=2).decode()


def line_count(text: str) -> int:
    """Return the number of lines; a final line break begins none."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def size(text: str) -> int:
    """Return the length in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode())


def head(text: str, limit: int) -> str:
    """Return at most `limit` bytes of the beginning, whole lines if that leaves at least half."""
    if size(text) <= limit:
        return text
    part = text[:limit].encode()[:limit].decode(errors="ignore")
    end = part.rfind("\n") + 1
    return part[:end] if end > len(part) // 2 else part


def tail(text: str, limit: int) -> str:
    """Return at most `limit` bytes of the end, whole lines if that leaves at least half."""
    if size(text) <= limit:
        return text
    part = text[-limit:].encode()[-limit:].decode(errors="ignore") if limit else ""
    start = part.find("\n") + 1
    return part[start:] if start and start < len(part) // 2 else part


def clip(text: str, limit: int) -> tuple[str, int]:
    """Return the beginning of a text with a note of what is missing, and the number of bytes missing."""
    kept = head(text, limit)
    missing = size(text) - size(kept)
    if not missing:
        return text, 0
    # A code block that was cut open would swallow the note, and everything after it.
    fence = "\n```" if sum(line.lstrip().startswith("```") for line in kept.split("\n")) % 2 else ""
    return f"{kept.rstrip()}{fence}\n\n{left_out_words(missing)}", missing


def folded_lines(text: str) -> list[str]:
    """Return the lines of an output, the middle of a long one as a count, for forms that cannot fold."""
    lines = text.split("\n")
    more = len(lines) - _FIRST - _LAST
    return lines if more <= 1 else [*lines[:_FIRST], f"… {plural(more, 'line')} more …", *lines[-_LAST:]]


def left_out_words(count: int) -> str:
    """Return ``… 1,284 bytes left out``."""
    return f"… {plural(count, 'byte')} left out"
