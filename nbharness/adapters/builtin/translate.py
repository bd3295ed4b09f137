"""What the engine says, as events: pure, so every quirk is a golden file.

The engine's own events (of pydantic-ai, as JSON) and the notes that our side adds to them are first put into the rich
vocabulary of ask_agent, which the shared translator turns into events; then comes what that vocabulary has no word for:
which message a text belongs to, what kind of tool was called, which files it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from nbharness.events import (
    Event,
    FileDiff,
    MessageDelta,
    MessageThinking,
    Notice,
    SessionStarted,
    ToolEnd,
    ToolKind,
    ToolStart,
    TurnCompleted,
    Unknown,
    Usage,
    UsageUpdated,
    sound,
)
from nbharness.translator import TypedTranslator

__all__ = ["Translator"]

Native = Mapping[str, Any]
Rich = dict[str, Any]
Events = list[Event | Unknown]

_SILENT = {
    *("part_end", "final_result", "enqueued_messages"),
    *("tool_availability_delta", "capability_load_delta", "model_settings_delta"),
}
"""Events of the engine that say nothing new."""

_TEXTS = (MessageDelta, MessageThinking, Unknown)
"""What needs no second look."""


class Translator:
    """Translates one turn.

    Args:
        kinds: What the tools do, by name.
        hidden: Tools that show themselves otherwise, such as the checklist.
    """

    def __init__(self, kinds: Mapping[str, ToolKind], hidden: frozenset[str] = frozenset()) -> None:
        self._typed = TypedTranslator()
        self._kinds = kinds
        self._hidden = hidden
        self._answer = 1
        self._facts: dict[str, Native] = {}
        self._ids: dict[str, str] = {}
        self._usage: Usage | None = None
        self._readers: dict[str, Callable[[Native], Events]] = {
            "part_start": self._part_start,
            "part_delta": self._part_delta,
            "function_tool_call": self._call,
            "function_tool_result": self._result,
            "tool_output": self._output,
            "tool_done": self._done,
            "todos": self._todos,
            "model_response": self._response,
            "notice": self._notice,
            "session": lambda said: [SessionStarted(session_id=said["session_id"], model=said["model"])],
            "run_end": self._end,
        }

    def translate(self, said: object) -> Events:
        """Return what a message means; one that cannot be read comes back as :class:`Unknown`.

        Args:
            said: An event of the engine or a note of ours, JSON-like, with its ``event_kind``.
        """
        kind = said.get("event_kind") if isinstance(said, dict) else None
        if not isinstance(said, dict) or not isinstance(kind, str):
            return [Unknown("", said)]
        if kind in _SILENT:
            return []
        reader = self._readers.get(kind)
        if reader is None:
            return [Unknown(kind, said)]
        try:
            return [event if isinstance(event, _TEXTS) else sound(event) for event in reader(said)]
        except (KeyError, TypeError, AttributeError, msgspec.ValidationError):
            return [Unknown(kind, said)]

    def call_id(self, native_id: str) -> str:
        """Return the id under which a call was told; ``""`` for one that is hidden."""
        return self._ids.get(native_id, "")

    def finish(self) -> list[Event]:
        """Close what is open."""
        return self._typed.finish()

    def _rich(self, name: str, **payload: Any) -> Events:
        return self._typed.translate({"type": name, "payload": payload})

    def _part_start(self, said: Native) -> Events:
        part = said["part"]
        return self._text(part["part_kind"], part.get("content"), said["index"])

    def _part_delta(self, said: Native) -> Events:
        delta = said["delta"]
        return self._text(delta["part_delta_kind"], delta.get("content_delta"), said["index"])

    def _text(self, kind: str, text: object, index: int) -> Events:
        """The first piece of a text stands in the start of its part, or all of it."""
        if not isinstance(text, str) or not text:
            return []
        if kind == "thinking":
            return self._rich("model.thinking", delta=text)
        if kind != "text":
            return []
        message_id = f"m{self._answer}-{index}"
        return [
            replace(event, message_id=message_id) if isinstance(event, MessageDelta) else event
            for event in self._rich("model.streaming", delta=text)
        ]

    def _call(self, said: Native) -> Events:
        part = said["part"]
        name, native_id = part["tool_name"], part["tool_call_id"]
        if name in self._hidden:
            return []
        events = self._rich("tool.use", toolCallId=native_id, toolName=name, input=part.get("args") or {})
        kind = self._kinds.get(name, UNSET)
        told: Events = [replace(event, kind=kind) if isinstance(event, ToolStart) else event for event in events]
        for event in told:
            if isinstance(event, ToolStart):
                self._ids[native_id] = event.id
        return told

    def _output(self, said: Native) -> Events:
        if said["tool_name"] in self._hidden:
            return []
        return self._rich(
            "tool.delta", toolCallId=said["tool_call_id"], toolName=said["tool_name"], partial=said["text"]
        )

    def _done(self, said: Native) -> Events:
        """Keep what we know of a call for its result, which the engine tells."""
        self._facts[said["tool_call_id"]] = said
        return []

    def _result(self, said: Native) -> Events:
        part = said["part"]
        name, native_id = part["tool_name"], part["tool_call_id"]
        facts = self._facts.pop(native_id, {})
        exit_code = facts.get("exit_code")
        if name in self._hidden:
            return []
        events = self._rich(
            "tool.result",
            toolCallId=native_id,
            toolName=name,
            output=None if facts.get("streamed") else part.get("content"),
            isError=part.get("outcome", "success") != "success" or bool(exit_code),
            durationMs=facts.get("duration_ms"),
        )
        diffs = msgspec.convert(facts.get("diffs") or [], list[FileDiff])
        return [
            replace(event, exit_code=UNSET if exit_code is None else exit_code, diffs=diffs or UNSET)
            if isinstance(event, ToolEnd)
            else event
            for event in events
        ]

    def _todos(self, said: Native) -> Events:
        return self._rich("todos.updated", todos=said["todos"])

    def _response(self, said: Native) -> Events:
        self._answer += 1
        self._usage = msgspec.convert(said["usage"], Usage)
        return [UsageUpdated(usage=self._usage)]

    def _notice(self, said: Native) -> Events:
        if said.get("again"):
            # What the answer began with is said once more, as another message.
            self._answer += 1
        return [Notice(message=said["message"], level=said.get("level", "info"))]

    def _end(self, said: Native) -> Events:
        events = self._rich("turn.completed", response=said["output"])
        usage = self._usage or UNSET
        return [replace(event, usage=usage) if isinstance(event, TurnCompleted) else event for event in events]
