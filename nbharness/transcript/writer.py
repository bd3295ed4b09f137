"""A readable transcript on a terminal or in a pipe, written as the turn happens."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET
from msgspec.structs import replace

from nbharness.events import (
    TERMINAL_EVENTS,
    ApprovalRequired,
    ApprovalUpdated,
    Envelope,
    Error,
    Event,
    MessageDelta,
    MessageQueued,
    MessageUser,
    MessageWithdrawn,
    Notice,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    Todo,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnStarted,
    Unknown,
    UsageUpdated,
    WorkspaceChanged,
)
from nbharness.state import ApprovalItem, ChangesItem, PlanItem, QuestionItem, ToolItem, fold_all
from nbharness.transcript.changed import change_notes, change_title
from nbharness.transcript.decisions import plan_words
from nbharness.transcript.ending import footer_of, head_of
from nbharness.transcript.ink import Ink
from nbharness.transcript.outline import TODO_MARKS, Body, Diff, Output
from nbharness.transcript.patch import line_kinds
from nbharness.transcript.plain import bodies_to_show, body_lines, diff_title, footer_line, head_lines, step_line
from nbharness.transcript.question import question_lines
from nbharness.transcript.steps import approval_step, question_step, tool_step
from nbharness.transcript.texts import folded_lines
from nbharness.transcript.verbs import describe
from nbharness.transcript.visible import one_line, printable
from nbharness.transcript.words import changes

__all__ = ["PlainWriter"]


class PlainWriter:
    """Writes one turn; give it every envelope in order, from one thread.

    Text is written as it comes, a tool call when it begins and again with its outcome, an approval when it waits and
    when it is decided. Nothing that is written can move a cursor; without colour it holds no control characters.

    Args:
        write: Takes text to print; it is called with a few characters at a time and need not flush.
        colour: Whether to write SGR colour escapes.
    """

    def __init__(self, write: Callable[[str], object], colour: bool = False) -> None:  # noqa: FBT001, FBT002 (one switch)
        self._out = _Lines(write)
        self._ink = Ink(on=colour)
        self._calls: dict[str, list[Envelope]] = {}
        self._asked: dict[str, str] = {}
        self._facts: list[Envelope] = []
        self._todos: list[Todo] = []

    def event(self, envelope: Envelope) -> None:
        """Write what happened."""
        event = envelope.event
        match event:
            case MessageDelta():
                self._message(event)
            case ToolStart() | ToolDelta() | ToolEnd() | ApprovalRequired() | ApprovalUpdated():
                self._call(envelope, event)
            case PlanProposed() | PlanApproved() | PlanRejected():
                self._plan(envelope, event)
            case QuestionAsked() | QuestionAnswered():
                self._question(envelope, event)
            case WorkspaceChanged():
                self._workspace(envelope)
            case TodosUpdated():
                self._todo_changes(event.todos)
            case TurnStarted() | UsageUpdated():
                self._fact(envelope)
            case _ if isinstance(event, TERMINAL_EVENTS):
                self._fact(envelope)
            case _:
                self._remark(event)

    def _message(self, event: MessageDelta) -> None:
        parent_id = event.parent_id if isinstance(event.parent_id, str) else ""
        # A carriage return may be half of a line break whose other half comes with the next delta.
        text = printable(event.delta.replace("\r", ""))
        self._out.prose(text, parent_id, event.message_id, margin="  " if parent_id else "")

    def _fact(self, envelope: Envelope) -> None:
        """Keep what the first and the last line tell, and write them when their time comes."""
        self._facts.append(envelope)
        if isinstance(envelope.event, TurnStarted):
            head, *prompt = head_lines(head_of(fold_all([envelope])))
            self._out.lines([self._ink.strong(head), *map(self._ink.muted, prompt), ""])
        elif isinstance(envelope.event, TERMINAL_EVENTS):
            state = fold_all(sorted(self._facts, key=lambda fact: fact.seq))
            self._out.lines(["", self._ink.strong(footer_line(footer_of(state)))])

    def _call(
        self, envelope: Envelope, event: ToolStart | ToolDelta | ToolEnd | ApprovalRequired | ApprovalUpdated
    ) -> None:
        key = self._key(event)
        self._calls.setdefault(key, []).append(envelope)
        match event:
            case ToolStart():
                title = event.title if isinstance(event.title, str) else ""
                described = describe(event.name, event.args, event.kind or None, title)
                self._out.lines([self._ink.muted(f"… {described.doing} {one_line(described.subject)}")])
            case ApprovalRequired():
                self._asks(event)
                self._facts.append(envelope)
            case ApprovalUpdated():
                self._decided(key)
                self._facts.append(envelope)
            case ToolEnd():
                self._ended(self._calls.pop(key))
                self._facts.append(replace(envelope, event=replace(event, output=None)))

    def _asks(self, event: ApprovalRequired) -> None:
        if event.auto_approvable:
            return
        described = describe(event.tool_name, event.args, event.kind or None)
        warnings = event.warnings if isinstance(event.warnings, list) else []
        asks = f"? Waits for an answer: {described.doing.lower()} {one_line(described.subject, 2000)}"
        self._out.lines([self._ink.asks(asks), *(f"  Careful: {one_line(text, 400)}" for text in warnings)])

    def _key(self, event: ToolStart | ToolDelta | ToolEnd | ApprovalRequired | ApprovalUpdated) -> str:
        """The tool call that an event belongs to, or the approval if it belongs to none."""
        if isinstance(event, ApprovalRequired):
            call = event.tool_call_id if isinstance(event.tool_call_id, str) else ""
            return self._asked.setdefault(event.id, call if call in self._calls else f"approval {event.id}")
        return self._asked.get(event.id, f"approval {event.id}") if isinstance(event, ApprovalUpdated) else event.id

    def _decided(self, key: str) -> None:
        """Write an answer; one that belongs to a tool call is written with the call's outcome."""
        state = fold_all(self._calls[key])
        if any(isinstance(item, ToolItem) for item in state.items):
            return
        del self._calls[key]
        self._out.lines([step_line(approval_step(item)) for item in state.items if isinstance(item, ApprovalItem)])

    def _ended(self, envelopes: list[Envelope]) -> None:
        items = fold_all(envelopes).items
        approval = next((item for item in reversed(items) if isinstance(item, ApprovalItem)), None)
        for tool in (item for item in items if isinstance(item, ToolItem)):
            step = tool_step(tool, approval)
            paint = {"✗": self._ink.removed, "⊘": self._ink.asks}.get(step.mark, str)
            self._out.lines([paint(step_line(step))])
            for body in bodies_to_show(step):
                self._out.lines([f"    {line}".rstrip() for line in self._body(body)])

    def _body(self, body: Body) -> list[str]:
        match body:
            case Output():
                return [self._ink.muted(line) for line in folded_lines(body.text)]
            case Diff():
                kinds = line_kinds(body.lines)
                painted = [self._ink.of(kind)(line) for line, kind in zip(body.lines, kinds, strict=True)]
                return [diff_title(body), *painted, *([body.cut] if body.cut else [])]
            case _:
                return body_lines(body)

    def _plan(self, envelope: Envelope, event: PlanProposed | PlanApproved | PlanRejected) -> None:
        key = f"plan {event.id or ''}"
        envelopes = self._calls.setdefault(key, [])
        envelopes.append(envelope)
        self._facts.append(envelope)
        if isinstance(event, PlanProposed):
            lines = printable(event.plan).strip("\n").split("\n")
            self._out.lines(
                [self._ink.asks("? Proposes a plan, waits for an answer:"), *(f"  {line}" for line in lines)]
            )
            return
        del self._calls[key]
        for plan in fold_all(envelopes).items:
            if isinstance(plan, PlanItem):
                mark = "✓" if plan.status == "approved" else "⊘"
                self._out.lines([f"{mark} Plan {' · '.join(map(printable, plan_words(plan)))}"])

    def _question(self, envelope: Envelope, event: QuestionAsked | QuestionAnswered) -> None:
        envelopes = self._calls.setdefault(f"question {event.id}", [])
        envelopes.append(envelope)
        self._facts.append(envelope)
        if isinstance(event, QuestionAsked):
            lines = (line for question in event.questions for line in question_lines(question))
            self._out.lines([self._ink.asks("? Waits for an answer:"), *(f"  {printable(line)}" for line in lines)])
            return
        del self._calls[f"question {event.id}"]
        for item in fold_all(envelopes).items:
            if isinstance(item, QuestionItem):
                step = question_step(item)
                answers = (line for body in step.bodies for line in body_lines(body))
                self._out.lines([step_line(step), *(f"    {line}" for line in answers)])

    def _workspace(self, envelope: Envelope) -> None:
        """Sum up what is different in the workspace; the diffs were shown with the calls that made them."""
        self._facts.append(envelope)
        for item in fold_all([envelope]).items:
            if isinstance(item, ChangesItem) and (item.files or change_notes(item)):
                title = change_title(item)
                files = (f"  {one_line(diff.path)} {changes(diff.added, diff.removed)}" for diff in item.diffs)
                notes = (f"{note.label}: {note.text}" for note in change_notes(item))
                self._out.lines(["", f"{title.text} · {title.meta}", *files, *notes])

    def _todo_changes(self, todos: list[Todo]) -> None:
        """Write the lines of the checklist that changed."""
        new = [todo for todo in todos if todo not in self._todos]
        self._out.lines([f"{TODO_MARKS[todo.status]} {one_line(todo.content)}" for todo in new])
        self._todos = todos

    def _remark(self, event: Event | Unknown) -> None:
        match event:
            case MessageUser():
                self._out.lines([self._ink.strong(f"You: {printable(event.text)}")])
            case MessageQueued():
                self._out.lines([self._ink.muted(f"Queued: {printable(event.text)}")])
            case MessageWithdrawn():
                self._out.lines([self._ink.muted("A queued message was withdrawn.")])
            case Notice():
                label = "Careful" if event.level == "warning" else "Note"
                self._out.lines([f"{label}: {printable(event.message)}"])
            case Error():
                self._out.lines([self._ink.removed(f"Error: {printable(event.error)}")])
            case Unknown():
                self._out.lines([self._ink.muted(f"○ Unknown event {one_line(event.type) or 'without a name'}")])
            case _:
                pass


class _Lines:
    """Keeps text that streams apart from whole lines."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._at_start = True
        self._open: tuple[str, object] | None = None

    def prose(self, text: str, speaker: str, message: object, *, margin: str) -> None:
        """Write more of a text; another speaker or message begins a new paragraph.

        Args:
            text: What comes next.
            speaker: Whose text it is.
            message: Which of the speaker's; UNSET continues the last one.
            margin: What stands before each line.
        """
        if not text:
            return
        if self._open and self._open[0] == speaker and message in {UNSET, self._open[1]}:
            message = self._open[1]
        else:
            self._write("" if self._at_start else "\n")
            self._at_start = True
        self._open = (speaker, message)
        first = margin if self._at_start else ""
        last = "\n" if text.endswith("\n") else ""
        self._write(first + text.removesuffix("\n").replace("\n", f"\n{margin}") + last)
        self._at_start = bool(last)

    def lines(self, lines: list[str]) -> None:
        """Write whole lines."""
        if not lines:
            return
        self._write(("" if self._at_start else "\n") + "\n".join(lines) + "\n")
        self._at_start, self._open = True, None
