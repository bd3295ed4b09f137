"""OpenAI Chat Completions: where in its script a conversation stands, and an answer as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nbharness.testing.fakellm.script import Fail, Reply, named_in
from nbharness.testing.fakellm.sse import event, split_json, texts

__all__ = ["events", "failure", "place"]


def place(body: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the script that the conversation follows and how many answers it has had."""
    name, index = None, 0
    for message in body.get("messages", []):
        if message.get("role") == "assistant":
            index += 1
        elif message.get("role") == "user" and (picked := named_in(texts(message.get("content")))) is not None:
            name, index = picked, 0
    return name, index


def failure(fail: Fail) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"error": {"type": fail.kind, "code": fail.kind, "message": fail.message, "param": None}}


def events(reply: Reply, body: Mapping[str, Any], key: str) -> Iterator[bytes]:
    """Yield an answer; without its end when it is to be cut.

    Args:
        reply: The answer.
        body: The request.
        key: Tells this answer from all others; ids are made of it.
    """
    model = str(body.get("model", "fake"))

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _chunk(model, key, choices=[choice])

    yield chunk({"role": "assistant", "content": ""})
    if reply.thinking:
        yield chunk({"reasoning_content": reply.thinking})
    for piece in reply.pieces():
        yield chunk({"content": piece})
    if reply.cut:
        return
    for number, call in enumerate(reply.calls):
        first, rest = split_json(call.args)
        function = {"name": call.tool, "arguments": first}
        opened = {"index": number, "id": f"call_{key}_{number}", "type": "function", "function": function}
        yield chunk({"tool_calls": [opened]})
        yield chunk({"tool_calls": [{"index": number, "function": {"arguments": rest}}]})
    yield chunk({}, "tool_calls" if reply.calls else "stop")
    usage = {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }
    yield _chunk(model, key, choices=[], usage=usage)
    yield event("[DONE]")


def _chunk(model: str, key: str, **fields: Any) -> bytes:
    head = {"id": f"chatcmpl-{key}", "object": "chat.completion.chunk", "created": 1, "model": model}
    return event(json.dumps({**head, **fields}))
