"""A line that a program wrote, as a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import msgspec

from nbharness.events.repair import loads_leniently
from nbharness.process import Line, LineTooLong, PartialLine

__all__ = ["Unreadable", "read_message"]

_SHOWN_CHARS = 500
_Message = TypeVar("_Message")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is no message.

    Attributes:
        code: ``protocol`` or ``line_too_long``.
        why: One sentence.
    """

    code: str
    why: str


def read_message(agent: str, line: Line, decoder: msgspec.json.Decoder[_Message]) -> _Message | Unreadable | None:
    """Return the message of a line, what is wrong with it, or ``None`` for an empty one.

    Args:
        agent: Who wrote it, for the sentence that says what is wrong.
        line: The line. What agents write although JSON has no form for it is repaired.
        decoder: Reads a message.
    """
    if isinstance(line, LineTooLong):
        return Unreadable("line_too_long", f"{agent} sent a line of {line.bytes_dropped} bytes; it was left out")
    data = line.data if isinstance(line, PartialLine) else line
    if not data.strip():
        return None
    try:
        return _decoded(data, decoder)
    except (msgspec.ValidationError, ValueError, RecursionError):
        text = data[:_SHOWN_CHARS].decode(errors="replace")
        return Unreadable("protocol", f"{agent} sent a line that is no message: {text}")


def _decoded(data: bytes, decoder: msgspec.json.Decoder[_Message]) -> _Message:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        message: _Message = msgspec.convert(loads_leniently(data), decoder.type)
        return message
