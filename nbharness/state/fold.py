"""`fold`: the next state of a turn, from the last one and an envelope.

It takes any events in any order without an error. What the turn's order forbids is kept where it can be shown (an end
without a start makes a tool item) and dropped where it cannot (an answer to an approval that nobody asked for).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    Envelope,
    Error,
    MessageDelta,
    MessageQueued,
    MessageThinking,
    MessageUser,
    MessageWithdrawn,
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
    UsageUpdated,
    WorkspaceChanged,
)
from nbharness.state.draft import Draft
from nbharness.state.items import (
    ApprovalItem,
    ChangesItem,
    MessageItem,
    NoticeItem,
    PlanItem,
    QuestionItem,
    QueuedMessage,
    ThinkingItem,
    TodosItem,
    ToolItem,
    TurnState,
    UnknownItem,
)

T = TypeVar("T")
D = TypeVar("D")


def fold(state: TurnState, envelope: Envelope) -> TurnState:
    """Return the state after one more envelope.

    Args:
        state: The state so far; it is not changed.
        envelope: The next one. One that is already in `state`, by its ``seq``, changes nothing.
    """
    return fold_all((envelope,), state)


def fold_all(envelopes: Iterable[Envelope], state: TurnState | None = None) -> TurnState:
    """Return the state after many envelopes: the same as folding them one by one, in linear time.

    Args:
        envelopes: In order of ``seq``; those that are already in `state` are passed over.
        state: Where to begin; by default a turn that has not begun.
    """
    state = state or TurnState()
    draft = Draft(state)
    last_seq = state.last_seq
    for envelope in envelopes:
        if envelope.seq > last_seq:
            last_seq = envelope.seq
            draft.set(turn_id=envelope.turn_id, last_seq=last_seq)
            _STEPS[type(envelope.event)](draft, envelope.event, envelope.at)
    return draft.finish()


def _given(value: T | UnsetType, default: D) -> T | D:
    return default if isinstance(value, UnsetType) else value


def _turn_started(draft: Draft, event: TurnStarted, at: float) -> None:
    draft.set(
        status="running",
        prompt=event.prompt,
        agent=event.agent,
        definition=event.definition,
        model=event.model,
        approval_mode=event.approval_mode,
        plan_mode=event.plan_mode,
        workspace=event.workspace,
        conversation_id=event.conversation_id,
        capabilities=event.capabilities,
        started_at=at,
    )


def _session_started(draft: Draft, event: SessionStarted, _at: float) -> None:
    draft.set(session_id=event.session_id, model=event.model)


def _session_updated(draft: Draft, event: SessionUpdated, _at: float) -> None:
    draft.set(
        mode=event.mode,
        modes=event.modes,
        model=event.model,
        models=event.models,
        commands=event.commands,
        title=event.title,
    )


def _message_queued(draft: Draft, event: MessageQueued, _at: float) -> None:
    draft.set(queued=[*draft.queued, QueuedMessage(id=event.id, text=event.text)])


def _message_withdrawn(draft: Draft, event: MessageWithdrawn, _at: float) -> None:
    draft.set(queued=[queued for queued in draft.queued if queued.id != event.id])


def _message_user(draft: Draft, event: MessageUser, _at: float) -> None:
    if isinstance(event.id, str):
        draft.set(queued=[queued for queued in draft.queued if queued.id != event.id])
    draft.add(MessageItem(role="user", text=event.text))


def _message_delta(draft: Draft, event: MessageDelta, _at: float) -> None:
    parent_id = _given(event.parent_id, "")
    match draft.last:
        case place, MessageItem(role="agent", parent_id=open_parent, message_id=open_id) if (
            open_parent == parent_id and _given(event.message_id, open_id) == open_id
        ):
            draft.append(place, event.delta)
        case _:
            message_id = _given(event.message_id, "")
            draft.add(MessageItem(role="agent", text=event.delta, message_id=message_id, parent_id=parent_id))


def _message_thinking(draft: Draft, event: MessageThinking, at: float) -> None:
    parent_id = _given(event.parent_id, "")
    match draft.last:
        case place, ThinkingItem(parent_id=open_parent) if open_parent == parent_id:
            draft.append(place, event.delta)
            draft.update(place, ended_at=at)
        case _:
            draft.add(ThinkingItem(text=event.delta, parent_id=parent_id, started_at=at, ended_at=at))


def _tool(draft: Draft, event: ToolStart | ToolDelta | ToolEnd, at: float) -> int:
    """Return where the event's tool item is, after adding one if there is none."""
    place = draft.find(ToolItem, event.id)
    return draft.add(ToolItem(id=event.id, name=event.name, started_at=at)) if place is None else place


def _tool_start(draft: Draft, event: ToolStart, at: float) -> None:
    draft.update(
        _tool(draft, event, at),
        name=event.name,
        args=event.args,
        parent_id=_given(event.parent_id, ""),
        tool_kind=_given(event.kind, None),
        title=_given(event.title, ""),
    )


def _tool_delta(draft: Draft, event: ToolDelta, at: float) -> None:
    draft.append(_tool(draft, event, at), event.partial)


def _tool_end(draft: Draft, event: ToolEnd, at: float) -> None:
    draft.update(
        _tool(draft, event, at),
        status="failed" if event.is_error else "ok",
        output=event.output,
        exit_code=_given(event.exit_code, None),
        diffs=_given(event.diffs, []),
        duration_ms=event.duration_ms,
        synthetic=_given(event.synthetic, default=False),
        ended_at=at,
    )


