"""The ADK's stream events: whole texts and tool calls, with deltas of the texts before them when it streams."""

from __future__ import annotations

from nbharness.translator.values import Fields, error_message, first, flag, parsed, text

_TEXTS = {"assistant": "message.delta", "thought": "message.thinking"}
_DELTAS = {"assistant_delta": "assistant", "thought_delta": "thought", "delta": "assistant"}

MESSAGE_DELTAS = frozenset(name for name, whole in _DELTAS.items() if whole == "assistant")
"""Types that carry a part of the agent's message; ``assistant`` ends it."""


class AdkVocabulary:
    """Translates one stream of ADK events; remembers the text that was streamed since the last whole one."""

    def __init__(self) -> None:
        self._streamed: dict[str, list[str]] = {name: [] for name in _TEXTS}

    def translate(self, name: str, fields: Fields) -> Fields | None:
        """Translate one event.

        Args:
            name: Its type.
            fields: Everything else in it.

        Returns:
            ``{"type", "data"}``, or None when it adds nothing.
        """
        if name in _DELTAS:
            return self._part(_DELTAS[name], text(first(fields, "delta", "text")))
        if name in _TEXTS:
            return self._whole(name, text(first(fields, "text", "content")))
        match name:
            case "tool_call":
                return {"type": "tool.start", "data": _tool_start(fields)}
            case "tool_result":
                return {"type": "tool.end", "data": _tool_end(fields)}
            case "system":
                message = text(first(fields, "text", "message"))
                return {"type": "notice", "data": {"message": message, "level": "info"}} if message else None
            case _:
                return None

    def _part(self, whole: str, delta: str) -> Fields:
        self._streamed[whole].append(delta)
        return {"type": _TEXTS[whole], "data": {"delta": delta}}

    def _whole(self, name: str, whole: str) -> Fields | None:
        streamed = "".join(self._streamed[name])
        self._streamed[name].clear()
        if streamed and whole.strip() == streamed.strip():
            return None
        return {"type": _TEXTS[name], "data": {"delta": whole.removeprefix(streamed)}}


def _call_id(fields: Fields) -> object:
    return first(fields, "callId", "id")


def _tool_start(fields: Fields) -> Fields:
    return {"id": _call_id(fields), "name": fields.get("name"), "args": parsed(first(fields, "args", "input"))}


def _tool_end(fields: Fields) -> Fields:
    failed = flag(fields.get("error"))
    output = first(fields, "result", "output")
    return {
        "id": _call_id(fields),
        "name": fields.get("name"),
        "output": error_message(fields) if failed and output is None else output,
        "isError": flag(fields.get("isError")) or failed,
        "durationMs": fields.get("durationMs"),
    }
