"""Approvals: what an agent asks, who answers, and the one desk where it is decided."""

from nbharness.approvals.desk import ApprovalDesk
from nbharness.approvals.questions import QuestionDesk
from nbharness.approvals.values import ApprovalMode, ApprovalRequest, Decision, PlanAnswer, QuestionReply

__all__ = [
    "ApprovalDesk",
    "ApprovalMode",
    "ApprovalRequest",
    "Decision",
    "PlanAnswer",
    "QuestionDesk",
    "QuestionReply",
]
