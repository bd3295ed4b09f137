"""The transcript as envelopes: what a notebook keeps so that the turn can be replayed without the agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    Envelope,
    Error,
    Event,
    MessageDelta,
    MessageQueued,
    MessageThinking,
    MessageUser,
    Notice,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    SessionUpdated,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    Unknown,
    Usage,
    UsageUpdated,
    WorkspaceChanged,
    decode,
)
from nbharness.state import (
    ApprovalItem,
    ChangesItem,
    Item,
    MessageItem,
    NoticeItem,
    PlanItem,
    QuestionItem,
    ThinkingItem,
    TodosItem,
    ToolItem,
    TurnState,
    UnknownItem,
)

__all__ = ["TRANSCRIPT_MIME", "VERSION", "read_transcript", "unfold"]

TRANSCRIPT_MIME = "application/vnd.nbharness.transcript+json"
"""Under this type a saved output keeps ``{"version": 1, "turn": id, "leftOut": {...}, "envelopes": [...]}``."""

VERSION = 1


class _Timed(NamedTuple):
    """An event that waits for its place: when it was, and what it is."""

    at: float
    event: Event | Unknown


def read_transcript(value: Any) -> list[Envelope]:
    """Return the envelopes of a saved transcript, in order.

    Args:
        value: What stands under :data:`TRANSCRIPT_MIME`, from anywhere.

    Raises:
        ValueError: It is no transcript, or one of a version that this program does not know.
    """
    fields = value if isinstance(value, dict) else {}
    version, envelopes = fields.get("version"), fields.get("envelopes")
    if version != VERSION or not isinstance(envelopes, list):
        raise ValueError(
            f"not a transcript of version {VERSION}: version is {version!r}, envelopes is {envelopes!r:.80}"
        )
    decoded = (decode(msgspec.json.encode(raw)) for raw in envelopes)
    return [envelope for envelope in decoded if isinstance(envelope, Envelope)]


def unfold(state: TurnState) -> list[Envelope]:
    """Return envelopes whose fold is `state`: the fewest that there can be, numbered anew.

    Instants that the state does not keep (those of messages) are those of the event before.
    """
    if state.started_at is None:
        return []
    now = state.started_at
    envelopes: list[Envelope] = []
    for at, event in _events(state):
        now = max(now, at)
        envelopes.append(Envelope(len(envelopes), state.turn_id, now, event))
    return envelopes


def _events(state: TurnState) -> Iterator[_Timed]:
    start = state.started_at or 0.0
    yield _Timed(start, _started(state))
    if state.session_id:
        yield _Timed(start, SessionStarted(session_id=state.session_id, model=state.model or UNSET))
    session = SessionUpdated(
        mode=_given(state.mode),
        modes=state.modes or UNSET,
        models=state.models or UNSET,
        commands=state.commands or UNSET,
        title=_given(state.title),
    )
    if session != SessionUpdated():
        yield _Timed(start, session)
    ends: list[_Timed] = []
    for place, item in enumerate(state.items):
        # What had ended before this began comes first, so that a replay runs as the turn did.
        due = [end for end in ends if end.at <= _next_start(state.items, place)]
        ends = [end for end in ends if end not in due]
        yield from sorted(due, key=lambda end: end.at)
        yield from _begins(item)
        ends += _ends(item)
    yield from sorted(ends, key=lambda end: end.at)
    end_at = state.ended_at if state.ended_at is not None else start
    yield from (_Timed(end_at, MessageQueued(id=queued.id, text=queued.text)) for queued in state.queued)
    if state.status in {"waiting", "running"} and state.usage is not None:
        yield _Timed(end_at, UsageUpdated(usage=state.usage))
    yield from _terminal(state, end_at)


def _started(state: TurnState) -> Event:
    fields = {
        "prompt": state.prompt,
        "agent": state.agent,
        "definition": state.definition,
        "model": state.model,
        "approvalMode": state.approval_mode,
        "planMode": state.plan_mode,
        "workspace": state.workspace,
        "conversationId": state.conversation_id,
        "capabilities": state.capabilities,
    }
    return msgspec.convert({name: value for name, value in fields.items() if value}, TurnStarted)


def _next_start(items: list[Item], place: int) -> float:
    starts = (_start_of(item) for item in items[place : place + 64])
    return next((start for start in starts if start is not None), float("inf"))


def _start_of(item: Item) -> float | None:
    match item:
        case ToolItem() | ThinkingItem():
            return item.started_at
        case ApprovalItem() | QuestionItem() | PlanItem():
            return item.asked_at
        case _:
            return None


def _begins(item: Item) -> list[_Timed]:
    """The events that put the item where it is."""
    match item:
        case ThinkingItem():
            parent = _given(item.parent_id)
            spans = ((item.started_at, item.text), (item.ended_at, ""))
            return [_Timed(at, MessageThinking(delta=text, parent_id=parent)) for at, text in spans]
        case ToolItem():
            start = ToolStart(
                id=item.id,
                name=item.name,
                args=item.args,
                parent_id=_given(item.parent_id),
                kind=item.tool_kind or UNSET,
                title=_given(item.title),
            )
            output = [ToolDelta(id=item.id, name=item.name, partial=item.stream)] if item.stream else []
            return [_Timed(item.started_at, start), *(_Timed(item.started_at, delta) for delta in output)]
        case ApprovalItem():
            return [_Timed(item.asked_at, _asked(item))]
        case QuestionItem():
            return [_Timed(item.asked_at, QuestionAsked(id=item.id, questions=item.questions))]
        case PlanItem():
            plan = PlanProposed(plan=item.proposed_plan, id=_given(item.id), plan_hash=_given(item.plan_hash))
            return [_Timed(item.asked_at, plan)]
        case _:
            return [_Timed(0, _said(item))]


def _said(item: MessageItem | TodosItem | ChangesItem | NoticeItem | UnknownItem) -> Event | Unknown:
    match item:
        case MessageItem(role="user"):
            return MessageUser(text=item.text)
        case MessageItem():
            ids = {"message_id": _given(item.message_id), "parent_id": _given(item.parent_id)}
            return MessageDelta(delta=item.text, **ids)
        case TodosItem():
            return TodosUpdated(todos=item.todos)
        case ChangesItem():
            return _changes(item)
        case NoticeItem():
            return _notice(item)
        case UnknownItem():
            return Unknown(item.type, item.raw)


def _changes(item: ChangesItem) -> Event:
    return WorkspaceChanged(
        diffs=item.diffs,
        files=item.files,
        added=item.added,
        removed=item.removed,
        ignored=item.ignored,
        nested=item.nested,
        stale_modules=item.stale_modules,
        undoable=item.undoable,
    )


def _notice(item: NoticeItem) -> Event:
    if item.level == "error":
        return Error(error=item.message, code=_given(item.code))
    return Notice(message=item.message, level=item.level)


def _asked(item: ApprovalItem) -> Event:
    return ApprovalRequired(
        id=item.id,
        tool_name=item.tool_name,
        args=item.args,
        message=item.message,
        auto_approvable=item.auto_approvable,
        tool_call_id=_given(item.tool_call_id),
        args_hash=_given(item.args_hash),
        choices=item.choices or UNSET,
        diffs=item.diffs or UNSET,
        warnings=item.warnings or UNSET,
        kind=item.tool_kind or UNSET,
        options=item.options or UNSET,
    )


def _ends(item: Item) -> list[_Timed]:
    """The events that bring the item to where it stands."""
    match item:
        case ToolItem(status="ok" | "failed", ended_at=float(at)):
            return [_Timed(at, _tool_end(item))]
        case ApprovalItem(decided_at=float(at)) if item.status != "pending":
            args = item.edited_args if item.edited else UNSET
            by, reason = _given(item.by), _given(item.reason)
            chosen = _given(item.option_id)
            updated = ApprovalUpdated(id=item.id, status=item.status, by=by, reason=reason, args=args, option_id=chosen)
            return [_Timed(at, updated)]
        case QuestionItem(decided_at=float(at)) if item.status != "pending":
            by = _given(item.by)
            return [_Timed(at, QuestionAnswered(id=item.id, status=item.status, answers=item.answers, by=by))]
        case PlanItem(decided_at=float(at), status="approved"):
            return [_Timed(at, PlanApproved(plan=item.plan, id=_given(item.id), by=_given(item.by)))]
        case PlanItem(decided_at=float(at), status="rejected"):
            ids = {"id": _given(item.id), "by": _given(item.by), "reason": _given(item.reason)}
            return [_Timed(at, PlanRejected(plan=item.plan, **ids))]
        case _:
            return []


def _tool_end(item: ToolItem) -> Event:
    return ToolEnd(
        id=item.id,
        name=item.name,
        output=item.output,
        is_error=item.status == "failed",
        duration_ms=item.duration_ms,
        exit_code=UNSET if item.exit_code is None else item.exit_code,
        diffs=item.diffs or UNSET,
        synthetic=item.synthetic or UNSET,
    )


def _terminal(state: TurnState, at: float) -> Iterator[_Timed]:
    usage: Usage | UnsetType = UNSET if state.usage is None else state.usage
    code = _given(state.code or "")
    match state.status:
        case "completed":
            metadata = state.metadata or UNSET
            yield _Timed(at, TurnCompleted(response=state.response, usage=usage, metadata=metadata))
        case "failed":
            retry = UNSET if state.retry_after is None else state.retry_after
            yield _Timed(at, TurnFailed(error=state.error or "", code=code, retry_after=retry, usage=usage))
        case "aborted":
            fields = {"code": state.code, "reason": state.error}
            known = {name: value for name, value in fields.items() if value is not None}
            aborted = msgspec.convert(known, TurnAborted)
            yield _Timed(at, msgspec.structs.replace(aborted, usage=usage))
        case _:
            return


def _given(text: str) -> str | UnsetType:
    return text or UNSET
