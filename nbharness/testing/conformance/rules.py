"""Rules that the events of a turn must keep, as functions from events to complaints. Nothing is run here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from nbharness.adapters.base import Capabilities
from nbharness.events import (
    TERMINAL_EVENTS,
    ApprovalRequired,
    ApprovalUpdated,
    Error,
    Event,
    MessageDelta,
    MessageThinking,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnStarted,
    Unknown,
    Usage,
    decode,
    encode_data,
)

__all__ = ["of_feed", "of_run", "undeclared"]

_BY_OTHERS = (TurnStarted, ApprovalRequired, ApprovalUpdated, QuestionAsked, QuestionAnswered, PlanProposed)
"""Events that a turn or its desk writes, never a session."""


def of_feed(events: Sequence[Event | Unknown]) -> list[str]:
    """Return what is wrong with a turn as its readers see it."""
    wrong = []
    if not events or not isinstance(events[0], TurnStarted):
        wrong.append("the first event is no turn.started")
    ends = [event.type for event in events if isinstance(event, TERMINAL_EVENTS)]
    if len(ends) != 1 or not isinstance(events[-1], TERMINAL_EVENTS):
        wrong.append(f"a turn ends with exactly one terminal event, its last; terminal events: {ends}")
    started = Counter(event.id for event in events if isinstance(event, ToolStart))
    wrong += _pairs("tool call", started, Counter(event.id for event in events if isinstance(event, ToolEnd)))
    asked = Counter(event.id for event in events if isinstance(event, ApprovalRequired | QuestionAsked))
    answers = Counter(event.id for event in events if isinstance(event, ApprovalUpdated | QuestionAnswered))
    wrong += _pairs("approval or question", asked, answers)
    plans = Counter(str(event.id) for event in events if isinstance(event, PlanProposed))
    decided = Counter(str(event.id) for event in events if isinstance(event, PlanApproved | PlanRejected))
    wrong += _pairs("plan", plans, decided)
    wrong += [f"{event.type} does not survive the wire" for event in events if not _survives(event)]
    return wrong


def of_run(events: Sequence[Event | Unknown], *, ended: bool) -> list[str]:
    """Return what is wrong with what a session emitted itself.

    Args:
        events: In order.
        ended: The session ended the turn itself, neither stopped nor killed; then it must have closed what it opened.
    """
    wrong = [f"{event.type} is written by the turn, not by a session" for event in events if _is_foreign(event)]
    opened = Counter(event.id for event in events if isinstance(event, ToolStart))
    closed = Counter(event.id for event in events if isinstance(event, ToolEnd))
    wrong += [f"tool call {id_!r} starts {count} times" for id_, count in opened.items() if count > 1]
    wrong += _out_of_order(events)
    if len([event for event in events if isinstance(event, SessionStarted)]) > 1:
        wrong.append("session.started comes more than once")
    if any(isinstance(event, MessageDelta | MessageThinking) and not event.delta for event in events):
        wrong.append("an empty delta")
    if ended:
        wrong += _pairs("tool call", opened, closed)
        place = next((at for at, event in enumerate(events) if isinstance(event, TERMINAL_EVENTS)), None)
        if place is not None and place != len(events) - 1:
            wrong.append(f"{len(events) - 1 - place} events after the terminal one")
    return wrong


def undeclared(events: Sequence[Event | Unknown], known: Capabilities) -> list[str]:
    """Return what an agent did that its adapter says it cannot do."""
    seen: list[tuple[bool, bool, str]] = [
        (known.approvals, _has(events, ApprovalRequired), "approvals"),
        (known.todos, _has(events, TodosUpdated), "todos"),
        (known.plan, _has(events, PlanProposed), "plan"),
        (known.questions, _has(events, QuestionAsked), "questions"),
        (known.terminal_output, _has(events, ToolDelta), "terminal_output"),
        (known.cost, any(_cost(event) is not None for event in events), "cost"),
    ]
    return [f"{name} happened, though not declared" for declared, happened, name in seen if happened and not declared]


def _has(events: Sequence[Event | Unknown], kind: type[Event]) -> bool:
    return any(isinstance(event, kind) for event in events)


def _cost(event: Event | Unknown) -> float | None:
    usage = getattr(event, "usage", None)
    return usage.cost_usd if isinstance(usage, Usage) and isinstance(usage.cost_usd, int | float) else None


def _is_foreign(event: Event | Unknown) -> bool:
    return isinstance(event, _BY_OTHERS)


def _pairs(what: str, opened: Counter[str], closed: Counter[str]) -> Iterator[str]:
    for id_ in sorted(opened | closed):
        if opened[id_] != 1 or closed[id_] != 1:
            yield f"{what} {id_!r} begins {opened[id_]} times and ends {closed[id_]} times"


def _out_of_order(events: Sequence[Event | Unknown]) -> Iterator[str]:
    running: set[str] = set()
    for event in events:
        if isinstance(event, ToolStart):
            running.add(event.id)
        elif isinstance(event, ToolDelta | ToolEnd) and event.id not in running:
            yield f"{event.type} of {event.id!r}, which is not running"
        if isinstance(event, ToolEnd):
            running.discard(event.id)


def _survives(event: Event | Unknown) -> bool:
    if isinstance(event, Unknown | Error):
        return True
    return decode(b'{"type": "%s", "data": %s}' % (event.type.encode(), encode_data(event))) == event
