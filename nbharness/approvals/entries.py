"""One entry at the approval desk: what waits, which answers fit it, and the events that tell of both."""

from __future__ import annotations

import asyncio
import hashlib

import msgspec
from msgspec import UNSET

from nbharness.approvals.values import ApprovalRequest, Decision
from nbharness.errors import ApprovalConflict
from nbharness.events import (
    ApprovalChoice,
    ApprovalRequired,
    ApprovalStatus,
    ApprovalUpdated,
    Event,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    Unknown,
    sound,
)
from nbharness.inputs import ApprovalDecision, PlanDecision
from nbharness.policy import args_hash

__all__ = [
    "Entry",
    "GivenAnswer",
    "check_answer",
    "decision_of",
    "plan_entry",
    "proposed",
    "request_entry",
    "required",
    "updated",
]

GivenAnswer = ApprovalDecision | PlanDecision
"""What a person answers with."""


class Entry(msgspec.Struct, kw_only=True):
    """An action or a plan that waits and, in time, its answer.

    Attributes:
        id: Ours, unique in the turn.
        hash: SHA-256 of what is shown, hex; an answer is bound to it.
        request: The action as it is shown; ``None`` for a plan.
        plan: The plan; ``""`` for an action.
        answer: Resolved once.
        status: ``pending``, or how it ended.
        given: What a person answered, if one did.
    """

    id: str
    hash: str
    request: ApprovalRequest | None
    plan: str = ""
    answer: asyncio.Future[Decision]
    status: str = "pending"
    given: GivenAnswer | None = None

    @property
    def shown(self) -> object:
        """What runs when it is approved as it stands."""
        return self.plan if self.request is None else self.request.args


def request_entry(number: int, request: ApprovalRequest) -> Entry:
    """Return an entry for an action; must run on the loop of the turn.

    Args:
        number: How many entries there are, this one included.
        request: The action as it is shown.
    """
    return Entry(
        id=f"a{number}",
        hash=args_hash(request.tool_name, request.args),
        request=request,
        answer=asyncio.get_running_loop().create_future(),
    )


def plan_entry(number: int, plan: str) -> Entry:
    """Return an entry for a plan; must run on the loop of the turn."""
    return Entry(
        id=f"p{number}",
        hash=hashlib.sha256(plan.encode("utf-8", "replace")).hexdigest(),
        request=None,
        plan=plan,
        answer=asyncio.get_running_loop().create_future(),
    )


def proposed(entry: Entry) -> PlanProposed:
    """Return the event that puts a plan before people."""
    return PlanProposed(plan=entry.plan, id=entry.id, plan_hash=entry.hash)


def required(entry: Entry, shown: ApprovalRequest, *, auto_approvable: bool) -> Event | Unknown:
    """Return the event that puts an action before people; ``Unknown`` when a field of it is of the wrong kind."""
    return sound(
        ApprovalRequired(
            id=entry.id,
            tool_name=shown.tool_name,
            args=shown.args,
            message=shown.message,
            auto_approvable=auto_approvable,
            tool_call_id=shown.tool_call_id or UNSET,
            args_hash=entry.hash,
            choices=list(shown.choices),
            diffs=list(shown.diffs) or UNSET,
            warnings=list(shown.warnings) or UNSET,
            kind=shown.kind or UNSET,
            options=list(shown.options) or UNSET,
        )
    )


def updated(entry: Entry, decision: Decision) -> ApprovalUpdated | PlanApproved | PlanRejected:
    """Return the event that says how an entry ended."""
    if entry.request is not None:
        return ApprovalUpdated(
            id=entry.id,
            status=decision.status,
            by=decision.by,
            reason=decision.reason or UNSET,
            args=decision.args if decision.edited else UNSET,
            option_id=decision.option_id or UNSET,
        )
    if decision.approved:
        return PlanApproved(plan=decision.args, id=entry.id, by=decision.by)
    return PlanRejected(plan=entry.plan, id=entry.id, by=decision.by, reason=decision.reason or UNSET)


def check_answer(entry: Entry, answer: GivenAnswer) -> None:
    """Refuse an answer that is for something else, comes second, or was not offered.

    Raises:
        ApprovalConflict: It has no effect; the message says why.
    """
    named = answer.args_hash if isinstance(answer, ApprovalDecision) else answer.plan_hash
    if isinstance(named, str) and named != entry.hash:
        raise ApprovalConflict(entry.id, entry.status, "the answer is for other arguments than those that wait")
    if entry.status != "pending":
        if entry.given is not None and msgspec.to_builtins(entry.given) == msgspec.to_builtins(answer):
            return
        raise ApprovalConflict(entry.id, entry.status, f"it is already {entry.status}; the first answer stands")
    if entry.request is not None and isinstance(answer, ApprovalDecision):
        _check_option(entry, entry.request, answer)
        for wanted in _choices(answer):
            if wanted not in entry.request.choices:
                why = f"{wanted!r} was not offered; offered: {', '.join(entry.request.choices)}"
                raise ApprovalConflict(entry.id, entry.status, why)


def decision_of(entry: Entry, answer: GivenAnswer, by: str) -> Decision:
    """Return what an answer that fits an entry decides."""
    status: ApprovalStatus = "approved" if answer.decision == "approve" else "rejected"
    reason = answer.reason if isinstance(answer.reason, str) else ""
    if isinstance(answer, PlanDecision):
        plan = answer.plan if isinstance(answer.plan, str) and status == "approved" else entry.plan
        return Decision(status=status, by=by, args=plan, edited=plan != entry.plan, reason=reason)
    asked = None if entry.request is None else entry.request.args
    edited = answer.args is not UNSET and answer.args != asked
    return Decision(
        status=status,
        by=by,
        args=answer.args if edited else asked,
        edited=edited,
        reason=reason,
        stop=answer.stop,
        option_id=answer.option_id if isinstance(answer.option_id, str) else None,
    )


def _check_option(entry: Entry, request: ApprovalRequest, answer: ApprovalDecision) -> None:
    if answer.option_id is UNSET:
        return
    chosen = next((option for option in request.options if option.id == answer.option_id), None)
    if chosen is None:
        offered = ", ".join(option.id for option in request.options) or "none"
        raise ApprovalConflict(entry.id, entry.status, f"there is no option {answer.option_id!r}; offered: {offered}")
    if chosen.kind.startswith("allow") is not (answer.decision == "approve"):
        raise ApprovalConflict(entry.id, entry.status, f"the option {chosen.name!r} does not {answer.decision} it")


def _choices(answer: ApprovalDecision) -> list[ApprovalChoice]:
    if answer.decision == "reject":
        return ["reject_stop" if answer.stop else "reject"]
    chosen: list[ApprovalChoice] = ["approve_edited"] if answer.args is not UNSET else []
    return [*chosen, "remember"] if answer.remember else chosen or ["approve"]
