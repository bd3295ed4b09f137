"""What an agent says over ACP, as events: pure, so every quirk is a golden file.

It reads the JSON as it came and not the protocol's models: agents send more kinds, fields and methods than any version
of them knows, and none of that may end a turn.
"""

from __future__ import annotations

import io
from typing import Any

import msgspec
from msgspec import UNSET

from nbharness.adapters.acp.checklist import Checklist
from nbharness.adapters.acp.remarks import Remarks
from nbharness.adapters.acp.settings import Settings, commands_of
from nbharness.adapters.acp.tool_call import ToolCall, block_text, parent_of
from nbharness.adapters.acp.usage import Totals, UsageMeter
from nbharness.adapters.acp.values import mapping, mappings, name_of, path_in, text_of
from nbharness.events import (
    ApprovalOption,
    Event,
    FileDiff,
    MessageDelta,
    MessageThinking,
    Notice,
    SessionUpdated,
    ToolKind,
    TurnCompleted,
    TurnFailed,
    Unknown,
    UsageUpdated,
)
from nbharness.events.values import OptionKind

__all__ = ["Asked", "Translator"]

_OPTION_KINDS: tuple[OptionKind, ...] = ("allow_once", "allow_always", "reject_once", "reject_always")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A permission that the agent asks for.

    Attributes:
        call_id: The tool call that waits for it.
        tool_name: Its tool.
        args: Its arguments.
        title: What the agent calls it.
        kind: What it does, if the agent says.
        diffs: What it would change.
        texts: What each file would hold after it, by its path as the agent names it.
        options: Answers that the agent offers, in its order.
        plan: A plan that it puts forward instead of a call; ``""`` when it does not.
    """

    call_id: str
    tool_name: str
    args: Any
    title: str = ""
    kind: ToolKind | None = None
    diffs: tuple[FileDiff, ...] = ()
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    options: tuple[ApprovalOption, ...] = ()
    plan: str = ""


class Translator:
    """Translates the messages of one turn.

    Args:
        workspace: Directory that paths are shown relative to; ``""`` shows them as they are.
        settings: What the session offers, kept from turn to turn.
        meter: Counts what the turn consumes.
        remarks: Knows what the program says among the words of its model; without it all of them are the model's.
    """

    def __init__(
        self,
        workspace: str = "",
        settings: Settings | None = None,
        meter: UsageMeter | None = None,
        remarks: Remarks | None = None,
    ) -> None:
        self.meter = meter or UsageMeter(Totals())
        self._workspace = workspace
        self._settings = settings or Settings()
        self._remarks = remarks
        self._checklist = Checklist()
        self._calls: dict[str, ToolCall] = {}
        self._held: dict[str, ToolCall] = {}
        self._terminals: dict[str, ToolCall] = {}
        self._made = 0
        self._said = io.StringIO()
        self._said_id = ""
        self._denied = 0

    @property
    def has_running_calls(self) -> bool:
        """True while a tool call runs that the agent did not end."""
        return any(call.started and not call.ended and not call.waiting for call in self._calls.values())

    def update(self, said: object) -> list[Event | Unknown]:
        """Return what the ``update`` of a ``session/update`` means; what is not known comes as :class:`Unknown`."""
        update = mapping(said)
        kind = text_of(update.get("sessionUpdate"))
        match kind:
            case "agent_message_chunk":
                return [*self._passed(), *self._message(update)]
            case "agent_thought_chunk":
                return [*self._passed(), *self._thought(update)]
            case "user_message_chunk":
                return []
            case "tool_call" | "tool_call_update":
                return [*self._passed(), *self._tool(update, announced=kind == "tool_call")]
            case "plan":
                return [self._checklist.replace(update)]
            case "plan_update":
                uri = path_in(update, "plan", "uri")
                return [self._checklist.update(update) or Notice(message=f"The agent keeps its plan in {uri}")]
            case "plan_removed":
                return [self._checklist.remove(update)]
            case _:
                return self._of_session(kind, update, said)

    def ask(self, params: object) -> tuple[list[Event | Unknown], Asked]:
        """Return what a ``session/request_permission`` means: events that come before, and what is asked."""
        said = mapping(params)
        update = mapping(said.get("toolCall"))
        call = self._call(update)
        call.merge({key: value for key, value in update.items() if key != "status"})
        call.waiting = True
        asked = Asked(
            call_id=call.id,
            tool_name=call.name,
            args=call.args,
            title=call.title,
            kind=call.kind,
            diffs=call.diffs,
            texts=dict(call.texts),
            options=tuple(_options(said.get("options"))),
            plan=call.plan,
        )
        return ([] if call.started else [self._start(call)]), asked

    def answered(self, asked: Asked, *, allowed: bool) -> None:
        """Take note of the answer that the agent gets."""
        self._denied += not allowed
        if call := self._calls.get(asked.call_id):
            call.waiting = False

    def terminal_output(self, terminal_id: str, output: str) -> list[Event | Unknown]:
        """Return what output of a terminal of ours means, which the agent shows in a tool call."""
        call = self._terminals.get(terminal_id)
        if call is None:
            return []
        call.append(output)
        return [] if call.ended else _some(call.delta())

    def close_calls(self) -> list[Event | Unknown]:
        """Return the ends of the calls that the agent never ended."""
        events: list[Event | Unknown] = []
        for call in self._calls.values():
            if not call.ended:
                events += [] if call.started else [self._start(call)]
                events.append(call.end(synthetic=True))
        return events

    def finish(self, answer: object) -> list[Event | Unknown]:
        """Return how the turn ends, from the agent's answer to the prompt; the last event is terminal."""
        said = mapping(answer)
        self.meter.answer(said.get("usage"))
        return [*self.close_calls(), *self._ending(text_of(said.get("stopReason")))]

    def _ending(self, reason: str) -> list[Event | Unknown]:
        usage = self.meter.usage
        match reason:
            case "refusal":
                error = "the agent's model refused to go on with this; ask in another way or start a new conversation"
                return [TurnFailed(error=error, code="sdk_error", usage=usage)]
            case "max_turn_requests":
                error = "the agent reached its limit of model requests in a turn; send another message to let it go on"
                return [TurnFailed(error=error, code="max_turns", usage=usage)]
            case "cancelled" if not self._denied:
                error = "the agent stopped the turn by itself; send another message to let it go on"
                return [TurnFailed(error=error, code="sdk_error", usage=usage)]
            case _:
                failed = self._remarks.ending(usage) if self._remarks else None
                return [failed] if failed else [*_limits(reason), self._completed(reason)]

    def _completed(self, reason: str) -> TurnCompleted:
        facts: dict[str, Any] = {} if reason in ("end_turn", "") else {"stop_reason": reason}
        if reason == "cancelled":
            facts["denied"] = self._denied
        text = self._said.getvalue()
        return TurnCompleted(response=text or None, usage=self.meter.usage, metadata=facts or UNSET)

    def _message(self, update: dict[str, Any]) -> list[Event | Unknown]:
        text = block_text(update.get("content"))
        if not text:
            return []
        if self._remarks and (remarked := self._remarks.take(text)) is not None:
            return [*self._announce(), *remarked]
        message_id = name_of(update.get("messageId"))
        parent_id = parent_of(mapping(update.get("_meta")))
        before = self._announce()
        if not parent_id:
            if before or message_id != self._said_id:
                self._said = io.StringIO()
            self._said_id = message_id
            self._said.write(text)
        return [*before, MessageDelta(delta=text, message_id=message_id or UNSET, parent_id=parent_id or UNSET)]

    def _thought(self, update: dict[str, Any]) -> list[Event | Unknown]:
        text = block_text(update.get("content"))
        parent_id = parent_of(mapping(update.get("_meta")))
        return [*self._announce(), MessageThinking(delta=text, parent_id=parent_id or UNSET)] if text else []

    def _tool(self, update: dict[str, Any], *, announced: bool) -> list[Event | Unknown]:
        is_new = name_of(update.get("toolCallId")) not in self._calls
        call = self._call(update)
        if call.ended:
            return []
        call.merge(update)
        self._said = io.StringIO()
        for item in mappings(update.get("content")):
            if terminal_id := name_of(item.get("terminalId")):
                self._terminals[terminal_id] = call
        events: list[Event | Unknown] = []
        # An agent may announce a call before its model has written the arguments.
        if not call.started and (call.is_known or (is_new and not announced)):
            events.append(self._start(call))
        if call.settled:
            events += [] if call.started else [self._start(call)]
            events.append(call.end())
        elif call.started:
            events += _some(call.delta())
        return events

    def _passed(self) -> list[Notice]:
        return self._remarks.passed() if self._remarks else []

    def _announce(self) -> list[Event | Unknown]:
        """The starts that were held back, before something else is said."""
        return [self._start(call) for call in list(self._held.values())]

    def _start(self, call: ToolCall) -> Event:
        del self._held[call.id]
        return call.start()

    def _call(self, update: dict[str, Any]) -> ToolCall:
        id_ = name_of(update.get("toolCallId"))
        if not id_:
            self._made += 1
            id_ = f"call-{self._made}"
        if id_ not in self._calls:
            self._calls[id_] = self._held[id_] = ToolCall(id_, self._workspace)
        return self._calls[id_]

    def _of_session(self, kind: str, update: dict[str, Any], said: object) -> list[Event | Unknown]:
        match kind:
            case "available_commands_update":
                return [commands_of(update)]
            case "current_mode_update" | "config_option_update":
                return _some(self._settings.take(update))
            case "session_info_update":
                title = text_of(update.get("title"))
                return [SessionUpdated(title=title)] if title else []
            case "usage_update":
                known = self.meter.update(update)
                usage = self.meter.usage
                return [UsageUpdated(usage=usage)] if known and not isinstance(usage, msgspec.UnsetType) else []
            case _:
                return [Unknown(kind, said)]


def _some(event: Event | None) -> list[Event | Unknown]:
    return [] if event is None else [event]


def _limits(reason: str) -> list[Event | Unknown]:
    if reason != "max_tokens":
        return []
    text = "The answer was cut off: the model reached its limit of tokens. Send another message to let it go on."
    return [Notice(message=text, level="warning")]


def _options(offered: object) -> list[ApprovalOption]:
    return [
        ApprovalOption(id=id_, name=text_of(option.get("name")) or id_, kind=_option_kind(text_of(option.get("kind"))))
        for option in mappings(offered)
        if (id_ := name_of(option.get("optionId")))
    ]


def _option_kind(kind: str) -> OptionKind:
    """What an option comes to. One that we do not know lets nothing through, unless it says that it does."""
    for known in _OPTION_KINDS:
        if kind == known:
            return known
    return "allow_always" if kind.startswith("allow") else "reject_once"
