"""What the demo agent says, as events: pure, so every quirk is a golden file."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from nbharness.adapters.demo.agent.messages import (
    Call,
    Checklist,
    Done,
    Failed,
    FileDelta,
    Hello,
    Item,
    Message,
    Progress,
    Result,
    Text,
    Thought,
    Warn,
)
from nbharness.events import (
    Event,
    FileDiff,
    MessageDelta,
    MessageThinking,
    Notice,
    SessionStarted,
    Todo,
    TodoStatus,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    Unknown,
)

__all__ = ["Translator", "file_diff"]

_STATES: dict[str, TodoStatus] = {"open": "pending", "doing": "in_progress", "done": "completed"}


class Translator:
    """Translates the messages of one turn. It remembers only the names of the tools that were called."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}

    def translate(self, said: object) -> list[Event | Unknown]:
        """Return what a message means.

        Args:
            said: One message as it came, JSON-like. What cannot be read comes back as :class:`Unknown`.
        """
        try:
            message: Message = msgspec.convert(said, Message)
        except msgspec.ValidationError:
            return [_unknown(said)]
        match message:
            case Call():
                self._tools[message.id] = message.tool
                inside = message.inside or UNSET
                return [ToolStart(id=message.id, name=message.tool, args=message.input, parent_id=inside)]
            case Progress():
                return [ToolDelta(id=message.id, name=self._tools.get(message.id, ""), partial=message.text)]
            case Result():
                return [self._tool_end(message)]
            case Hello() | Text() | Thought() | Checklist() | Warn():
                return [_plain(message)]
            case Done() | Failed():
                return [_terminal(message)]

    def _tool_end(self, message: Result) -> ToolEnd:
        return ToolEnd(
            id=message.id,
            name=self._tools.get(message.id, ""),
            output=message.text,
            is_error=not message.ok,
            duration_ms=message.ms,
            exit_code=UNSET if message.exit is None else message.exit,
            diffs=[file_diff(file) for file in message.files] or UNSET,
        )


def file_diff(file: FileDelta) -> FileDiff:
    """Return a change to a file as events hold it."""
    return FileDiff(path=file.path, patch=file.diff, added=file.added, removed=file.removed)


def _plain(message: Hello | Text | Thought | Checklist | Warn) -> Event:
    match message:
        case Hello():
            return SessionStarted(session_id=message.session)
        case Text():
            return MessageDelta(delta=message.text, message_id=message.part, parent_id=message.inside or UNSET)
        case Thought():
            return MessageThinking(delta=message.text)
        case Checklist():
            return TodosUpdated(todos=[_todo(item) for item in message.items])
        case Warn():
            return Notice(message=message.text, level="warning")


def _terminal(message: Done | Failed) -> Event:
    if isinstance(message, Done):
        return TurnCompleted(response=message.text)
    retry_after = UNSET if message.retry_s is None else message.retry_s
    return TurnFailed(error=message.text, code=message.code, retry_after=retry_after)


def _todo(item: Item) -> Todo:
    return Todo(content=item.text, status=_STATES[item.state])


def _unknown(said: Any) -> Unknown:
    kind = said.get("kind") if isinstance(said, dict) else None
    return Unknown(kind if isinstance(kind, str) else "", said)
