"""`TypedTranslator`: the same vocabularies as events of our classes, complete and in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

from msgspec import UNSET
from msgspec.structs import replace

from nbharness.events import (
    TERMINAL_EVENTS,
    ApprovalRequired,
    ApprovalStatus,
    ApprovalUpdated,
    Event,
    MessageDelta,
    MessageThinking,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    ToolDelta,
    ToolEnd,
    ToolStart,
    Unknown,
)
from nbharness.translator.adk import MESSAGE_DELTAS
from nbharness.translator.calls import Call, Ids, OpenCalls, as_id
from nbharness.translator.plain import PLAIN, message_delta
from nbharness.translator.values import Fields, first, flag, number, text
from nbharness.translator.wire import EventTranslator, payload_of

NAMELESS = "tool"
"""Name of a tool whose name the agent left out."""

_STATUSES: dict[str, ApprovalStatus] = {status: status for status in get_args(ApprovalStatus)}

_TEXT_PARTS = {"model.streaming": MessageDelta, "model.thinking": MessageThinking}

_Events = Sequence[Event | Unknown]


class TypedTranslator:
    """Translates the messages of one turn, in order.

    Ids become strings that are unique in the turn: a missing one is made up, one that was used before gets a number.
    What the agent ends without having begun is begun first, and what it never ends is closed by :meth:`finish` or
    before its terminal event. After that event there is nothing more.

    Args:
        namespace: Put before each id, for a turn that several streams feed.
    """

    def __init__(self, namespace: str = "") -> None:
        self._wire = EventTranslator()
        self._ids = Ids(namespace)
        self._calls = OpenCalls(self._ids)
        self._approvals: dict[str, str] = {}
        self._plans: list[PlanProposed] = []
        self._adk_messages = 1
        self._settled = False
        self._by_type: dict[str, Callable[[Fields, Fields], _Events]] = {
            "tool.start": self._tool_start,
            "tool.delta": self._tool_delta,
            "tool.end": self._tool_end,
            "approval.required": self._approval_required,
            "approval.updated": self._approval_updated,
            "plan.proposed": self._plan_proposed,
            "plan.approved": self._plan_decided,
            "plan.rejected": self._plan_decided,
        }

    def translate(self, native: object) -> list[Event | Unknown]:
        """Translate one message; never raises, whatever it is.

        Args:
            native: As for :meth:`EventTranslator.translate`.

        Returns:
            Events in order, none when the message has no form in the schema. What is not a message at all, or says
            something a known event cannot, comes back as :class:`Unknown`.
        """
        if self._settled:
            return []
        fields: Fields = native if isinstance(native, dict) else {}
        name = fields.get("type")
        if not isinstance(name, str):
            return [Unknown("", native)]
        # Nearly all messages are parts of a text: they skip the tables.
        kind = _TEXT_PARTS.get(name)
        if kind is not None:
            payload = fields.get("payload")
            delta = payload.get("delta") if isinstance(payload, dict) else None
            if isinstance(delta, str) and delta:
                return [kind(delta=delta)]
        wire = self._wire.translate(fields)
        events = [] if wire is None else self._typed(fields, wire["type"], wire["data"])
        if name == "assistant":
            self._adk_messages += 1
        if any(isinstance(event, TERMINAL_EVENTS) for event in events):
            self._settled = True
            return [*self.finish(), *events]
        return [*events]

    def finish(self, reason: str = "") -> list[Event]:
        """Close what is open; doing it again adds nothing.

        Args:
            reason: One sentence, given with approvals and plans that nobody answered.

        Returns:
            Cancelled approvals, rejected plans, then synthetic tool ends, the newest call first.
        """
        events: list[Event] = [
            ApprovalUpdated(id=id_, status="cancelled", by="turn", reason=reason or UNSET)
            for id_ in self._approvals.values()
        ]
        events += [PlanRejected(plan=plan.plan, id=plan.id, by="turn", reason=reason or UNSET) for plan in self._plans]
        events += [
            ToolEnd(id=call.id, name=call.name, output=None, is_error=True, duration_ms=None, synthetic=True)
            for call in self._calls.end_all()
        ]
        self._approvals.clear()
        self._plans.clear()
        return events

    def _typed(self, native: Fields, name: str, data: Fields) -> _Events:
        if native["type"] == "assistant" or native["type"] in MESSAGE_DELTAS:
            return message_delta(data, f"message-{self._adk_messages}")
        if name in self._by_type:
            return self._by_type[name](native, data)
        return PLAIN[name](native, data)

    def _tool_start(self, _native: Fields, data: Fields) -> _Events:
        name = text(data["name"]) or NAMELESS
        call = self._calls.start(as_id(data["id"]), name, text(data["args"]))
        return [ToolStart(id=call.id, name=name, args=data["args"])] if call else []

    def _tool_delta(self, _native: Fields, data: Fields) -> _Events:
        begun, call = self._call_of(data)
        partial = text(data["partial"])
        return [*begun, ToolDelta(id=call.id, name=call.name, partial=partial)] if call and partial else begun

    def _tool_end(self, _native: Fields, data: Fields) -> _Events:
        begun, call = self._call_of(data)
        if call is None:
            return []
        self._calls.end(call)
        return [
            *begun,
            ToolEnd(
                id=call.id,
                name=call.name,
                output=data["output"],
                is_error=flag(data["isError"]),
                duration_ms=number(data["durationMs"]),
            ),
        ]

    def _call_of(self, data: Fields) -> tuple[_Events, Call | None]:
        """Return the call that a delta or a result belongs to, with the event that begins it if it must."""
        native_id, name = as_id(data["id"]), text(data["name"])
        call = self._calls.find(native_id, name)
        if call or self._calls.has_ended(native_id):
            return [], call
        call = self._calls.start(native_id, name or NAMELESS)
        return [ToolStart(id=call.id, name=call.name, args=None)] if call else [], call

    def _approval_required(self, native: Fields, data: Fields) -> _Events:
        native_id, name = as_id(data["id"]), text(data["toolName"]) or NAMELESS
        if native_id in self._approvals:
            return []
        id_ = self._ids.new(native_id, "approval")
        self._approvals[native_id or id_] = id_
        call_id = as_id(first(payload_of(native), "toolCallId"))
        call = self._calls.find(call_id, name) if call_id else self._calls.find_asking(name, text(data["args"]))
        asked = ApprovalRequired(
            id=id_,
            tool_name=name,
            args=data["args"],
            message=None if data["message"] is None else text(data["message"]),
            auto_approvable=flag(data["autoApprovable"]),
        )
        return [replace(asked, tool_call_id=call.id) if call else asked]

    def _approval_updated(self, _native: Fields, data: Fields) -> _Events:
        native_id = as_id(data["id"]) or next(iter(self._approvals), "")
        said = text(data["status"])
        if native_id not in self._approvals or said == "pending":
            return []
        status = _STATUSES.get(said)
        if status is None:
            return [Unknown("approval.updated", data)]
        return [ApprovalUpdated(id=self._approvals.pop(native_id), status=status)]

    def _plan_proposed(self, _native: Fields, data: Fields) -> _Events:
        plan = PlanProposed(plan=text(data["plan"]), id=self._ids.new("", "plan"))
        self._plans.append(plan)
        return [plan]

    def _plan_decided(self, native: Fields, data: Fields) -> _Events:
        """The newest open plan is the one that is decided: an agent that proposes again has dropped the last one."""
        begun = [] if self._plans else self._plan_proposed(native, data)
        plan = self._plans.pop()
        decided = text(data["plan"]) or plan.plan
        if native["type"] == "plan.approved":
            return [*begun, PlanApproved(plan=decided, id=plan.id)]
        return [*begun, PlanRejected(plan=decided, id=plan.id)]
