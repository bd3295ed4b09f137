"""Numbers and times in words; the twin of ``js/src/words/format.ts``."""

from __future__ import annotations

import math
from datetime import UTC, datetime, tzinfo

__all__ = ["changes", "clock_time", "compact", "date_and_time", "dollars", "duration", "plural", "quoted"]

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def duration(seconds: float) -> str:
    """Return ``0.8 s``, ``12 s``, ``1:48`` or ``1:02:09``: as short as it is honest."""
    whole = max(0.0, seconds)
    if whole < 9.95:  # noqa: PLR2004 (from here on a tenth says nothing)
        return f"{whole:.1f} s"
    return f"{round(whole)} s" if whole < 59.5 else clock_time(whole)  # noqa: PLR2004 (rounds to a minute)


def clock_time(seconds: float) -> str:
    """Return ``0:21``, ``1:48`` or ``1:02:09``."""
    minutes, rest = divmod(math.floor(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def date_and_time(at: float, zone: tzinfo | None = None) -> str:
    """Return ``30 Nov 2026 14:01``.

    Args:
        at: Unix seconds.
        zone: Time zone; this machine's when omitted.
    """
    try:
        moment = datetime.fromtimestamp(at, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment:%Y %H:%M}"


def compact(count: int) -> str:
    """Return ``820``, ``8.2k``, ``34k`` or ``1.2M``."""
    if count < 1000:  # noqa: PLR2004
        return str(count)
    value, unit = (count / 1000, "k") if count < 999_500 else (count / 1_000_000, "M")  # noqa: PLR2004
    return f"{value:.1f}".removesuffix(".0") + unit if value < 9.95 else f"{round(value)}{unit}"  # noqa: PLR2004


def dollars(amount: float) -> str:
    """Return ``$0.11``, or ``$0.0004`` where cents would say nothing."""
    return f"${amount:.2f}" if amount >= 0.01 or amount == 0 else f"${amount:.4f}"  # noqa: PLR2004


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return ``1 file``, ``3 files`` or ``1,284 lines``."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def changes(added: int, removed: int) -> str:
    """Return lines added and removed, with a real minus sign."""
    return f"+{added:,} −{removed:,}"  # noqa: RUF001 (the sign is meant)


def quoted(text: str) -> str:
    """Return the text between typographic quotes."""
    return f"“{text}”"
