"""What the fake Claude Code pours out; standard library only, for it and for those who look at what arrives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MALFORMED = [
    b"",
    b"   ",
    b"no json",
    b"{",
    b'{"type": "assistant"',
    b'{"type": "assistant", "type"}',
    b"null",
    b"[1, 2]",
    b'"assistant"',
    b"\xff\xfe\x00",
    b'{"type": NaN}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
]
"""Lines that hold no message."""

ODD: list[dict[str, Any]] = [
    {},
    {"type": None},
    {"type": ["assistant"]},
    {"type": "no such type", "data": [1]},
    {"type": "system"},
    {"type": "system", "subtype": {"init": 1}},
    {"type": "system", "subtype": "api_retry", "attempt": "one", "max_retries": -1, "retry_delay_ms": 1e300},
    {"type": "stream_event"},
    {"type": "stream_event", "event": [1]},
    {"type": "stream_event", "event": {"type": "content_block_delta", "delta": {"type": "text_delta", "text": 5}}},
    {"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": "many"}}},
    {"type": "stream_event", "event": {"type": "message_start", "message": {"id": [], "usage": 5}}},
    {"type": "assistant", "message": None},
    {"type": "assistant", "message": {"content": "text"}},
    {"type": "assistant", "message": {"content": [None, 5, {"type": "tool_use"}, {"type": {}}]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "nobody's", "content": 5}]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "content": [{"type": "image"}]}]}},
    {"type": "control_request"},
    {"type": "control_request", "request_id": 5, "request": {"subtype": "can_use_tool"}},
    {"type": "control_request", "request_id": "odd-1", "request": "can_use_tool"},
    {"type": "control_request", "request_id": "odd-2", "request": {"subtype": "hook_callback"}},
    {"type": "control_request", "request_id": "odd-3", "request": {"subtype": "can_use_tool", "input": {}}},
    {"type": "control_response"},
    {"type": "control_response", "response": {"subtype": "success", "request_id": "nobody's"}},
    {"type": "control_response", "response": {"request_id": {}}},
    {"type": "control_cancel_request", "request_id": "nobody's"},
    {"type": "control_cancel_request", "request_id": {}},
    {"type": "keep_alive"},
]
"""Messages with something missing or of another kind than it should be."""


def stderr_blocks(size: int) -> Iterable[bytes]:
    """Yield numbered lines of 64 bytes, so many bytes in all."""
    for first in range(0, size // 64, 1024):
        yield b"".join(b"%062d\r\n" % number for number in range(first, min(first + 1024, size // 64)))
