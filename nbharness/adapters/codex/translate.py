"""What Codex tells, as events: pure, so every quirk is a golden file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.adapters.codex.failures import failure
from nbharness.adapters.codex.items import COMMAND, ToolItem, tool_end, tool_start
from nbharness.adapters.codex.messages import (
    AgentMessage,
    Change,
    Collab,
    Command,
    Compaction,
    Delta,
    Failure,
    FailureNote,
    FileChange,
    ItemNote,
    NameNote,
    Plan,
    PlanNote,
    Reasoning,
    RerouteNote,
    Review,
    TurnNote,
    UsageNote,
    WarningNote,
)
from nbharness.adapters.codex.usage import UsageCount
from nbharness.events import (
    Event,
    MessageDelta,
    MessageThinking,
    Notice,
    SessionUpdated,
    Todo,
    TodoStatus,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    Unknown,
    UsageUpdated,
)

__all__ = ["Said", "Translator"]

Said: TypeAlias = list[Event | Unknown]

_NOISE = (
    "account/",
    "app/",
    "autoApprovalReview/",
    "configWarning",
    "deprecationNotice",
    "fs/",
    "fuzzyFileSearch/",
    "hook/",
    "item/autoApprovalReview/",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/",
    "item/mcpToolCall/progress",
    "item/plan/delta",
    "item/reasoning/summaryPartAdded",
    "mcpServer/",
    "model/safetyBuffering/",
    "model/verification",
    "modelProvider/",
    "process/",
    "project/",
    "rawResponse",
    "remoteControl/",
    "serverRequest/resolved",
    "skills/",
    "thread/",
    "turn/diff/updated",
    "turn/moderationMetadata",
)
"""Notifications, by their beginning, that say nothing a reader of the turn needs, or that come again in another one."""

_QUIET_ITEMS = {
    "enteredReviewMode",
    "functionCallOutput",
    "hookPrompt",
    "imageGeneration",
    "sleep",
    "subAgentActivity",
    "userMessage",
}
_TODO: dict[str, TodoStatus] = {"pending": "pending", "inProgress": "in_progress", "completed": "completed"}


class Translator:
    """Translates the notifications of one turn of ours, which may be several turns of Codex.

    Args:
        thread_id: The thread of the turn; what other threads tell is that of sub-agents.
        workspace: Directory that paths are shown relative to.

    Attributes:
        plan: The plan that was proposed last, ``""`` when none was.
        changes: Patches by item: what an approval for it is about.
        ran_commands: True when a command was started.
    """

    def __init__(self, thread_id: str, workspace: str) -> None:
        self.plan = ""
        self.changes: dict[str, list[Change]] = {}
        self.ran_commands = False
        self._thread_id = thread_id
        self._workspace = workspace
        self._usage = UsageCount(thread_id)
        self._turns: set[str] = set()
        self._open: dict[str, ToolStart] = {}
        self._ended: set[str] = set()
        self._parents: dict[str, str] = {}
        self._characters: dict[str, int] = {}
        self._thinking = ""
        self._messages: dict[str, int] = {}
        self._response: str | None = None
        self._failure: Failure | None = None
        self._readers: dict[str, Callable[[Any], Said]] = {
            "item/agentMessage/delta": self._message_delta,
            "item/commandExecution/outputDelta": self._output_delta,
            "item/reasoning/summaryTextDelta": self._thinking_delta,
            "item/reasoning/textDelta": self._thinking_delta,
            "item/started": self._item_started,
            "item/completed": self._item_completed,
            "thread/tokenUsage/updated": self._used,
            "turn/plan/updated": self._todos,
            "thread/name/updated": self._named,
            "model/rerouted": self._rerouted,
            "warning": self._warned,
            "guardianWarning": self._warned,
            "error": self._went_wrong,
            "turn/started": self._turn_began,
            "turn/completed": self._turn_ended,
        }

    def translate(self, method: str, params: Any) -> Said:
        """Return what a notification means; never raises.

        The end of a turn of Codex's comes back as ``turn.completed`` or ``turn.failed``; whether ours ends with it is
        for the session to say.

        Args:
            method: Its name.
            params: Its parameters, JSON-like, as they came.
        """
        reader = self._readers.get(method)
        if reader is None:
            return [] if method.startswith(_NOISE) else [Unknown(f"codex/{method}", params)]
        try:
            return reader(params)
        except (msgspec.ValidationError, RecursionError):
            return [Unknown(f"codex/{method}", params)]

    def open_call(self, prefix: str, args: Any) -> ToolStart | None:
        """Return the call that began last, of those open with such a beginning of their name and these arguments."""
        calls = [start for start in self._open.values() if start.name.startswith(prefix) and start.args == args]
        return calls[-1] if calls else None

    def finish(self) -> Said:
        """Return the ends of the calls that Codex left open, newest first: commands go on in the background."""
        said: Said = []
        for start in reversed(self._open.values()):
            running = start.kind == "execute"
            if running:
                text = (
                    f"This command goes on in the background until the conversation is closed: {start.args['command']}"
                )
                said.append(Notice(message=text))
            end = ToolEnd(
                id=start.id, name=start.name, output=None, is_error=not running, duration_ms=None, synthetic=True
            )
            said.append(end)
        self._ended |= set(self._open)
        self._open.clear()
        return said

    def _message_delta(self, params: Any) -> Said:
        note = msgspec.convert(params, Delta)
        self._thinking = ""
        self._count(note)
        return [self._said(note.item_id, note.delta, note.thread_id)]

    def _output_delta(self, params: Any) -> Said:
        note = msgspec.convert(params, Delta)
        if note.item_id not in self._open:
            return []  # of a command that a turn before left running: its end tells all of it
        self._count(note)
        return [ToolDelta(id=note.item_id, name=COMMAND, partial=note.delta)]

    def _thinking_delta(self, params: Any) -> Said:
        note = msgspec.convert(params, Delta)
        self._count(note)
        return [self._thought(note.delta, f"{note.item_id}/{note.summary_index}", note.thread_id)]

    def _item_started(self, params: Any) -> Said:
        if _is_quiet(params):
            return []
        note = msgspec.convert(params, ItemNote)
        item = note.item
        if isinstance(item, AgentMessage):
            self._messages[item.id] = self._messages.get(item.id, -1) + 1
            self._characters.pop(item.id, None)
        return [self._start(item, note.thread_id)] if isinstance(item, ToolItem) else []

    def _item_completed(self, params: Any) -> Said:
        if _is_quiet(params):
            return []
        note = msgspec.convert(params, ItemNote)
        match note.item:
            case AgentMessage():
                return self._message(note.item, note.thread_id)
            case Reasoning():
                return self._reasoning(note.item, note.thread_id)
            case Plan():
                self.plan = note.item.text
                return []
            case Compaction():
                return [Notice(message="Codex summarized the conversation to make room in the model's context.")]
            case Review():
                self._response = note.item.review
                return [MessageDelta(delta=note.item.review, message_id=note.item.id)]
            case tool:
                return self._end(tool, note.thread_id)

    def _start(self, item: ToolItem, thread_id: str) -> ToolStart:
        parent = self._parent(thread_id)
        start = tool_start(item, self._workspace, parent if isinstance(parent, str) else None)
        self._open[item.id] = start
        self._thinking = ""
        if isinstance(item, FileChange):
            self.changes[item.id] = item.changes
        self.ran_commands |= isinstance(item, Command)
        return start

    def _end(self, item: ToolItem, thread_id: str) -> Said:
        if item.id in self._ended:
            return []
        begun: Said = [] if item.id in self._open else [self._start(item, thread_id)]
        if isinstance(item, Collab):
            self._parents.update(dict.fromkeys(item.receiver_thread_ids, item.id))
        self._open.pop(item.id, None)
        self._ended.add(item.id)
        return [*begun, tool_end(item, self._workspace, self._characters.pop(item.id, 0))]

    def _message(self, item: AgentMessage, thread_id: str) -> Said:
        if thread_id == self._thread_id:
            self._response = item.text
        rest = item.text[self._characters.pop(item.id, 0) :]
        return [self._said(item.id, rest, thread_id)] if rest else []

    def _said(self, item_id: str, text: str, thread_id: str) -> MessageDelta:
        """Return a part of a message; one that is begun anew after a cut connection is another message."""
        times = self._messages.get(item_id, 0)
        message_id = f"{item_id}/{times}" if times else item_id
        return MessageDelta(delta=text, message_id=message_id, parent_id=self._parent(thread_id))

    def _reasoning(self, item: Reasoning, thread_id: str) -> Said:
        whole = "\n\n".join(item.summary or item.content)
        if self._characters.pop(item.id, 0) or not whole:
            return []
        return [self._thought(whole, item.id, thread_id)]

    def _thought(self, text: str, part: str, thread_id: str) -> MessageThinking:
        gap = "\n\n" if self._thinking and self._thinking != part else ""
        self._thinking = part
        return MessageThinking(delta=gap + text, parent_id=self._parent(thread_id))

    def _used(self, params: Any) -> Said:
        note = msgspec.convert(params, UsageNote)
        if note.thread_id == self._thread_id and note.turn_id not in self._turns:
            return []  # a thread that is taken up tells what its turns before consumed
        self._usage.take(note.thread_id, note.token_usage)
        usage = self._usage.usage()
        return [UsageUpdated(usage=usage)] if usage else []

    def _todos(self, params: Any) -> Said:
        note = msgspec.convert(params, PlanNote)
        todos = [Todo(content=step.step, status=_TODO.get(step.status, "pending")) for step in note.plan]
        return [TodosUpdated(todos=todos)]

    def _named(self, params: Any) -> Said:
        note = msgspec.convert(params, NameNote)
        return [SessionUpdated(title=note.thread_name)] if note.thread_name else []

    def _rerouted(self, params: Any) -> Said:
        note = msgspec.convert(params, RerouteNote)
        text = f"The provider answers with the model {note.to_model} instead of {note.from_model}."
        return [Notice(message=text, level="warning"), SessionUpdated(model=note.to_model)]

    def _warned(self, params: Any) -> Said:
        note = msgspec.convert(params, WarningNote)
        return [Notice(message=note.message, level="warning")] if note.message else []

    def _went_wrong(self, params: Any) -> Said:
        note = msgspec.convert(params, FailureNote)
        if note.will_retry:
            return [Notice(message=f"Codex tries again: {note.error.message}", level="warning")]
        if note.thread_id == self._thread_id:
            self._failure = note.error
        return []

    def _turn_began(self, params: Any) -> Said:
        note = msgspec.convert(params, TurnNote)
        if note.thread_id == self._thread_id:
            self._turns.add(note.turn.id)
        return []

    def _turn_ended(self, params: Any) -> Said:
        note = msgspec.convert(params, TurnNote)
        if note.thread_id != self._thread_id or note.turn.id not in self._turns:
            return []  # a sub-agent's, or one that was interrupted before this turn
        usage = self._usage.usage() or UNSET
        error, self._failure = note.turn.error or self._failure, None
        if note.turn.status == "completed":
            return [TurnCompleted(response=self._response, usage=usage)]
        if note.turn.status == "interrupted" and error is None:
            error = Failure(message="codex stopped the turn before it was done; send a message to go on")
        return [msgspec.structs.replace(failure(error), usage=usage)]

    def _parent(self, thread_id: str) -> str | UnsetType:
        return self._parents.get(thread_id, UNSET)

    def _count(self, note: Delta) -> None:
        self._characters[note.item_id] = self._characters.get(note.item_id, 0) + len(note.delta)


def _is_quiet(params: Any) -> bool:
    item = params.get("item") if isinstance(params, dict) else None
    return isinstance(item, dict) and item.get("type") in _QUIET_ITEMS
