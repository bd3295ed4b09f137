"""What a turn may consume, enforced by us whatever the agent."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from nbharness.errors import ConfigError
from nbharness.events import Event, ToolStart, TurnAborted, TurnFailed, Unknown, Usage, UsageUpdated

__all__ = ["Budget", "BudgetWatch"]

Limit: TypeAlias = Literal["max_cost_usd", "max_tokens", "max_turns", "max_tools"]


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one turn; ``None`` is none. The turn is stopped by the event that goes beyond one.

    Attributes:
        max_cost_usd: US dollars. Without effect with an agent that does not say what it costs.
        max_tokens: Tokens in and out, cached ones included.
        max_turns: Requests to the model.
        max_tools: Tool calls, those of sub-agents included.
    """

    max_cost_usd: float | None = None
    max_tokens: int | None = None
    max_turns: int | None = None
    max_tools: int | None = None

    def check(self) -> None:
        """Raise ConfigError when a limit is not above 0."""
        for name, limit in msgspec.structs.asdict(self).items():
            if limit is not None and not limit > 0:
                raise ConfigError(f"{name} is {limit!r}; give a number above 0, or leave it out for no limit")


class BudgetWatch:
    """Watches the events of one turn.

    Args:
        budget: The limits.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._limited = budget != Budget()
        self._tools = 0

    def exceeded_by(self, event: Event | Unknown) -> TurnAborted | TurnFailed | None:
        """Take note of an event; return how the turn must end when that goes beyond a limit."""
        if not self._limited:
            return None
        if isinstance(event, ToolStart):
            self._tools += 1
            limit = self._budget.max_tools
            if limit is not None and self._tools > limit:
                return _spent(f"the agent wanted to use more than {limit} tools (--max-tools)")
        if isinstance(event, UsageUpdated):
            return self._beyond(event.usage)
        return None

    def _beyond(self, usage: Usage) -> TurnAborted | TurnFailed | None:
        budget = self._budget
        cost, tokens, calls = usage.cost_usd, total_tokens(usage), usage.model_calls
        if budget.max_cost_usd is not None and isinstance(cost, int | float) and cost > budget.max_cost_usd:
            return _spent(f"the turn cost ${cost:.2f}, more than ${budget.max_cost_usd:g} (--max-cost)")
        if budget.max_tokens is not None and tokens is not None and tokens > budget.max_tokens:
            return _spent(f"the turn used {tokens} tokens, more than {budget.max_tokens} (--max-tokens)")
        if budget.max_turns is not None and isinstance(calls, int) and calls > budget.max_turns:
            text = f"the agent asked its model more than {budget.max_turns} times (--max-turns)"
            return TurnFailed(error=f"{text}; continue the conversation to let it go on", code="max_turns")
        return None


def total_tokens(usage: Usage) -> int | None:
    """Return the tokens in and out, or ``None`` when the agent does not say."""
    if isinstance(usage.total_tokens, int):
        return usage.total_tokens
    known = [count for count in (usage.input_tokens, usage.output_tokens) if isinstance(count, int)]
    return sum(known) if known else None


def _spent(why: str) -> TurnAborted:
    return TurnAborted(code="budget", reason=f"{why}; continue the conversation to let it go on")
