"""The fake model speaks four wire forms over real HTTP, and knows from a request alone where its script stands."""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nbharness.testing.fakellm import Call, Fail, FakeLLM, Reply, Script

CALL = Call(tool="shell", args={"command": "ls"})
SCRIPTS: dict[str, Script] = {
    "two": [Reply(text="first, look", thinking="hm", calls=[CALL]), Reply(text="all done")],
    "other": [Reply(text="another")],
    "limited": [Fail(status=429, kind="rate_limit_error", message="slow down", retry_after=7)],
    "long": [Fail(status=400, kind="context_length_exceeded", message="too long")],
    "cut": [Reply(text="half a sent", cut=True, calls=[CALL])],
    "flood": [Reply(text="abcde", deltas=500)],
    "patch": [Reply(calls=[Call(tool="apply_patch", args="*** Begin Patch")])],
    "found": [Reply(find=r"plan file: (\S+?)[\"\s]", calls=[Call(tool="write", args={"path": "@FOUND@", "n": 1})])],
}
WIRES = ("anthropic", "chat", "responses", "gemini")


@pytest.fixture
def model() -> Iterator[FakeLLM]:
    with FakeLLM(SCRIPTS) as serving:
        yield serving


def turns(wire: str, *said: str) -> tuple[str, dict[str, Any]]:
    """Return path and body of a request; texts alternate between user and model, beginning with the user."""
    roles = [("user", "model" if wire == "gemini" else "assistant")[index % 2] for index in range(len(said))]
    pairs = list(zip(roles, said, strict=True))
    if wire == "gemini":
        contents = [{"role": role, "parts": [{"text": text}]} for role, text in pairs]
        return "/v1beta/models/x:streamGenerateContent?alt=sse", {"contents": contents}
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in pairs]
    if wire == "responses":
        return "/v1/responses", {"input": [{"type": "message", **message} for message in messages]}
    path = "/v1/messages?beta=true" if wire == "anthropic" else "/v1/chat/completions"
    return path, {"model": "m", "messages": messages}


def post(model: FakeLLM, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], str]:
    host = model.url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json", "x-api-key": "k"})
    response = connection.getresponse()
    read = response.read().decode()
    headers = {name.lower(): value for name, value in response.getheaders()}
    connection.close()
    return response.status, headers, read


def said(text: str) -> str:
    """Return all texts of an answer, whichever wire they came over."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("data: {"):
            data = json.loads(line[6:])
            delta = data.get("delta")
            if data.get("type") == "content_block_delta" and delta["type"] == "text_delta":
                found.append(delta["text"])
            elif data.get("type") == "response.output_text.delta":
                found.append(delta)
            found += [choice["delta"].get("content") or "" for choice in data.get("choices", [])]
            for candidate in data.get("candidates", []):
                parts = candidate["content"]["parts"]
                found += [part["text"] for part in parts if "text" in part and not part.get("thought")]
    return "".join(found)


@pytest.mark.parametrize("wire", WIRES)
def test_a_script_goes_on_from_what_was_said(model: FakeLLM, wire: str) -> None:
    status, headers, first = post(model, *turns(wire, "SCRIPT:two please"))
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert said(first) == "first, look"
    assert "hm" in first
    assert '"shell"' in first
    _, _, second = post(model, *turns(wire, "SCRIPT:two please", "first, look", "here is the output"))
    assert said(second) == "all done"
    _, _, third = post(model, *turns(wire, "SCRIPT:two please", "first, look", "output", "all done", "and more"))
    assert said(third) == "ok"


@pytest.mark.parametrize("wire", WIRES)
def test_the_last_script_named_counts_and_none_is_ok(model: FakeLLM, wire: str) -> None:
    assert said(post(model, *turns(wire, "SCRIPT:two", "x", "now SCRIPT:other"))[2]) == "another"
    assert said(post(model, *turns(wire, "make a title"))[2]) == "ok"


@pytest.mark.parametrize("wire", WIRES)
def test_a_refusal(model: FakeLLM, wire: str) -> None:
    status, headers, body = post(model, *turns(wire, "SCRIPT:limited"))
    assert (status, headers["retry-after"]) == (429, "7")
    assert json.loads(body)["error"]["message"] == "slow down"


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_that_is_cut(model: FakeLLM, wire: str) -> None:
    _, _, body = post(model, *turns(wire, "SCRIPT:cut"))
    assert said(body) == "half a sent"
    assert "message_stop" not in body
    assert "[DONE]" not in body
    assert "response.completed" not in body
    assert "finishReason" not in body


@pytest.mark.parametrize("wire", WIRES)
def test_a_flood_arrives_whole(model: FakeLLM, wire: str) -> None:
    _, _, body = post(model, *turns(wire, "SCRIPT:flood"))
    assert said(body) == "abcde" * 500


def test_codex_patches_and_failures_inside_the_stream(model: FakeLLM) -> None:
    _, _, body = post(model, *turns("responses", "SCRIPT:patch"))
    assert '"custom_tool_call"' in body
    assert '"input": "*** Begin Patch"' in body
    status, _, failed = post(model, *turns("responses", "SCRIPT:long"))
    assert status == 200
    assert '"code": "context_length_exceeded"' in failed
    assert post(model, *turns("anthropic", "SCRIPT:long"))[0] == 400


def test_what_the_request_holds_can_be_used_in_the_answer(model: FakeLLM) -> None:
    _, _, body = post(model, *turns("chat", "SCRIPT:found; plan file: /plans/a.md "))
    calls = [json.loads(line[6:]) for line in body.splitlines() if '"tool_calls"' in line and "delta" in line]
    parts = [call["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] for call in calls[:2]]
    assert json.loads("".join(parts)) == {"path": "/plans/a.md", "n": 1}


def test_side_requests_are_answered_and_requests_are_kept(model: FakeLLM) -> None:
    assert post(model, "/v1/messages/count_tokens", {})[2] == '{"input_tokens": 10}'
    assert post(model, "/v1/unheard", {})[0] == 404
    host = model.url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("GET", "/v1/models")
    assert "fake-model" in connection.getresponse().read().decode()
    connection.close()
    assert model.requests == []
    path, body = turns("chat", "SCRIPT:other")
    post(model, path, body)
    (request,) = model.requests
    assert (request.path, request.body, request.headers["x-api-key"]) == (path, body, "k")


async def test_it_serves_an_async_block() -> None:
    async with FakeLLM(SCRIPTS) as model:
        _, _, body = await asyncio.to_thread(post, model, *turns("chat", "SCRIPT:other"))
    assert said(body) == "another"
    with pytest.raises(ConnectionRefusedError):
        post(model, *turns("chat", "SCRIPT:other"))


def test_scripts_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "scripts.json"
    steps = [{"type": "fail", "status": 500}, {"type": "reply", "calls": [{"tool": "x"}]}]
    file.write_text(json.dumps({"bad": steps}))
    command = [sys.executable, "-m", "nbharness.testing.fakellm", str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        host = program.stdout.readline().strip().removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=10)
        path, body = turns("chat", "SCRIPT:bad")
        connection.request("POST", path, json.dumps(body))
        assert connection.getresponse().status == 500
        connection.close()
        program.communicate("")
    assert program.returncode == 0
