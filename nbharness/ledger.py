"""Keeps a turn's events in order, whatever an agent sends.

Readers may rely on it: a tool call starts once and ends once, nothing precedes its start, and nothing stays open at the
end. Agents break each of these in practice.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    Event,
    MessageQueued,
    MessageUser,
    MessageWithdrawn,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnStarted,
    Unknown,
)

__all__ = ["Ledger"]


class Ledger:
    """What is open in one turn. Not thread-safe; belongs to the turn's writer."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolStart] = {}
        self._ended: set[str] = set()
        self._approvals: dict[str, ApprovalRequired] = {}
        self._plans: dict[str, PlanProposed] = {}
        self._questions: dict[str, QuestionAsked] = {}
        self._queued: dict[str, MessageQueued] = {}
        self._started = False

    def admit(self, event: Event | Unknown) -> list[Event | Unknown]:
        """Return what to record for an event: itself, more in front of it, or nothing.

        * A second ``turn.started``, a second start or end of a tool call, and a delta after the end are left out.
        * An end or a delta without a start gets one.
        """
        match event:
            case TurnStarted():
                repeated, self._started = self._started, True
                return [] if repeated else [event]
            case ToolStart():
                return self._start(event)
            case ToolDelta():
                return [] if event.id in self._ended else [*self._implied(event.id, event.name), event]
            case ToolEnd():
                return self._end(event)
            case ApprovalRequired():
                self._approvals[event.id] = event
            case ApprovalUpdated():
                return [event] if self._approvals.pop(event.id, None) else []
            case PlanProposed():
                self._plans[_plan_id(event)] = event
            case PlanApproved() | PlanRejected():
                return [event] if self._plans.pop(_plan_id(event), None) else []
            case _:
                return self._admit_of_people(event)
        return [event]

    def _admit_of_people(self, event: Event | Unknown) -> list[Event | Unknown]:
        match event:
            case QuestionAsked():
                self._questions[event.id] = event
            case QuestionAnswered():
                return [event] if self._questions.pop(event.id, None) else []
            case MessageQueued():
                self._queued[event.id] = event
            case MessageUser() if isinstance(event.id, str):
                self._queued.pop(event.id, None)
            case MessageWithdrawn():
                return [event] if self._queued.pop(event.id, None) else []
            case _:
                pass
        return [event]

    def close(self) -> list[Event]:
        """Return the events that end whatever is open, newest tool call first, and consider it ended."""
        closing: list[Event] = [ApprovalUpdated(id=id_, status="cancelled", by="turn") for id_ in self._approvals]
        closing += [PlanRejected(plan=plan.plan, id=plan.id, by="turn") for plan in self._plans.values()]
        closing += [QuestionAnswered(id=id_, status="cancelled", by="turn") for id_ in self._questions]
        closing += [MessageWithdrawn(id=id_) for id_ in self._queued]
        closing += [
            ToolEnd(id=tool.id, name=tool.name, output=None, is_error=True, duration_ms=None, synthetic=True)
            for tool in reversed(self._tools.values())
        ]
        self._ended |= set(self._tools)
        self._approvals, self._plans, self._tools, self._questions, self._queued = {}, {}, {}, {}, {}
        return closing

    def _start(self, event: ToolStart) -> list[Event | Unknown]:
        if event.id in self._tools or event.id in self._ended:
            return []
        self._tools[event.id] = event
        return [event]

    def _end(self, event: ToolEnd) -> list[Event | Unknown]:
        if event.id in self._ended:
            return []
        implied = self._implied(event.id, event.name)
        started = self._tools.pop(event.id)
        self._ended.add(event.id)
        return [*implied, msgspec.structs.replace(event, name=started.name)]

    def _implied(self, id_: str, name: str) -> list[Event | Unknown]:
        if id_ in self._tools:
            return []
        return self._start(ToolStart(id=id_, name=name, args=None))


def _plan_id(event: PlanProposed | PlanApproved | PlanRejected) -> str:
    return "" if event.id is UNSET else str(event.id)
