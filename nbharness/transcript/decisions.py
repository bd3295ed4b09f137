"""How an approval or plan ended, in a few words; the twin of ``js/src/words/outcome.ts``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from nbharness.state import ApprovalItem, PlanItem, QuestionItem
from nbharness.transcript.visible import one_line
from nbharness.transcript.words import duration, quoted

__all__ = [
    "Refusal",
    "approval_counts",
    "approved_words",
    "delay_words",
    "plan_words",
    "question_words",
    "refusal_of",
    "who_words",
]

_WHO = {"user": "by you", "terminal": "in the terminal", "code": "by code"}


class Refusal(NamedTuple):
    """What a row says instead of the tool's own verb when the call was not allowed.

    Attributes:
        verb: ``Rejected``, ``Refused`` or ``Expired``.
        lead: By whom; right after the subject.
        meta: Why; may be empty.
    """

    verb: str
    lead: str
    meta: str


def who_words(by: str) -> str:
    """Return ``by you``, ``in the terminal`` or ``by code``; ``""`` when it was no person and no program."""
    return _WHO.get(by, "")


def refusal_of(approval: ApprovalItem) -> Refusal | None:
    """Return how the call was refused; ``None`` while it waits and when it was approved."""
    match approval.status, approval.by:
        case "expired", _:
            return Refusal("Expired", "", "nobody answered in time")
        case "cancelled", _:
            return Refusal("Expired", "", "the turn ended first")
        case "rejected", "nobody":
            return Refusal("Refused", "", "nobody could answer")
        case "rejected", "rule":
            return Refusal("Refused", _by_rule(approval.reason), "")
        case "rejected", "mode":
            return Refusal("Refused", "", _reason(approval.reason) or "by the approval mode")
        case "rejected", who:
            why = quoted(_reason(approval.reason)) if approval.reason else _chosen(approval).removeprefix(": ")
            return Refusal("Rejected", who_words(who), why)
    return None


def approved_words(approval: ApprovalItem) -> str:
    """Return ``approved by you``, ``approved, edited by you`` or ``by rule: …``; ``""`` when nobody had to be asked."""
    if approval.status == "pending":
        return "not decided yet"
    if approval.status != "approved" or approval.by == "mode":
        return ""
    if approval.by == "rule":
        return _by_rule(approval.reason) + (", edited" if approval.edited else "")
    words = " ".join(filter(None, ("approved, edited" if approval.edited else "approved", who_words(approval.by))))
    return words + _chosen(approval)


def plan_words(plan: PlanItem) -> list[str]:
    """Return how a plan was decided, and the reason if there is one."""
    if plan.status == "proposed":
        return ["not decided yet"]
    if plan.by == "nobody":
        return ["refused", "nobody could answer"]
    if plan.by == "turn":
        return ["the turn ended first"]
    edited = ", edited" if plan.status == "approved" and plan.plan != plan.proposed_plan else ""
    words = " ".join(filter(None, (plan.status + edited, who_words(plan.by))))
    return [words, quoted(_reason(plan.reason))] if plan.reason else [words]


def question_words(item: QuestionItem) -> list[str]:
    """Return how what was asked ended: by whom it was answered, or why it was not."""
    if item.status == "pending":
        return ["not answered yet"]
    if item.status == "cancelled":
        return ["the turn ended first"]
    if item.by == "nobody":
        return [item.status, "nobody could answer"]
    return [" ".join(filter(None, (item.status, who_words(item.by))))]


def delay_words(item: ApprovalItem | PlanItem | QuestionItem) -> str:
    """Return ``after 6 s``, how long a person took to decide; ``""`` when it was no person."""
    if item.decided_at is None or item.by not in {"user", "terminal"}:
        return ""
    return f"after {duration(item.decided_at - item.asked_at)}"


def approval_counts(items: Iterable[ApprovalItem | PlanItem]) -> str:
    """Return ``3 approved, 1 rejected`` over what somebody or a rule decided; ``""`` when there was nothing."""
    words = {"approved": "approved", "rejected": "rejected", "expired": "expired", "cancelled": "expired"}
    counts = Counter(words.get(item.status, "waiting") for item in items if item.by != "mode")
    order = ("approved", "rejected", "expired", "waiting")
    return ", ".join(f"{counts[word]:,} {word}" for word in order if counts[word])


def _chosen(approval: ApprovalItem) -> str:
    """Return the answer that was chosen of those the agent offered, in its words."""
    name = next((option.name for option in approval.options if option.id == approval.option_id), "")
    return f": {quoted(one_line(name, 80))}" if name and approval.option_id else ""


def _by_rule(rule: str) -> str:
    return f"by rule: {_reason(rule)}" if rule else "by a rule"


def _reason(text: str) -> str:
    return one_line(text, 400)
