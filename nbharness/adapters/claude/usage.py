"""What one turn consumed. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from nbharness.adapters.claude.fields import number, obj
from nbharness.events import Usage

__all__ = ["UsageCount"]

_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class UsageCount:
    """Counts the requests of one turn as they end; the result at its end replaces the count."""

    def __init__(self) -> None:
        self._open: dict[str, dict[str, Any]] = {}
        self._input = self._output = self._cached = self._calls = 0
        self._context: int | None = None

    def began(self, speaker: str, usage: dict[str, Any]) -> None:
        """A request of a speaker began.

        Args:
            speaker: Sub-agent, or ``""`` for Claude itself.
            usage: What its first message tells.
        """
        self._open[speaker] = usage

    def ended(self, speaker: str, usage: dict[str, Any]) -> Usage:
        """A request ended; return the turn's totals so far. Its cost is known only in the end."""
        whole = {**self._open.pop(speaker, {}), **{name: value for name, value in usage.items() if value is not None}}
        read, written = _input_of(whole), int(number(whole, "output_tokens") or 0)
        self._input += read
        self._output += written
        self._cached += int(number(whole, "cache_read_input_tokens") or 0)
        self._calls += 1
        if not speaker:
            self._context = read + written
        return self._totals()

    def result(self, message: dict[str, Any]) -> Usage:
        """Return the totals of the turn that ended with this result."""
        usage, models = obj(message, "usage"), obj(message, "model_usage_since_last_result")
        if usage:
            self._input, self._output = _input_of(usage), int(number(usage, "output_tokens") or 0)
            self._cached = int(number(usage, "cache_read_input_tokens") or 0)
        totals = self._totals()
        costs = [number(entry, "costUSD") for entry in models.values()]
        windows = [number(entry, "contextWindow") for entry in models.values()]
        known = [cost for cost in costs if cost is not None]
        return Usage(
            input_tokens=totals.input_tokens,
            output_tokens=totals.output_tokens,
            total_tokens=totals.total_tokens,
            cached_tokens=totals.cached_tokens,
            model_calls=totals.model_calls,
            context_tokens=totals.context_tokens,
            context_window=int(max(window for window in windows if window)) if any(windows) else UNSET,
            # The total of the result is that of the whole session, so it is no substitute for what is missing.
            cost_usd=sum(known) if known and len(known) == len(costs) else UNSET,
        )

    def _totals(self) -> Usage:
        return Usage(
            input_tokens=self._input,
            output_tokens=self._output,
            total_tokens=self._input + self._output,
            cached_tokens=self._cached,
            model_calls=self._calls,
            context_tokens=UNSET if self._context is None else self._context,
        )


def _input_of(usage: dict[str, Any]) -> int:
    return sum(int(number(usage, name) or 0) for name in _INPUT)
