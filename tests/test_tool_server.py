"""Tools of this process over MCP: who gets in, who is asked, and the real Claude Code and Codex calling them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from support.acp import claude_environment, copilot_environment
from support.codex_home import KEY, set_up_home
from support.port import RecordingPort, approves

from nbharness.adapters.base import McpServer, TurnRequest
from nbharness.audience import Anyone
from nbharness.config import load
from nbharness.errors import AdapterError
from nbharness.events import ApprovalRequired, ToolEnd
from nbharness.inputs import ApprovalDecision
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.testing.fakellm import Call, FakeLLM, Reply
from nbharness.tool_server import ServedSession
from nbharness.tool_server.offer import Offer
from nbharness.tool_server.server import ToolServer
from nbharness.tools import Tool, from_callable

SEEN: list[str] = []
TOKEN = "a-token-that-is-on-no-command-line"  # noqa: S105 (it opens nothing)


def look(name: str) -> str:
    """Look at something."""
    return f"{name} is 42"


def touch(name: str) -> str:
    """Change something."""
    SEEN.append(name)
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if TOKEN.encode() in process.read_bytes():
                SEEN.append(f"{process} tells the token")
    return "touched"


def broken() -> str:
    """Fail."""
    raise OSError("no such thing")


class Endless:
    """A tool that goes on until it is stopped."""

    def __init__(self) -> None:
        self.began, self.stopped = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> str:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()
        return "never"


def tools() -> tuple[Tool, ...]:
    return (from_callable(look, asks=False), from_callable(touch), from_callable(broken, asks=False))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ToolServer]:
    SEEN.clear()
    made = ToolServer("nbharness")
    made.open()
    port = RecordingPort(TurnRequest(turn_id="t", task="x", workspace=tmp_path), person=approves)
    made.offer = Offer(tools(), workspace=tmp_path, environment={}, port=port)
    yield made
    await made.close()


def client(server: ToolServer) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers=dict(server.entry.headers))


async def test_a_client_lists_and_calls(server: ToolServer) -> None:
    assert server.entry.url is not None
    async with client(server) as http, Client(streamable_http_client(server.entry.url, http_client=http)) as mcp:
        listed = (await mcp.list_tools()).tools
        assert [(tool.name, tool.description) for tool in listed] == [
            ("look", "Look at something."),
            ("touch", "Change something."),
            ("broken", "Fail."),
        ]
        assert [tool.annotations and tool.annotations.read_only_hint for tool in listed] == [True, False, True]
        assert listed[0].input_schema["properties"]["name"]["type"] == "string"
        for name, args, text, failed in [
            ("look", {"name": "x"}, "x is 42", False),
            ("touch", {"name": "x"}, "touched", False),
            ("look", {}, "name", True),
            ("nothing", {}, "Valid: look, touch, broken", True),
            ("broken", {}, "OSError: no such thing", True),
        ]:
            said = await mcp.call_tool(name, args)
            assert text in str(said.content)
            assert said.is_error is failed
    assert SEEN == ["x"]


async def test_between_turns_there_is_nothing(server: ToolServer) -> None:
    server.offer = None
    assert server.entry.url is not None
    async with client(server) as http, Client(streamable_http_client(server.entry.url, http_client=http)) as mcp:
        assert (await mcp.list_tools()).tools == []
        assert (await mcp.call_tool("touch", {"name": "x"})).is_error
    assert SEEN == []


async def test_a_call_ends_with_its_turn(server: ToolServer) -> None:
    assert server.offer is not None
    assert server.entry.url is not None
    endless = Endless()

    async def wait() -> str:
        """Wait."""
        return await endless()

    server.offer.tools["wait"] = from_callable(wait, asks=False)
    async with client(server) as http, Client(streamable_http_client(server.entry.url, http_client=http)) as mcp:

        async def end() -> None:
            await endless.began.wait()
            assert server.offer is not None
            await server.offer.close()

        said, _ = await asyncio.gather(mcp.call_tool("wait", {}), end())
        assert endless.stopped.is_set()
        assert (said.is_error, "the turn has ended" in str(said.content)) == (True, True)
        assert not (await mcp.call_tool("look", {"name": "x"})).is_error  # and the server goes on


async def test_an_entry_of_the_settings_with_our_name_is_refused(tmp_path: Path) -> None:
    class Session:
        session_id = ""

        async def run_turn(self, *_given: Any) -> None:
            pytest.fail("ran")

        async def close(self) -> None:
            """Nothing to close."""

    other = McpServer(name="nbharness", url="http://127.0.0.1:1/")
    request = TurnRequest(turn_id="t", task="x", workspace=tmp_path, tools=tools(), mcp_servers=(other,))
    with pytest.raises(AdapterError, match="is called 'nbharness', as ours is"):
        await ServedSession(Session()).run_turn(request, RecordingPort(request))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "bearer TOKEN"}, 401),
        ({"Host": "example.org"}, 421),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_who_does_not_belong_here_is_refused(server: ToolServer, headers: dict[str, str], status: int) -> None:
    said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "touch", "arguments": {"name": "x"}}}
    accepts = {"Accept": "application/json, text/event-stream"}
    assert server.entry.url is not None
    async with client(server) as http:
        assert (await http.post(server.entry.url, json=said, headers={**accepts, **headers})).status_code == status
    assert SEEN == []


async def test_nothing_is_logged_or_printed(server: ToolServer, capfd: pytest.CaptureFixture[str]) -> None:
    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    assert server.entry.url is not None
    async with client(server) as http, Client(streamable_http_client(server.entry.url, http_client=http)) as mcp:
        await mcp.call_tool("look", {"name": "x"})
    assert capfd.readouterr() == ("", "")
    assert (logging.getLogger().handlers, logging.getLogger().level) == (handlers, level)


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    SEEN.clear()
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _length: TOKEN)
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path / "state"))
    made = Runtime(tmp_path / "nbharness.db")
    yield made
    made.close(10)


def reply(agent: str, tool: str, **args: Any) -> Reply:
    names = {"codex": tool, "copilot": f"nbharness-{tool}"}
    name = names.get(agent, f"mcp__nbharness__{tool}")
    return Reply(calls=[Call(tool=name, args=args, namespace="mcp__nbharness" if agent == "codex" else "")])


@pytest.mark.agents
@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "decision", "reason", "questions"),
    [
        ("claude", "approve", "", ["touch"]),
        ("claude", "reject", "not now", ["touch"]),
        ("codex", "approve", "", ["touch"]),
        ("codex", "reject", "not now", ["touch"]),
        # It does not say reliably which tool it asks about, so its own question stands too.
        ("copilot", "approve", "", ["other", "touch"]),
    ],
)
async def test_real_agents_call_and_a_person_is_asked(
    agent: str,
    decision: Any,
    reason: str,
    questions: list[str],
    runtime: Runtime,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = [reply(agent, "look", name="x"), reply(agent, "touch", name="y"), Reply(text="Done.")]
    with FakeLLM({"x": steps}) as model:
        set_up_home(tmp_path / "codex-home", model.url)
        variables = {
            "CODEX_HOME": str(tmp_path / "codex-home"),
            "HOME": str(tmp_path),
            KEY: "a-key-that-nobody-has",
            **(claude_environment(model.url, tmp_path) if agent == "claude" else {}),
            **(copilot_environment(model.url, tmp_path) if agent == "copilot" else {}),
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        spec = msgspec.structs.replace(
            TurnSpec.over(load(), task="SCRIPT:x", agent=agent, workspace=workspace), tools=tools()
        )
        handle = runtime.start(spec, audience=Anyone())
        asked, ends = [], []
        async for event in handle:
            if isinstance(event, ApprovalRequired):
                asked.append(event)
                handle.send(ApprovalDecision(id=event.id, decision=decision, reason=reason))
            elif isinstance(event, ToolEnd):
                ends.append(event)
        result = await handle
        assert result.status == "completed", result.error
        heard = str(model.requests[-1].body)
    assert [each.tool_name for each in asked] == questions
    assert (["y"] if decision == "approve" else []) == SEEN
    if agent == "claude":  # which would else have its model search for tools
        assert "mcp__nbharness__look" in [tool["name"] for tool in model.requests[-1].body["tools"]]
    assert "x is 42" in heard
    assert (reason or "touched") in heard
    assert [end.is_error for end in ends] == [False, decision == "reject"]
