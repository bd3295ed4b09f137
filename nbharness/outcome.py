"""What a turn comes to, gathered from its events as they pass."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from nbharness.events import (
    Event,
    MessageDelta,
    SessionStarted,
    ToolEnd,
    ToolStart,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    Unknown,
    Usage,
    UsageUpdated,
)
from nbharness.policy import paths_of
from nbharness.results import CodingError, CodingOutput, CodingResult, CodingValue, ResultStatus

__all__ = ["OutcomeBuilder"]

_WRITING_TOOLS = ("write", "edit", "patch", "create", "replace", "insert")


class OutcomeBuilder:
    """Watches one turn's events and makes its result.

    Args:
        session_id: Used until, and unless, the agent names its own session.
    """

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._text: list[str] = []
        self._message: tuple[Any, int] | None = None
        self._breaks = 0
        self._touched: dict[str, list[str]] = {}
        self._usage: Usage | None = None

    def observe(self, event: Event | Unknown) -> None:
        """Take note of one event."""
        match event:
            case MessageDelta() if event.parent_id is UNSET:
                self._add_text(event)
            case SessionStarted():
                self._session_id = event.session_id
            case ToolStart():
                self._breaks += 1
                self._touched[event.id] = paths_of(event.args) if _writes_files(event.name) else []
            case ToolEnd():
                self._end_tool(event)
            case UsageUpdated():
                self._usage = event.usage
            case TurnCompleted() | TurnFailed() | TurnAborted() if isinstance(event.usage, Usage):
                self._usage = event.usage
            case _:
                pass

    def result(self, terminal: TurnCompleted | TurnFailed | TurnAborted, duration_ms: int) -> CodingResult:
        """Return the result of a turn that ended so."""
        text = "".join(self._text)
        metadata: dict[str, Any] = {}
        if isinstance(terminal, TurnCompleted):
            text = text if terminal.response is None else terminal.response
            metadata = terminal.metadata if isinstance(terminal.metadata, dict) else {}
        files = list(dict.fromkeys(path for paths in self._touched.values() for path in paths))
        return CodingResult(
            status=_status(terminal),
            session_id=self._session_id,
            output=CodingOutput(text=text, value=CodingValue(modified_files=files, metadata=metadata)),
            usage=self._usage,
            error=_error(terminal),
            duration_ms=duration_ms,
        )

    def _add_text(self, event: MessageDelta) -> None:
        key = (event.message_id, self._breaks)
        if key != self._message:
            self._text, self._message = [], key
        self._text.append(event.delta)

    def _end_tool(self, event: ToolEnd) -> None:
        if event.is_error and event.synthetic is UNSET:
            self._touched.pop(event.id, None)
        elif isinstance(event.diffs, list):
            # What was changed beats what was asked for: a person may have edited the arguments.
            self._touched[event.id] = [diff.path for diff in event.diffs]


def _writes_files(tool: str) -> bool:
    lowered = tool.lower()
    return any(word in lowered for word in _WRITING_TOOLS) and "todo" not in lowered


def _status(terminal: TurnCompleted | TurnFailed | TurnAborted) -> ResultStatus:
    if isinstance(terminal, TurnCompleted):
        return "completed"
    if isinstance(terminal, TurnFailed):
        return "max_turns" if terminal.code == "max_turns" else "error"
    return "max_duration" if terminal.code == "timeout" else "aborted"


def _error(terminal: TurnCompleted | TurnFailed | TurnAborted) -> CodingError | None:
    if isinstance(terminal, TurnCompleted):
        return None
    code = terminal.code if isinstance(terminal.code, str) else None
    if isinstance(terminal, TurnFailed):
        retry_after = terminal.retry_after if isinstance(terminal.retry_after, int | float) else None
        return CodingError(message=terminal.error, code=code or "unknown", retry_after=retry_after)
    reason = terminal.reason if isinstance(terminal.reason, str) else "the turn was stopped"
    return CodingError(message=reason, code=code or "aborted")
