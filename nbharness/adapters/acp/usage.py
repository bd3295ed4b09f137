"""What a turn consumed, as this agent counts it. Pure."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.adapters.acp.values import count_of, mapping, number_of
from nbharness.events import Usage

__all__ = ["Totals", "UsageMeter"]


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """What a session has consumed so far, as its agent counts.

    Attributes:
        cost_usd: US dollars; ``None`` when that is not known.
        tokens: Tokens by the agent's names.
    """

    cost_usd: float | None = 0.0
    tokens: dict[str, int] = msgspec.field(default_factory=dict)


class UsageMeter:
    """Counts one turn. Agents report on the whole session, so what was there before is taken off.

    Args:
        before: Totals before the turn. Where they lack the cost, that of the turn is not known either.
        is_per_prompt: The agent counts the tokens of each prompt anew.
    """

    def __init__(self, before: Totals, *, is_per_prompt: bool = False) -> None:
        self._before = before
        self._is_per_prompt = is_per_prompt
        self._session_cost: float | None = None
        self._session_tokens: dict[str, int] = before.tokens
        self._context: dict[str, int | UnsetType] = {}
        self._tokens: dict[str, int | UnsetType] = {}

    @property
    def totals(self) -> Totals:
        """Totals by now."""
        cost = self._before.cost_usd if self._session_cost is None else self._session_cost
        return Totals(cost_usd=cost, tokens=self._session_tokens)

    def update(self, said: dict[str, Any]) -> bool:
        """Take a ``usage_update``; return whether it holds anything that we can show."""
        used, size = count_of(said.get("used")), count_of(said.get("size"))
        self._context = {
            "context_tokens": self._context.get("context_tokens", UNSET) if used is None else used,
            "context_window": self._context.get("context_window", UNSET) if size is None else size,
        }
        cost = mapping(said.get("cost"))
        amount = number_of(cost.get("amount")) if cost.get("currency") == "USD" else None
        self._session_cost = self._session_cost if amount is None else amount
        return used is not None or size is not None or amount is not None

    def answer(self, said: object) -> None:
        """Take the ``usage`` of the answer to a prompt."""
        usage = mapping(said)
        counts = {key: count for key in _TOKENS if (count := count_of(usage.get(key))) is not None}
        before = self._before.tokens
        self._session_tokens = counts or before
        # The protocol means totals of the session. A count that went down is one of this prompt all the same.
        if not self._is_per_prompt and all(count >= before.get(key, 0) for key, count in counts.items()):
            counts = {key: count - before.get(key, 0) for key, count in counts.items()}
        given, cached = counts.get("inputTokens"), counts.get("cachedReadTokens", 0)
        written = counts.get("cachedWriteTokens", 0)
        # Some count what came from the cache as input, some do not; the sum tells which.
        if given is not None and counts.get("totalTokens") == given + counts.get("outputTokens", 0) + cached + written:
            given += cached + written
        self._tokens = {
            "input_tokens": UNSET if given is None else given,
            "output_tokens": counts.get("outputTokens", UNSET),
            "total_tokens": counts.get("totalTokens", UNSET),
            "cached_tokens": counts.get("cachedReadTokens", UNSET),
        }

    @property
    def usage(self) -> Usage | UnsetType:
        """What is known of this turn."""
        known = {key: value for key, value in (self._context | self._tokens).items() if value is not UNSET}
        cost = self._cost()
        if not known and cost is UNSET:
            return UNSET
        return Usage(**known, cost_usd=cost)

    def _cost(self) -> float | UnsetType:
        if self._before.cost_usd is None or self._session_cost is None:
            return UNSET
        # A session that was taken up may count from nothing again.
        spent = self._session_cost - self._before.cost_usd
        return round(spent if spent >= 0 else self._session_cost, 10)


_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "cachedWriteTokens")
