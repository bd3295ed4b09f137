"""How long a provider asks to wait, read off its error. Pure."""

from __future__ import annotations

import re

__all__ = ["retry_after"]

_PART = r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-z])"
_ASKED = re.compile(
    rf"(?:try again|retry)[-_ ]?(?:in|after|delay)[\s:=\"']{{1,4}}((?:{_PART} ?)+|\d{{1,9}}(?:\.\d{{1,9}})?)",
    re.IGNORECASE,
)
_PARTS = re.compile(_PART, re.IGNORECASE)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def retry_after(text: str) -> float | None:
    """Return the seconds after which a text says to try again, or ``None`` when it does not.

    A number without a unit is one of seconds, as in the header ``retry-after``.
    """
    found = _ASKED.search(text)
    if found is None:
        return None
    parts = _PARTS.findall(found[1])
    return sum(float(number) * _unit_s(unit.lower()) for number, unit in parts) if parts else float(found[1])


def _unit_s(unit: str) -> float:
    return 0.001 if unit.startswith(("ms", "mil")) else _SECONDS[unit[0]]
