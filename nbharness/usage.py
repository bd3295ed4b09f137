"""What was consumed, summed over answers, turns and conversations. What is not known is never taken for nothing."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.events import Usage

__all__ = ["AnswersUsage", "ConversationUsage", "TurnUsage", "UsageTotal", "by_conversation", "combined", "total_of"]

_ADDED = ("input_tokens", "output_tokens", "total_tokens", "model_calls", "cost_usd", "cached_tokens")


class UsageTotal(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What several turns consumed.

    Attributes:
        turns: How many there are.
        usage: Their sum; a field is absent when one of the turns does not say it, since the true sum is then unknown.
        known: The sum of what the turns do say: the least that was consumed.
        unpriced: How many turns do not say what they cost.
    """

    turns: int = 0
    usage: Usage = Usage()
    known: Usage = Usage()
    unpriced: int = 0


class TurnUsage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What one turn consumed.

    Attributes:
        turn_id: The turn.
        conversation_id: Its conversation.
        title: What the conversation is about; ``""`` when it has no title.
        agent: The agent.
        usage: What it consumed, so far when it runs; ``None`` when the agent does not say.
    """

    turn_id: str
    conversation_id: str
    title: str = ""
    agent: str
    usage: Usage | None = None


class ConversationUsage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What turns of one conversation consumed.

    Attributes:
        id: The conversation.
        title: What it is about.
        agent: The agent.
        total: The sum.
    """

    id: str
    title: str
    agent: str
    total: UsageTotal


class AnswersUsage:
    """Usage over the answers of one turn; an agent reports each answer by itself."""

    def __init__(self) -> None:
        self._before: Usage | None = None
        self._so_far: Usage | None = None

    def total(self, usage: Usage) -> Usage:
        """Return what the turn consumed, given what its present answer did."""
        if self._before is not None:
            # What stands in the context is no sum: the present answer tells it.
            usage = msgspec.structs.replace(usage, **_sums([self._before, usage], strict=True))
        self._so_far = usage
        return usage

    def at_end(self, usage: Usage | UnsetType) -> Usage | UnsetType:
        """Return what the turn consumed when an answer ended.

        Args:
            usage: What the answer consumed, where its end tells.
        """
        if isinstance(usage, Usage):
            return self.total(usage)
        is_silent = self._before is not None and self._so_far is None
        return Usage() if is_silent else UNSET

    def answered(self) -> None:
        """Another answer begins; one that told nothing leaves the sum unknown."""
        self._before, self._so_far = self._so_far or Usage(), None


def by_conversation(turns: Iterable[TurnUsage]) -> list[ConversationUsage]:
    """Sum up turns by conversation, in the order in which these first occur."""
    grouped: dict[str, list[TurnUsage]] = {}
    for turn in turns:
        grouped.setdefault(turn.conversation_id, []).append(turn)
    return [
        ConversationUsage(id=id_, title=each[0].title, agent=each[0].agent, total=total_of(turn.usage for turn in each))
        for id_, each in grouped.items()
    ]


def total_of(turns: Iterable[Usage | None]) -> UsageTotal:
    """Sum up turns.

    Args:
        turns: What each consumed; ``None`` where that is not known.
    """
    each = [_with_total(usage or Usage()) for usage in turns]
    return UsageTotal(
        turns=len(each),
        usage=msgspec.structs.replace(Usage(), **_sums(each, strict=True)),
        known=msgspec.structs.replace(Usage(), **_sums(each, strict=False)),
        unpriced=sum(not _is_number(usage.cost_usd) for usage in each),
    )


def combined(totals: Iterable[UsageTotal]) -> UsageTotal:
    """Sum up sums; what one of them leaves unknown stays unknown."""
    each = list(totals)
    return UsageTotal(
        turns=sum(total.turns for total in each),
        usage=msgspec.structs.replace(Usage(), **_sums([total.usage for total in each], strict=True)),
        known=msgspec.structs.replace(Usage(), **_sums([total.known for total in each], strict=False)),
        unpriced=sum(total.unpriced for total in each),
    )


def _sums(usages: list[Usage], *, strict: bool) -> dict[str, float | UnsetType]:
    """Add up field by field; with `strict` an unknown part makes the sum unknown, else it is left out."""
    sums: dict[str, float | UnsetType] = {}
    for name in _ADDED:
        said = [value for usage in usages if _is_number(value := getattr(usage, name))]
        sums[name] = sum(said) if said and (len(said) == len(usages) or not strict) else UNSET
    return sums


def _with_total(usage: Usage) -> Usage:
    parts = (usage.input_tokens, usage.output_tokens)
    if _is_number(usage.total_tokens) or not all(map(_is_number, parts)):
        return usage
    return msgspec.structs.replace(usage, total_tokens=sum(parts))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
