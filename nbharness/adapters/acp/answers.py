"""The agent's own answers to a permission request, and which of them a decision of ours is. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbharness.approvals import Decision
from nbharness.events import ApprovalOption
from nbharness.events.values import OptionKind

__all__ = ["CANCELLED", "is_allowing", "outcome_of", "pick"]

CANCELLED: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}

_ALLOW: tuple[OptionKind, ...] = ("allow_once", "allow_always")
_REJECT: tuple[OptionKind, ...] = ("reject_once", "reject_always")


def outcome_of(decision: Decision, options: Sequence[ApprovalOption]) -> dict[str, Any]:
    """Return the answer to a permission request.

    The option that a person chose, else the mildest one that comes to the same; when there is none, or the turn is
    being stopped, that the request is cancelled.
    """
    if decision.stop or decision.status == "cancelled":
        return CANCELLED
    chosen = next((option for option in options if option.id == decision.option_id), None)
    return selected(chosen or pick(options, allow=decision.approved))


def pick(options: Sequence[ApprovalOption], *, allow: bool) -> ApprovalOption | None:
    """Return the mildest option that allows, or rejects."""
    return next((option for kind in (_ALLOW if allow else _REJECT) for option in options if option.kind == kind), None)


def selected(option: ApprovalOption | None) -> dict[str, Any]:
    """Return the answer that names an option."""
    return CANCELLED if option is None else {"outcome": {"outcome": "selected", "optionId": option.id}}


def is_allowing(outcome: dict[str, Any], options: Sequence[ApprovalOption]) -> bool:
    """Return whether an answer lets the agent act."""
    chosen = outcome["outcome"].get("optionId")
    return any(option.id == chosen and option.kind in _ALLOW for option in options)
