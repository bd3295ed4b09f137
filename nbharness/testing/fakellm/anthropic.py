"""Anthropic Messages: where in its script a conversation stands, and an answer as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nbharness.testing.fakellm.script import Call, Fail, Reply, named_in
from nbharness.testing.fakellm.sse import event, split_json, texts

__all__ = ["events", "failure", "place"]


def place(body: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the script that the conversation follows and how many answers it has had."""
    name, index = None, 0
    for message in body.get("messages", []):
        if message.get("role") == "assistant":
            index += 1
        elif (picked := named_in(texts(message.get("content")))) is not None:
            name, index = picked, 0
    return name, index


def failure(fail: Fail) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"type": "error", "error": {"type": fail.kind, "message": fail.message}}


def events(reply: Reply, body: Mapping[str, Any], key: str) -> Iterator[bytes]:
    """Yield an answer; without its end when it is to be cut.

    Args:
        reply: The answer.
        body: The request.
        key: Tells this answer from all others; ids are made of it.
    """
    usage = {"input_tokens": reply.input_tokens, "output_tokens": 1}
    message = {
        "id": f"msg_{key}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "fake"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
    }
    yield _named({"type": "message_start", "message": message})
    block = 0
    if reply.thinking:
        start = {"type": "thinking", "thinking": "", "signature": ""}
        thought = [{"type": "thinking_delta", "thinking": reply.thinking}]
        yield from _block(block, start, [*thought, {"type": "signature_delta", "signature": "c2lnbmVk"}])
        block += 1
    if reply.text:
        deltas = ({"type": "text_delta", "text": piece} for piece in reply.pieces())
        yield from _block(block, {"type": "text", "text": ""}, deltas)
        block += 1
    if reply.cut:
        return
    for call in reply.calls:
        yield from _call(block, call, key)
        block += 1
    stop = {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": stop, "usage": {"output_tokens": reply.output_tokens}})
    yield _named({"type": "message_stop"})


def _call(block: int, call: Call, key: str) -> Iterator[bytes]:
    start = {"type": "tool_use", "id": f"toolu_{key}_{block}", "name": call.tool, "input": {}}
    deltas = ({"type": "input_json_delta", "partial_json": part} for part in split_json(call.args))
    yield from _block(block, start, deltas)


def _block(index: int, start: dict[str, Any], deltas: Any) -> Iterator[bytes]:
    yield _named({"type": "content_block_start", "index": index, "content_block": start})
    for delta in deltas:
        yield _named({"type": "content_block_delta", "index": index, "delta": delta})
    yield _named({"type": "content_block_stop", "index": index})


def _named(data: dict[str, Any]) -> bytes:
    return event(json.dumps(data), name=str(data["type"]))
