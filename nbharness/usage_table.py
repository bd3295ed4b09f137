"""What conversations consumed, as lines of text for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import UnsetType

from nbharness.transcript.visible import one_line
from nbharness.transcript.words import compact, dollars
from nbharness.usage import ConversationUsage, UsageTotal, combined

__all__ = ["usage_lines"]

_HEAD = ("conversation", "agent", "turns", "tokens", "cost", "about")
_ID_CHARS = 8
_TITLE_CHARS = 40
_AT_LEAST = "≥ "


def usage_lines(conversations: Sequence[ConversationUsage]) -> list[str]:
    """Return a table with a line for each conversation and their sum, then what is not known of it.

    Args:
        conversations: What each consumed; none gives one line that says so.
    """
    if not conversations:
        return ["no turns yet"]
    rows = [
        (each.id[:_ID_CHARS], one_line(each.agent), *_numbers(each.total), one_line(each.title, _TITLE_CHARS))
        for each in conversations
    ]
    total = combined(each.total for each in conversations)
    if len(rows) > 1:
        rows.append(("total", "", *_numbers(total), ""))
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    return [_line(row, widths) for row in [_HEAD, *rows]] + _unknown(total)


def _numbers(total: UsageTotal) -> tuple[str, str, str]:
    tokens = _bounded(total.usage.total_tokens, total.known.total_tokens, lambda count: compact(int(count)))
    return str(total.turns), tokens, _bounded(total.usage.cost_usd, total.known.cost_usd, dollars)


def _bounded(exact: float | UnsetType, least: float | UnsetType, words: Callable[[float], str]) -> str:
    if isinstance(exact, int | float):
        return words(exact)
    return _AT_LEAST + words(least) if isinstance(least, int | float) else "unknown"


def _unknown(total: UsageTotal) -> list[str]:
    if not total.unpriced:
        return []
    if total.unpriced == total.turns:
        return ["What it cost is unknown: the agent does not say."]
    return [f"What {total.unpriced} of {total.turns} turns cost is unknown: their agents do not say."]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