def _approval_required(draft: Draft, event: ApprovalRequired, at: float) -> None:
    tool_call_id = _given(event.tool_call_id, "")
    draft.add(
        ApprovalItem(
            id=event.id,
            tool_name=event.tool_name,
            args=event.args,
            message=event.message,
            auto_approvable=event.auto_approvable,
            tool_call_id=tool_call_id,
            args_hash=_given(event.args_hash, ""),
            choices=_given(event.choices, []),
            diffs=_given(event.diffs, []),
            warnings=_given(event.warnings, []),
            tool_kind=_given(event.kind, None),
            options=_given(event.options, []),
            asked_at=at,
        )
    )
    if tool_call_id and (tool := draft.find(ToolItem, tool_call_id)) is not None:
        draft.update(tool, approval_id=event.id)


def _approval_updated(draft: Draft, event: ApprovalUpdated, at: float) -> None:
    if (place := draft.find(ApprovalItem, event.id)) is not None:
        draft.update(
            place,
            status=event.status,
            by=_given(event.by, ""),
            reason=_given(event.reason, ""),
            edited_args=_given(event.args, None),
            edited=event.args is not UNSET,
            option_id=_given(event.option_id, ""),
            decided_at=at,
        )


def _question_asked(draft: Draft, event: QuestionAsked, at: float) -> None:
    draft.add(QuestionItem(id=event.id, questions=event.questions, asked_at=at))


def _question_answered(draft: Draft, event: QuestionAnswered, at: float) -> None:
    if (place := draft.find(QuestionItem, event.id)) is not None:
        draft.update(place, status=event.status, answers=event.answers, by=_given(event.by, ""), decided_at=at)


def _plan_proposed(draft: Draft, event: PlanProposed, at: float) -> None:
    draft.add(
        PlanItem(
            id=_given(event.id, ""),
            plan=event.plan,
            plan_hash=_given(event.plan_hash, ""),
            proposed_plan=event.plan,
            asked_at=at,
        )
    )


def _plan_decided(draft: Draft, event: PlanApproved | PlanRejected, at: float) -> None:
    plan_id = _given(event.id, "")
    place = draft.find(PlanItem, plan_id)
    if place is None:
        place = draft.add(PlanItem(id=plan_id, plan=event.plan, proposed_plan=event.plan, asked_at=at))
    draft.update(
        place,
        status="approved" if isinstance(event, PlanApproved) else "rejected",
        plan=event.plan,
        by=_given(event.by, ""),
        reason=event.reason if isinstance(event, PlanRejected) and event.reason else "",
        decided_at=at,
    )


def _todos_updated(draft: Draft, event: TodosUpdated, _at: float) -> None:
    place = draft.find(TodosItem)
    if place is None:
        draft.add(TodosItem(todos=event.todos))
    else:
        draft.update(place, todos=event.todos)


def _usage_updated(draft: Draft, event: UsageUpdated, _at: float) -> None:
    draft.set(usage=event.usage)


def _workspace_changed(draft: Draft, event: WorkspaceChanged, _at: float) -> None:
    draft.add(
        ChangesItem(
            diffs=event.diffs,
            files=event.files,
            added=event.added,
            removed=event.removed,
            ignored=event.ignored,
            nested=event.nested,
            stale_modules=event.stale_modules,
            undoable=event.undoable,
        )
    )


def _notice(draft: Draft, event: Notice, _at: float) -> None:
    draft.add(NoticeItem(level=event.level, message=event.message))


def _error(draft: Draft, event: Error, _at: float) -> None:
    draft.add(NoticeItem(level="error", message=event.error, code=_given(event.code, "")))


def _unknown(draft: Draft, event: Unknown, _at: float) -> None:
    draft.add(UnknownItem(type=event.type, raw=event.raw))


def _turn_completed(draft: Draft, event: TurnCompleted, at: float) -> None:
    draft.set(status="completed", response=event.response, usage=event.usage, metadata=event.metadata, ended_at=at)


def _turn_failed(draft: Draft, event: TurnFailed, at: float) -> None:
    draft.set(
        status="failed",
        error=event.error,
        code=event.code,
        retry_after=event.retry_after,
        usage=event.usage,
        ended_at=at,
    )


def _turn_aborted(draft: Draft, event: TurnAborted, at: float) -> None:
    draft.set(status="aborted", error=event.reason, code=event.code, usage=event.usage, ended_at=at)


# Each step is typed for its own event; the key says which.
_STEPS: dict[type[object], Callable[[Draft, Any, float], None]] = {
    TurnStarted: _turn_started,
    SessionStarted: _session_started,
    SessionUpdated: _session_updated,
    MessageUser: _message_user,
    MessageQueued: _message_queued,
    MessageWithdrawn: _message_withdrawn,
    MessageDelta: _message_delta,
    MessageThinking: _message_thinking,
    ToolStart: _tool_start,
    ToolDelta: _tool_delta,
    ToolEnd: _tool_end,
    ApprovalRequired: _approval_required,
    ApprovalUpdated: _approval_updated,
    QuestionAsked: _question_asked,
    QuestionAnswered: _question_answered,
    PlanProposed: _plan_proposed,
    PlanApproved: _plan_decided,
    PlanRejected: _plan_decided,
    TodosUpdated: _todos_updated,
    UsageUpdated: _usage_updated,
    WorkspaceChanged: _workspace_changed,
    Notice: _notice,
    Error: _error,
    Unknown: _unknown,
    TurnCompleted: _turn_completed,
    TurnFailed: _turn_failed,
    TurnAborted: _turn_aborted,
}
