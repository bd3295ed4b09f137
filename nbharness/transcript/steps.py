"""One row of the log: a tool call, an approval, a plan, a notice, in words."""

from __future__ import annotations

from nbharness.events import Question
from nbharness.state import (
    ApprovalItem,
    MessageItem,
    NoticeItem,
    PlanItem,
    QuestionItem,
    TodosItem,
    ToolItem,
    UnknownItem,
)
from nbharness.transcript.decisions import Refusal, approved_words, delay_words, plan_words, question_words, refusal_of
from nbharness.transcript.details import MAX_SUBJECT, bodies_of, output_text
from nbharness.transcript.outline import Body, Checklist, Diff, Entry, Note, Output, Prose, Remark, Step
from nbharness.transcript.screen import screen_text
from nbharness.transcript.texts import line_count, readable
from nbharness.transcript.trim import Cut
from nbharness.transcript.verbs import Described, describe
from nbharness.transcript.visible import one_line, printable, visible
from nbharness.transcript.words import changes, duration, plural

__all__ = ["approval_step", "entry_of", "note_of", "plan_step", "question_step", "tool_step"]

_LABELS = {"info": "Note", "warning": "Careful", "error": "Error"}
# How long a call may take before its time is worth a word.
_QUICK = frozenset({"read", "search", "list", "edit", "write"})
_QUICK_S, _NOTABLE_S = 2.0, 0.05


def tool_step(tool: ToolItem, approval: ApprovalItem | None = None, cut: Cut | None = None) -> Step:
    """Return the row of a tool call.

    Args:
        tool: The call.
        approval: What it waited for, if it did.
        cut: What was left out of its output.
    """
    ran_with = approval.edited_args if approval is not None and approval.edited else tool.args
    described = describe(tool.name, ran_with, tool.tool_kind, tool.title)
    subject = one_line(described.subject, MAX_SUBJECT)
    bodies = bodies_of(tool, described, approval, cut)
    refusal = refusal_of(approval) if approval is not None else None
    if refusal is not None:
        return _refused(refusal, subject, bodies=[body for body in bodies if isinstance(body, Diff)])
    mark, verb = _state(tool, described)
    return Step(
        mark=mark,
        verb=verb,
        subject=subject,
        is_code=described.is_code,
        lead=_changed(tool),
        meta=_meta(tool, described, approval, cut),
        bodies=bodies,
        is_quiet=described.kind == "read" and tool.status == "ok",
    )


def approval_step(approval: ApprovalItem) -> Step:
    """Return the row of an approval that belongs to no tool call we know."""
    ran_with = approval.edited_args if approval.edited else approval.args
    described = describe(approval.tool_name, ran_with, approval.tool_kind)
    subject = one_line(described.subject, MAX_SUBJECT)
    refusal = refusal_of(approval)
    if refusal is not None:
        return _refused(refusal, subject, bodies=[])
    mark = "✓" if approval.status == "approved" else "…"
    words = approved_words(approval) or "approved"
    return Step(mark, "Asked to use" if described.kind == "other" else "Asked for", subject, meta=[words])


def plan_step(plan: PlanItem) -> Step:
    """Return the row of a plan; the text opens below it."""
    mark = {"approved": "✓", "rejected": "⊘", "proposed": "…"}[plan.status]
    first, *rest = plan_words(plan)
    late = delay_words(plan)
    return Step(mark, "Plan", lead=first, meta=[*rest, late] if late else rest, bodies=[Prose(plan.plan)])


def question_step(item: QuestionItem) -> Step:
    """Return the row of what the agent asked; each question with its answer opens below it."""
    mark = {"answered": "✓", "pending": "…"}.get(item.status, "⊘")
    first, *rest = question_words(item)
    late = delay_words(item)
    bodies: list[Body] = [_answered(question, item) for question in item.questions]
    return Step(mark, "Question", lead=first, meta=[*rest, late] if late else rest, bodies=bodies)


def _answered(question: Question, item: QuestionItem) -> Remark:
    given = "; ".join(one_line(answer, 400) for answer in item.answers.get(question.id, []))
    if item.status == "answered":
        given = given or ("answered, not kept" if question.secret else "no answer")
    return Remark(" → ".join(filter(None, (one_line(question.text, 2000), given))))


def note_of(notice: NoticeItem) -> Note:
    """Return a notice as a document shows it."""
    return Note(_LABELS[notice.level], printable(notice.message))


def entry_of(
    item: MessageItem | PlanItem | QuestionItem | TodosItem | NoticeItem | UnknownItem | ApprovalItem,
) -> Entry:
    """Return the entry of an item that is no tool call."""
    match item:
        case MessageItem():
            return Prose(item.text, item.role)
        case PlanItem():
            return plan_step(item)
        case ApprovalItem():
            return approval_step(item)
        case QuestionItem():
            return question_step(item)
        case TodosItem():
            return Checklist(item.todos)
        case NoticeItem():
            return note_of(item)
        case UnknownItem():
            raw = visible(readable(item.raw))
            bodies = [Output(f"As it came, {plural(line_count(raw), 'line')}", screen_text(raw))] if raw else []
            return Step("○", "Unknown event", one_line(item.type) or "without a name", bodies=[*bodies])


def _refused(refusal: Refusal, subject: str, bodies: list[Body]) -> Step:
    meta = [refusal.meta] if refusal.meta else []
    return Step("⊘", refusal.verb, subject, lead=refusal.lead, meta=meta, bodies=bodies)


def _state(tool: ToolItem, described: Described) -> tuple[str, str]:
    if tool.synthetic:
        return "⊘", "Stopped"
    if tool.status == "running":
        return "…", described.doing
    return ("✓", described.done) if tool.status == "ok" else ("✗", "Failed")


def _changed(tool: ToolItem) -> str:
    if not tool.diffs or tool.status != "ok":
        return ""
    counts = changes(sum(diff.added for diff in tool.diffs), sum(diff.removed for diff in tool.diffs))
    return counts if len(tool.diffs) == 1 else f"{plural(len(tool.diffs), 'file')} {counts}"


def _meta(tool: ToolItem, described: Described, approval: ApprovalItem | None, cut: Cut | None) -> list[str]:
    words = ["never ended"] if tool.synthetic else [f"exit {tool.exit_code}"] if tool.exit_code else []
    unit = {"read": "line", "search": "hit"}.get(described.kind)
    count = (cut.lines if cut else line_count(output_text(tool))) if unit and tool.status == "ok" else 0
    if unit and count:
        words.append(plural(count, unit))
    if approval is not None:
        words.append(approved_words(approval))
    seconds = (tool.duration_ms or 0) / 1000
    if seconds >= (_QUICK_S if described.kind in _QUICK else _NOTABLE_S):
        words.append(duration(seconds))
    return [word for word in words if word]
