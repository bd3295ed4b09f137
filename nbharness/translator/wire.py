"""`EventTranslator`: one message of an agent to one event of our schema, as plain JSON objects.

::

    ask_agent (rich)  turn.started, model.streaming, model.thinking, tool.use, tool.delta, tool.result,
                      approval.required, approval.updated, plan.proposed, plan.approved, plan.rejected,
                      todos.updated, turn.completed, turn.failed, turn.aborted, error
    acp (basic)       turn.started, model.streaming, tool.use, tool.result, turn.completed, turn.failed
    ADK               assistant, thought, tool_call, tool_result, system, assistant_delta, thought_delta

    schema            turn.started, message.delta, message.thinking {delta}
                      tool.start {id, name, args}, tool.delta {id, name, partial}
                      tool.end {id, name, output, isError, durationMs}
                      approval.required {id, toolName, args, message, autoApprovable}, approval.updated {id, status}
                      plan.proposed, plan.approved, plan.rejected {plan}, todos.updated {todos}
                      turn.completed {response}, turn.failed, error {error}, turn.aborted
                      notice {message, level}, from the ADK's `system` only
"""

from __future__ import annotations

from collections.abc import Callable

from nbharness.translator.adk import AdkVocabulary
from nbharness.translator.values import Fields, error_message, first, flag, is_object, parsed


class EventTranslator:
    """Translates the messages of one stream, in order.

    The first two vocabularies need no memory. The ADK sends a text in deltas and then whole: what was streamed is not
    repeated, which is all that this object remembers.
    """

    def __init__(self) -> None:
        self._adk = AdkVocabulary()

    def translate(self, event: object) -> Fields | None:
        """Translate one message; never raises, whatever it is.

        Args:
            event: ``{"type": ..., "payload": {...}}``. A missing payload counts as empty; the ADK's fields may lie
                beside the type.

        Returns:
            ``{"type": ..., "data": {...}}`` with every field that the schema names, null when the message lacks it
            (ids pass through as they came). None when the message has no form in the schema.
        """
        name = event.get("type") if is_object(event) else None
        if not is_object(event) or not isinstance(name, str):
            return None
        if name in _TABLE:
            to, build = _TABLE[name]
            return {"type": to, "data": build(payload_of(event))}
        return self._adk.translate(name, {**event, **payload_of(event)})


def payload_of(event: Fields) -> Fields:
    """Return a message's payload; anything but an object counts as empty."""
    payload = event.get("payload")
    return payload if is_object(payload) else {}


def _nothing(_payload: Fields) -> Fields:
    return {}


def _copy(*names: str) -> Callable[[Fields], Fields]:
    return lambda payload: {name: payload.get(name) for name in names}


def _call_id(payload: Fields) -> object:
    return first(payload, "toolCallId", "id")


def _args(payload: Fields) -> object:
    return parsed(first(payload, "input", "args"))


def _tool_start(payload: Fields) -> Fields:
    return {"id": _call_id(payload), "name": payload.get("toolName"), "args": _args(payload)}


def _tool_delta(payload: Fields) -> Fields:
    return {"id": _call_id(payload), "name": payload.get("toolName"), "partial": payload.get("partial")}


def _tool_end(payload: Fields) -> Fields:
    return {
        "id": _call_id(payload),
        "name": payload.get("toolName"),
        "output": payload.get("output"),
        "isError": flag(payload.get("isError")),
        "durationMs": payload.get("durationMs"),
    }


def _approval_required(payload: Fields) -> Fields:
    return {
        "id": payload.get("actionId"),
        "toolName": payload.get("toolName"),
        "args": _args(payload),
        "message": payload.get("message"),
        "autoApprovable": flag(payload.get("autoApprovable")),
    }


def _approval_updated(payload: Fields) -> Fields:
    return {"id": payload.get("actionId"), "status": payload.get("status")}


def _error(payload: Fields) -> Fields:
    return {"error": error_message(payload)}


_TABLE: dict[str, tuple[str, Callable[[Fields], Fields]]] = {
    "turn.started": ("turn.started", _nothing),
    "model.streaming": ("message.delta", _copy("delta")),
    "model.thinking": ("message.thinking", _copy("delta")),
    "tool.use": ("tool.start", _tool_start),
    "tool.delta": ("tool.delta", _tool_delta),
    "tool.result": ("tool.end", _tool_end),
    "approval.required": ("approval.required", _approval_required),
    "approval.updated": ("approval.updated", _approval_updated),
    "plan.proposed": ("plan.proposed", _copy("plan")),
    "plan.approved": ("plan.approved", _copy("plan")),
    "plan.rejected": ("plan.rejected", _copy("plan")),
    "todos.updated": ("todos.updated", _copy("todos")),
    "turn.completed": ("turn.completed", _copy("response")),
    "turn.failed": ("turn.failed", _error),
    "turn.aborted": ("turn.aborted", _nothing),
    "error": ("error", _error),
}
