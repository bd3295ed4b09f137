"""The other shapes in which a known secret turns up: encoded, escaped, or one line of many."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

from nbharness.redact.names import MIN_LENGTH

__all__ = ["forms_of"]

_MAX_LENGTH = 256
_CHUNK = 128
_MIN_LINE = 16


def forms_of(value: str) -> set[str]:
    """Return every text to look for when `value` must not be seen.

    Each has at most 256 characters, so that a stream knows how much to hold back: what is longer is looked for in
    pieces.

    Args:
        value: The secret, at least 8 characters.
    """
    whole = {value, *_escaped(value), *_base64(value), value.encode("utf-8", "replace").hex()}
    # A key of several lines is printed line by line as often as whole.
    whole.update(line for line in value.split() if len(line) >= _MIN_LINE)
    return {piece for form in whole for piece in _pieces(form) if len(piece) >= MIN_LENGTH}


def _escaped(value: str) -> set[str]:
    plain, ascii_only = (json.dumps(value, ensure_ascii=only)[1:-1] for only in (False, True))
    nested = json.dumps(plain, ensure_ascii=False)[1:-1]
    utf8 = value.encode("utf-8", "replace")
    return {plain, ascii_only, nested, quote(utf8, safe=""), quote(utf8), quote_plus(utf8)}


def _base64(value: str) -> set[str]:
    """The characters that stay the same wherever the value stands in what was encoded (``user:value``, say)."""
    raw = value.encode("utf-8", "replace")
    found: set[str] = set()
    for before in range(3):
        whole, cut = base64.b64encode(bytes(before) + raw).decode().rstrip("="), (before + len(raw)) % 3 != 0
        core = whole[(0, 2, 3)[before] : len(whole) - cut]
        found.update((core, core.replace("+", "-").replace("/", "_")))
    return found


def _pieces(text: str) -> list[str]:
    if len(text) <= _MAX_LENGTH:
        return [text]
    starts = range(0, len(text) - _CHUNK + 1, _CHUNK)
    return [text[start : start + _CHUNK] for start in starts[:-1]] + [text[starts[-1] :]]
