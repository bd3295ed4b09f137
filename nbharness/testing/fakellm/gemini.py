"""Gemini's streamGenerateContent: where in its script a conversation stands, and an answer as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nbharness.testing.fakellm.script import Fail, Reply, named_in
from nbharness.testing.fakellm.sse import event, texts

__all__ = ["events", "failure", "place"]


def place(body: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the script that the conversation follows and how many answers it has had."""
    name, index = None, 0
    for content in body.get("contents", []):
        if content.get("role") == "model":
            index += 1
        elif (picked := named_in(texts(content.get("parts")))) is not None:
            name, index = picked, 0
    return name, index


def failure(fail: Fail) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"error": {"code": fail.status, "status": fail.kind, "message": fail.message}}


def events(reply: Reply, body: Mapping[str, Any], key: str) -> Iterator[bytes]:  # noqa: ARG001 (all four look the same)
    """Yield an answer; without its end when it is to be cut.

    Args:
        reply: The answer.
        body: The request.
        key: Tells this answer from all others; ids are made of it.
    """
    if reply.thinking:
        yield _chunk([{"text": reply.thinking, "thought": True}])
    for piece in reply.pieces():
        yield _chunk([{"text": piece}])
    if reply.cut:
        return
    calls: list[dict[str, Any]] = [{"functionCall": {"name": call.tool, "args": call.args}} for call in reply.calls]
    usage = {
        "promptTokenCount": reply.input_tokens,
        "candidatesTokenCount": reply.output_tokens,
        "totalTokenCount": reply.input_tokens + reply.output_tokens,
    }
    yield _chunk(calls or [{"text": ""}], finish="STOP", usage=usage)


def _chunk(parts: list[dict[str, Any]], finish: str | None = None, usage: dict[str, int] | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return event(json.dumps({"candidates": [candidate], **({"usageMetadata": usage} if usage else {})}))
