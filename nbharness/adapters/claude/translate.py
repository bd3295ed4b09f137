"""What Claude Code tells, as events. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET, UnsetType

from nbharness.adapters.claude.endings import ending, wait_s
from nbharness.adapters.claude.fields import items, number, obj, text
from nbharness.adapters.claude.todos import Checklist
from nbharness.adapters.claude.tools import HIDDEN, done_diffs, exit_code_of, kind_of, output_of
from nbharness.adapters.claude.usage import UsageCount
from nbharness.events import (
    Event,
    MessageDelta,
    MessageThinking,
    Notice,
    SessionStarted,
    SessionUpdated,
    SlashCommand,
    ToolEnd,
    ToolStart,
    Unknown,
    UsageUpdated,
)

__all__ = ["Said", "Translator"]

Said = list[Event | Unknown]

_QUIET = frozenset({"rate_limit_event", "tool_progress", "auth_status", "prompt_suggestion", "tool_use_summary"})
_MAX_COMMANDS = 200


class _Call:
    """A call of a tool that was announced."""

    __slots__ = ("args", "hidden", "name")

    def __init__(self, name: str, args: Any, *, hidden: bool) -> None:
        self.name = name
        self.args = args
        self.hidden = hidden


class Translator:
    """Translates the messages of one turn.

    Args:
        workspace: Directory that paths are shown relative to.

    Attributes:
        workspace: As given.
        session_id: Claude's id of the session, ``""`` until it tells.
    """

    def __init__(self, workspace: str) -> None:
        self.workspace = workspace
        self.session_id = ""
        self._calls: dict[str, _Call] = {}
        self._streamed: set[str] = set()
        self._message: dict[str, str] = {}
        self._usage = UsageCount()
        self._checklist = Checklist()
        self._said_error = ""
        self._wait_s: float | None = None
        self._steps: dict[str, Callable[[dict[str, Any]], Said]] = {
            "system": self._system,
            "stream_event": self._stream_event,
            "assistant": self._assistant,
            "user": self._user,
            "result": self._result,
        }

    def translate(self, message: object) -> Said:
        """Return what a message means; never raises.

        Args:
            message: One message as it came, JSON-like. What is of no known kind comes back as :class:`Unknown`.
        """
        kind = text(message, "type")
        if not isinstance(message, dict) or (kind not in self._steps and kind not in _QUIET):
            return [Unknown(kind, message)]
        step = self._steps.get(kind)
        return step(message) if step else []

    def announced(self, call_id: str, tool: str, args: Any) -> Said:
        """Return the start of a call that Claude asks about, if it has not told of it yet."""
        return [] if not call_id or call_id in self._calls else self._start(call_id, tool, args, UNSET)

    def finish(self) -> Said:
        """Return the end of what is open; the turn closes calls by itself."""
        return []

    def _system(self, message: dict[str, Any]) -> Said:
        match text(message, "subtype"):
            case "init":
                return self._init(message)
            case "api_retry":
                return [_retry(message)]
            case "compact_boundary":
                return [Notice(message="Claude summarised the conversation to make room for more.")]
            case "status" if mode := text(message, "permissionMode"):
                return [SessionUpdated(mode=mode)]
            case "permission_denied":
                tool = text(message, "tool_name") or "a tool"
                return [Notice(message=f"Claude Code itself refused {tool}.", level="warning")]
            case _:
                return []

    def _init(self, message: dict[str, Any]) -> Said:
        self.session_id = text(message, "session_id") or self.session_id
        names = message.get("slash_commands")
        known = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        return [
            SessionStarted(session_id=self.session_id, model=text(message, "model") or UNSET),
            SessionUpdated(
                mode=text(message, "permissionMode") or UNSET,
                commands=[SlashCommand(name=name) for name in known[:_MAX_COMMANDS]] or UNSET,
            ),
        ]

    def _stream_event(self, message: dict[str, Any]) -> Said:
        event, speaker = obj(message, "event"), text(message, "parent_tool_use_id")
        match text(event, "type"):
            case "message_start":
                began = obj(event, "message")
                self._message[speaker] = text(began, "id")
                self._usage.began(speaker, obj(began, "usage"))
            case "content_block_delta":
                return self._delta(obj(event, "delta"), speaker)
            case "message_delta":
                return [UsageUpdated(usage=self._usage.ended(speaker, obj(event, "usage")))]
        return []

    def _delta(self, delta: dict[str, Any], speaker: str) -> Said:
        id_ = self._message.get(speaker, "")
        if said := text(delta, "text"):
            self._streamed.add(id_)
            return [MessageDelta(delta=said, message_id=id_ or UNSET, parent_id=speaker or UNSET)]
        if thought := text(delta, "thinking"):
            self._streamed.add(id_)
            return [MessageThinking(delta=thought, parent_id=speaker or UNSET)]
        return []

    def _assistant(self, message: dict[str, Any]) -> Said:
        """Take finished blocks: texts that were not streamed before, and calls."""
        inner, parent = obj(message, "message"), text(message, "parent_tool_use_id") or UNSET
        if error := text(message, "error"):
            self._said_error, self._wait_s = error, wait_s(message)
        id_, said = text(inner, "id"), Said()
        for block in items(inner, "content"):
            kind = text(block, "type")
            if kind in {"tool_use", "server_tool_use"}:
                said += self._start(text(block, "id"), text(block, "name"), block.get("input"), parent)
            elif id_ in self._streamed or text(message, "error"):
                continue  # the end of the turn tells an error
            elif kind == "text" and (words := text(block, "text")):
                said.append(MessageDelta(delta=words, message_id=id_ or UNSET, parent_id=parent))
            elif kind == "thinking" and (words := text(block, "thinking")):
                said.append(MessageThinking(delta=words, parent_id=parent))
        return said

    def _start(self, id_: str, name: str, args: Any, parent: str | UnsetType) -> Said:
        if not id_ or id_ in self._calls:
            return []
        hidden = name in HIDDEN
        self._calls[id_] = _Call(name, args, hidden=hidden)
        return [] if hidden else [ToolStart(id=id_, name=name, args=args, parent_id=parent, kind=kind_of(name))]

    def _user(self, message: dict[str, Any]) -> Said:
        said, result = Said(), message.get("tool_use_result")
        for block in items(obj(message, "message"), "content"):
            if text(block, "type") == "tool_result":
                said += self._end(block, result)
        return said

    def _end(self, block: dict[str, Any], result: Any) -> Said:
        id_, is_error = text(block, "tool_use_id"), block.get("is_error") is True
        call = self._calls.get(id_) or _Call("", None, hidden=False)
        if call.hidden and not is_error:
            updated = self._checklist.take(call.name, call.args, result)
            return [] if updated is None else [updated]
        if call.hidden:
            # Shown after all: a checklist that failed is a call like any other.
            start = ToolStart(id=id_, name=call.name, args=call.args, kind=kind_of(call.name))
            return [start, self._tool_end(id_, call, block, result, is_error=True)]
        return [self._tool_end(id_, call, block, result, is_error=is_error)]

    def _tool_end(self, id_: str, call: _Call, block: dict[str, Any], result: Any, *, is_error: bool) -> ToolEnd:
        output = output_of(call.name, block, result)
        code = exit_code_of(call.name, output, is_error=is_error)
        return ToolEnd(
            id=id_,
            name=call.name,
            output=output,
            is_error=is_error,
            duration_ms=None,
            exit_code=UNSET if code is None else code,
            diffs=([] if is_error else done_diffs(result, self.workspace)) or UNSET,
        )

    def _result(self, message: dict[str, Any]) -> Said:
        self.session_id = text(message, "session_id") or self.session_id
        usage = self._usage.result(message)
        return [UsageUpdated(usage=usage), ending(message, usage, self._said_error, self._wait_s)]


def _retry(message: dict[str, Any]) -> Notice:
    attempt, of = number(message, "attempt"), number(message, "max_retries")
    status, wait = number(message, "error_status"), number(message, "retry_delay_ms")
    why = f" with status {status:g}" if status else ""
    when = f" in {wait / 1000:.0f} s" if wait else ""
    count = f" {attempt:g} of {of:g}" if attempt and of else ""
    return Notice(message=f"The provider failed{why}; Claude tries again{when}, attempt{count}.", level="warning")
