"""Events of what the agent asks, and of the answers: approvals, questions and plans."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.events.base import WireEvent
from nbharness.events.values import ApprovalChoice, ApprovalOption, ApprovalStatus, FileDiff, Question, ToolKind


class ApprovalRequired(WireEvent, frozen=True, kw_only=True, tag="approval.required"):
    """The agent asks before it acts. Exactly one ``approval.updated`` with the same id follows."""

    id: str
    """Approval id, unique in the turn."""
    tool_name: str
    """Tool the agent wants to use."""
    args: Any
    """The exact arguments that an approval lets through."""
    message: str | None
    """What the agent says about it; never shown instead of the arguments."""
    auto_approvable: bool
    """True when the permission mode may answer without a person."""
    tool_call_id: str | UnsetType = UNSET
    """Tool call that waits for this."""
    args_hash: str | UnsetType = UNSET
    """SHA-256 of the canonical arguments, hex; an answer must name it."""
    choices: list[ApprovalChoice] | UnsetType = UNSET
    """What may be answered; absent means approve and reject."""
    diffs: list[FileDiff] | UnsetType = UNSET
    """What the action would change."""
    warnings: list[str] | UnsetType = UNSET
    """Sentences that say why this one matters."""
    kind: ToolKind | UnsetType = UNSET
    """What the tool does, when the adapter knows."""
    options: list[ApprovalOption] | UnsetType = UNSET
    """The answers that the agent itself offers, in its order; an answer may name one of them."""


class ApprovalUpdated(WireEvent, frozen=True, kw_only=True, tag="approval.updated"):
    """An approval was decided, or died with the turn. Written by the approval desk only."""

    id: str
    """Approval id."""
    status: ApprovalStatus
    """How it ended."""
    by: str | UnsetType = UNSET
    """Who decided: ``user``, ``rule``, ``mode``, ``code``, ``terminal``, ``nobody`` or ``turn``."""
    reason: str | UnsetType = UNSET
    """Reason of a rejection, or the rule that answered."""
    args: Any | UnsetType = UNSET
    """The arguments as edited by the person who approved."""
    option_id: str | UnsetType = UNSET
    """The one of the agent's own answers that was chosen."""


class QuestionAsked(WireEvent, frozen=True, kw_only=True, tag="question.asked"):
    """The agent waits for answers. Exactly one ``question.answered`` with the same id follows."""

    id: str
    """Id of what was asked, unique in the turn."""
    questions: list[Question]
    """One or more, in order."""


class QuestionAnswered(WireEvent, frozen=True, kw_only=True, tag="question.answered"):
    """What was asked was answered or skipped, or died with the turn. Written by the approval desk only."""

    id: str
    """Id of what was asked."""
    status: Literal["answered", "skipped", "cancelled"]
    """How it ended."""
    answers: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Chosen labels or written text by question id; secret ones are left out."""
    by: str | UnsetType = UNSET
    """Who answered, as in ``approval.updated``."""


class PlanProposed(WireEvent, frozen=True, kw_only=True, tag="plan.proposed"):
    """The agent waits for a yes or no to a plan. ``plan.approved`` or ``plan.rejected`` follows."""

    plan: str
    """The plan, Markdown."""
    id: str | UnsetType = UNSET
    """Plan id, unique in the turn."""
    plan_hash: str | UnsetType = UNSET
    """SHA-256 of the text, hex; an answer must name it."""


class PlanApproved(WireEvent, frozen=True, kw_only=True, tag="plan.approved"):
    """The plan was approved, perhaps edited."""

    plan: str
    """The text that was approved."""
    id: str | UnsetType = UNSET
    """Plan id."""
    by: str | UnsetType = UNSET
    """Who decided."""


class PlanRejected(WireEvent, frozen=True, kw_only=True, tag="plan.rejected"):
    """The plan was rejected, or died with the turn."""

    plan: str
    """The text that was rejected."""
    id: str | UnsetType = UNSET
    """Plan id."""
    by: str | UnsetType = UNSET
    """Who decided."""
    reason: str | UnsetType = UNSET
    """Reason, goes back to the agent."""
