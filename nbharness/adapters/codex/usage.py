"""What one turn consumed, out of Codex's totals of whole threads. Pure."""

from __future__ import annotations

from msgspec import UNSET

from nbharness.adapters.codex.messages import ThreadUsage, Tokens
from nbharness.events import Usage

__all__ = ["UsageCount"]


class UsageCount:
    """Counts from the first request of the turn; a total that is told twice counts once.

    Args:
        main: The thread of the turn; others are those of its sub-agents.
    """

    def __init__(self, main: str) -> None:
        self._main = main
        self._before: dict[str, Tokens] = {}
        self._now: dict[str, Tokens] = {}
        self._calls = 0
        self._context: Tokens | None = None
        self._window: int | None = None

    def take(self, thread: str, usage: ThreadUsage) -> None:
        """Take note of what a thread consumed."""
        total, last = usage.total, usage.last
        if thread not in self._before:
            self._before[thread] = Tokens(
                input_tokens=total.input_tokens - last.input_tokens,
                cached_input_tokens=total.cached_input_tokens - last.cached_input_tokens,
                output_tokens=total.output_tokens - last.output_tokens,
            )
        if _both(total) > _both(self._now.get(thread, self._before[thread])):
            self._calls += 1
        self._now[thread] = total
        if thread == self._main:
            self._context, self._window = last, usage.model_context_window

    def usage(self) -> Usage | None:
        """Return the totals of the turn, or ``None`` when nothing was told."""
        if not self._now:
            return None
        read, written = self._spent("input_tokens"), self._spent("output_tokens")
        return Usage(
            input_tokens=read,
            output_tokens=written,
            total_tokens=read + written,
            cached_tokens=self._spent("cached_input_tokens"),
            model_calls=self._calls,
            context_tokens=self._context.total_tokens if self._context else UNSET,
            context_window=self._window if self._window is not None else UNSET,
        )

    def _spent(self, field: str) -> int:
        return sum(
            max(0, getattr(now, field) - getattr(self._before[thread], field)) for thread, now in self._now.items()
        )


def _both(tokens: Tokens) -> int:
    return tokens.input_tokens + tokens.output_tokens
