"""Events that need no memory of the turn: texts, todos, notices and ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

from msgspec import UNSET, UnsetType

from nbharness.events import (
    Error,
    Event,
    MessageDelta,
    MessageThinking,
    Notice,
    Todo,
    TodoStatus,
    TodosUpdated,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from nbharness.translator.values import Fields, first, is_object, number, text
from nbharness.translator.wire import payload_of

_STATUSES: dict[str, TodoStatus] = {status: status for status in get_args(TodoStatus)}

_SILENT = "The agent did not say what went wrong."


def message_delta(data: Fields, message_id: str | UnsetType = UNSET) -> Sequence[Event]:
    """Return a part of the agent's answer; nothing when it is empty."""
    delta = text(data["delta"])
    return [MessageDelta(delta=delta, message_id=message_id)] if delta else []


def _message_thinking(_native: Fields, data: Fields) -> Sequence[Event]:
    delta = text(data["delta"])
    return [MessageThinking(delta=delta)] if delta else []


def _todos_updated(_native: Fields, data: Fields) -> Sequence[Event]:
    todos = data["todos"] if isinstance(data["todos"], list) else []
    return [TodosUpdated(todos=[_todo(todo) for todo in todos])]


def _todo(value: object) -> Todo:
    if not is_object(value):
        return Todo(content=text(value))
    status = text(value.get("status")).replace("-", "_")
    return Todo(content=text(first(value, "content", "text", "title")), status=_STATUSES.get(status, "pending"))


def _turn_failed(native: Fields, data: Fields) -> Sequence[Event]:
    error = payload_of(native).get("error")
    retry_after = number(error.get("retryAfter")) if is_object(error) else None
    return [
        TurnFailed(
            error=text(data["error"]) or _SILENT,
            code=_code(native),
            retry_after=UNSET if retry_after is None else float(retry_after),
        )
    ]


def _code(native: Fields) -> str | UnsetType:
    error = payload_of(native).get("error")
    code = error.get("code") if is_object(error) else None
    return code if isinstance(code, str) else UNSET


def _turn_completed(_native: Fields, data: Fields) -> Sequence[Event]:
    return [TurnCompleted(response=None if data["response"] is None else text(data["response"]))]


PLAIN: dict[str, Callable[[Fields, Fields], Sequence[Event]]] = {
    "turn.started": lambda _native, _data: [TurnStarted()],
    "message.delta": lambda _native, data: message_delta(data),
    "message.thinking": _message_thinking,
    "todos.updated": _todos_updated,
    "notice": lambda _native, data: [Notice(message=text(data["message"]))],
    "error": lambda native, data: [Error(error=text(data["error"]) or _SILENT, code=_code(native))],
    "turn.completed": _turn_completed,
    "turn.failed": _turn_failed,
    "turn.aborted": lambda _native, _data: [TurnAborted(code="aborted")],
}
"""By the event's name: from the agent's message and its translation to our events."""
