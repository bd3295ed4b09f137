"""What an agent that streams writes: one JSON object a line, nearly all of them a few words of its answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypedDict

import msgspec

from nbharness.events import Event, MessageDelta, Unknown, Usage, UsageUpdated
from nbharness.translator import TypedTranslator

__all__ = ["Reader", "claude_lines", "claude_reader", "rich_lines", "rich_reader"]

Reader = Callable[[bytes], list[Event | Unknown]]
"""Parses one line and translates it."""

_TEXT = "The parser reads a line, cuts it at the first colon and keeps the rest of it, as the test shows. "
_CHARS = 20
_SESSION = "6a0c1f0e-6f0b-4f5c-a1ad-6b2d4b8a1f11"


def claude_lines(count: int) -> list[bytes]:
    """Return lines in the form of Claude Code's stream of partial messages, some 250 bytes each."""
    return [
        _line(
            type="stream_event",
            event={
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": _words(number)},
            },
            session_id=_SESSION,
            parent_tool_use_id=None,
            uuid=f"6a0c1f0e-6f0b-4f5c-a1ad-{number:012x}",
        )
        for number in range(count)
    ]


def rich_lines(count: int) -> list[bytes]:
    """Return lines of the same size in the rich vocabulary."""
    return [
        _line(
            type="model.streaming",
            payload={"delta": _words(number)},
            messageId="msg_01XFDUDYJgAACzvnptvVoYEL",
            sessionId=_SESSION,
            parentToolUseId=None,
            uuid=f"6a0c1f0e-6f0b-4f5c-a1ad-{number:012x}",
            at=1_764_540_000.125 + number / 2000,
        )
        for number in range(count)
    ]


def rich_reader() -> Reader:
    """Return how an adapter reads the rich vocabulary: into the public translator."""
    decode = msgspec.json.Decoder(_RichLine).decode
    translate = TypedTranslator().translate
    return lambda line: translate(decode(line))


def claude_reader() -> Reader:
    """Return how an adapter with a translator of its own reads: straight into the few fields it needs."""
    decode = msgspec.json.Decoder(_StreamEvent).decode

    def read(line: bytes) -> list[Event | Unknown]:
        said = decode(line).event
        if said.delta is not None and said.delta.text:
            return [MessageDelta(delta=said.delta.text)]
        if said.usage is not None:
            return [UsageUpdated(usage=Usage(output_tokens=said.usage.output_tokens))]
        return []

    return read


class _RichLine(TypedDict, total=False):
    type: str
    payload: dict[str, Any]


class _Delta(msgspec.Struct):
    text: str = ""


class _Usage(msgspec.Struct):
    output_tokens: int = 0


class _Said(msgspec.Struct):
    type: str
    delta: _Delta | None = None
    usage: _Usage | None = None


class _StreamEvent(msgspec.Struct):
    type: str
    event: _Said


def _words(number: int) -> str:
    start = number * _CHARS % (len(_TEXT) - _CHARS)
    return _TEXT[start : start + _CHARS]


def _line(**fields: Any) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()
