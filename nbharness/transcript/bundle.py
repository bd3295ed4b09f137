"""Everything a settled turn leaves in the notebook."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from nbharness.state import TurnState
from nbharness.transcript.compose import compose
from nbharness.transcript.html import to_html
from nbharness.transcript.limits import LADDER
from nbharness.transcript.markdown import to_markdown
from nbharness.transcript.plain import to_plain
from nbharness.transcript.replay import TRANSCRIPT_MIME, VERSION, unfold
from nbharness.transcript.tidy import tidy
from nbharness.transcript.trim import Trimmed, trim

__all__ = ["DEFAULT_CAP", "MIN_CAP", "saved_size", "transcript_bundle"]

Bundle: TypeAlias = dict[str, str | dict[str, Any]]

DEFAULT_CAP = 256 * 1024
"""Bytes that a turn may take in a notebook."""

MIN_CAP = 16 * 1024
"""Less does not hold a verdict in four forms."""

# Spaces before a line of an output's data, as notebooks are written, beyond those of `json` itself.
_NOTEBOOK_INDENT = 6


def transcript_bundle(
    state: TurnState, *, cap: int = DEFAULT_CAP, redactor: Callable[[str], str] | None = None
) -> Bundle:
    """Return the saved form of a turn by MIME type: HTML, Markdown, plain text and envelopes to replay.

    Thinking is left out, secrets are masked, the home directory is ``~``. What does not fit is left out, output first
    and the answer last, and counted.

    Args:
        state: The turn, as a rule settled.
        cap: Bytes that the whole bundle may take in a notebook file, at least 16 KiB.
        redactor: Masks the secrets in a text; by default those of this process's environment.

    Raises:
        ValueError: The cap is too small.
    """
    if cap < MIN_CAP:
        raise ValueError(f"cap: {cap} is too small. Valid: {MIN_CAP} bytes or more")
    whole = tidy(state, redactor)
    best = _fitting(whole, 0, cap)
    if best is not None:
        return best
    # Each rung holds less than the one before: look for the first that fits by halves.
    too_big, fits = 0, len(LADDER) - 1
    while fits - too_big > 1:
        middle = (too_big + fits) // 2
        found = _fitting(whole, middle, cap)
        too_big, fits, best = (middle, fits, best) if found is None else (too_big, middle, found)
    return best or _written(whole, trim(whole, LADDER[-1]))


def _fitting(whole: TurnState, rung: int, cap: int) -> Bundle | None:
    trimmed = trim(whole, LADDER[rung])
    # Every text is there at least twice, so what takes half the cap now cannot fit.
    if len(msgspec.json.encode(trimmed.state)) > cap // 2:
        return None
    bundle = _written(whole, trimmed)
    return bundle if saved_size(bundle) <= cap else None


def saved_size(bundle: Bundle) -> int:
    """Return the bytes that a bundle takes in a notebook file, where texts are lists of lines and JSON is indented."""
    as_lines = {
        mime: value.splitlines(keepends=True) if isinstance(value, str) else value for mime, value in bundle.items()
    }
    text = json.dumps(as_lines, ensure_ascii=False, indent=1)
    return len(text.encode()) + _NOTEBOOK_INDENT * text.count("\n")


def _written(whole: TurnState, trimmed: Trimmed) -> Bundle:
    outline = compose(whole, trimmed)
    envelopes = [msgspec.json.decode(envelope.encode()) for envelope in unfold(trimmed.state)]
    left_out = {"bytes": trimmed.left_out.bytes, "items": trimmed.left_out.items}
    transcript = {"version": VERSION, "turn": trimmed.state.turn_id, "leftOut": left_out, "envelopes": envelopes}
    return {
        "text/html": to_html(outline),
        "text/markdown": to_markdown(outline),
        "text/plain": to_plain(outline),
        TRANSCRIPT_MIME: transcript,
    }
