"""The values that pass over the approval desk."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from nbharness.events import ApprovalChoice, ApprovalOption, ApprovalStatus, FileDiff, ToolKind

__all__ = ["ApprovalMode", "ApprovalRequest", "Decision", "PlanAnswer", "QuestionReply"]

ApprovalMode: TypeAlias = Literal["require", "auto", "off"]
"""``require`` asks for everything that changes something, ``auto`` approves and records, ``off`` does not ask."""

_ALL_CHOICES: tuple[ApprovalChoice, ...] = ("approve", "approve_edited", "remember", "reject", "reject_stop")


class ApprovalRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What an adapter wants to be allowed.

    Attributes:
        tool_name: Tool, as in ``tool.start``.
        args: The exact arguments.
        message: What the agent says about it.
        tool_call_id: The tool call that waits.
        mutates: False when it certainly changes nothing; then nobody is asked.
        choices: What the agent can take as an answer.
        diffs: What it would change.
        warnings: Sentences that say why this one matters.
        kind: What the tool does, when the adapter knows.
        options: Answers that the agent itself offers; the decision may name one of them.
        every_mode: Rules answer, the permission mode does not.
        person_only: Neither rules nor the permission mode answer.
    """

    tool_name: str
    args: Any
    message: str | None = None
    tool_call_id: str = ""
    mutates: bool = True
    choices: tuple[ApprovalChoice, ...] = _ALL_CHOICES
    diffs: tuple[FileDiff, ...] = ()
    warnings: tuple[str, ...] = ()
    kind: ToolKind | None = None
    options: tuple[ApprovalOption, ...] = ()
    every_mode: bool = False
    person_only: bool = False


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request.

    Attributes:
        status: How it ended.
        by: Who decided, as in ``approval.updated``.
        args: Arguments to run; the edited ones when a person edited them.
        edited: True when `args` are not those that were asked for.
        reason: Reason of a rejection.
        stop: The person also wants the turn to stop.
        option_id: The one of the agent's own answers that a person chose; ``None`` when nobody did.
    """

    status: ApprovalStatus
    by: str
    args: Any
    edited: bool = False
    reason: str = ""
    stop: bool = False
    option_id: str | None = None

    @property
    def approved(self) -> bool:
        """True when the action may run."""
        return self.status == "approved"


class PlanAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a plan.

    Attributes:
        approved: The answer.
        plan: The plan to follow, as edited.
        reason: Reason of a rejection.
        by: Who decided.
    """

    approved: bool
    plan: str
    reason: str = ""
    by: str = ""


class QuestionReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to questions.

    Attributes:
        answered: False when they were skipped, or nobody could answer.
        answers: Chosen labels or written text, by question id.
        by: Who answered.
    """

    answered: bool
    answers: dict[str, list[str]] = msgspec.field(default_factory=dict)
    by: str = ""
