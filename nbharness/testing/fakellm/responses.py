"""OpenAI Responses: where in its script a conversation stands, and an answer as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nbharness.testing.fakellm.script import Call, Fail, Reply, named_in
from nbharness.testing.fakellm.sse import event, texts

__all__ = ["events", "failure", "place"]

_ANSWER = {"reasoning", "function_call", "custom_tool_call"}
"""Kinds of items that the model makes, besides its messages; those that stand together are one answer."""


def place(body: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the script that the conversation follows and how many answers it has had."""
    items = body.get("input", [])
    if isinstance(items, str):
        return named_in(items), 0
    name, index, is_answer = None, 0, False
    for item in items:
        was_answer, is_answer = is_answer, item.get("type") in _ANSWER or item.get("role") == "assistant"
        if is_answer:
            index += not was_answer
        elif item.get("role") == "user" and (picked := named_in(texts(item.get("content")))) is not None:
            name, index = picked, 0
    return name, index


def failure(fail: Fail) -> dict[str, Any]:
    """Return the body of a refusal."""
    return {"error": {"type": fail.kind, "code": fail.kind, "message": fail.message, "param": None}}


def failed(fail: Fail) -> Iterator[bytes]:
    """Yield an answer that begins and then fails, as a context that is too long does."""
    yield _named("response.created", response={"id": "resp_failed"})
    error = {"code": fail.kind, "message": fail.message}
    response = {"id": "resp_failed", "status": "failed", "error": error, "output": []}
    yield _named("response.failed", response=response)


def events(reply: Reply, body: Mapping[str, Any], key: str) -> Iterator[bytes]:  # noqa: ARG001 (all four look the same)
    """Yield an answer; without its end when it is to be cut.

    Args:
        reply: The answer.
        body: The request.
        key: Tells this answer from all others; ids are made of it.
    """
    response = f"resp_{key}"
    yield _named("response.created", response={"id": response})
    output: list[dict[str, Any]] = []
    if reply.thinking:
        yield from _reasoning(reply.thinking, key, output)
    if reply.text:
        yield from _message(reply, key, output)
    if reply.cut:
        return
    for number, call in enumerate(reply.calls):
        yield from _call(call, f"call_{key}_{number}", output)
    usage = {
        "input_tokens": reply.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": reply.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }
    whole = {"id": response, "status": "completed", "output": output, "usage": usage}
    yield _named("response.completed", response=whole)


def _reasoning(text: str, key: str, output: list[dict[str, Any]]) -> Iterator[bytes]:
    id_, place_ = f"rs_{key}", {"output_index": len(output), "summary_index": 0}
    yield _named("response.output_item.added", output_index=len(output), item=_item("reasoning", id_, summary=[]))
    part = {"type": "summary_text", "text": ""}
    yield _named("response.reasoning_summary_part.added", item_id=id_, part=part, **place_)
    yield _named("response.reasoning_summary_text.delta", item_id=id_, delta=text, **place_)
    yield from _done(_item("reasoning", id_, summary=[{"type": "summary_text", "text": text}]), output)


def _message(reply: Reply, key: str, output: list[dict[str, Any]]) -> Iterator[bytes]:
    id_, pieces = f"msg_{key}", reply.pieces()
    opened = _item("message", id_, role="assistant", content=[])
    yield _named("response.output_item.added", output_index=len(output), item=opened)
    for piece in pieces:
        yield _named("response.output_text.delta", item_id=id_, output_index=len(output), content_index=0, delta=piece)
    if not reply.cut:
        content = [{"type": "output_text", "text": "".join(pieces)}]
        yield from _done(_item("message", id_, role="assistant", content=content), output)


def _call(call: Call, id_: str, output: list[dict[str, Any]]) -> Iterator[bytes]:
    if isinstance(call.args, str):
        item = _item("custom_tool_call", f"ct_{id_}", call_id=id_, name=call.tool, input=call.args)
    else:
        place = {"namespace": call.namespace} if call.namespace else {}
        arguments = json.dumps(call.args)
        item = _item("function_call", f"fc_{id_}", call_id=id_, name=call.tool, arguments=arguments, **place)
    yield _named("response.output_item.added", output_index=len(output), item=item)
    yield from _done(item, output)


def _done(item: dict[str, Any], output: list[dict[str, Any]]) -> Iterator[bytes]:
    yield _named("response.output_item.done", output_index=len(output), item=item)
    output.append(item)


def _item(kind: str, id_: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": id_, **fields}


def _named(name: str, **fields: Any) -> bytes:
    return event(json.dumps({"type": name, **fields}), name=name)
