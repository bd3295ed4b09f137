"""Agents as tools of another model: a real pydantic-ai agent delegates to each kind of ours."""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pydantic_ai
import pytest
from support.acp import claude_environment
from support.builtin import environment
from support.codex_home import KEY, set_up_home

import nbharness
from nbharness.coding_agent import CodingAgent, CodingTool, coding_tool_input_schema
from nbharness.errors import ConfigError, TurnFailed
from nbharness.testing.fakellm import Call, FakeLLM, Reply

FAKE_ACP = Path(__file__).parent / "fakes" / "acp_agent.py"


@pytest.fixture
async def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeLLM]:
    scripts = {"work": [Reply(text="The work is done.")]}
    async with FakeLLM(scripts) as serving:
        set_up_home(tmp_path / "codex-home", serving.url)
        for name, value in {
            **environment(serving.url, tmp_path / "home"),
            **claude_environment(serving.url, tmp_path),
            "CODEX_HOME": str(tmp_path / "codex-home"),
            "HOME": str(tmp_path),
            KEY: "a-key-that-nobody-has",
        }.items():
            monkeypatch.setenv(name, value)
        yield serving


async def listen(_context: Any, events: Any) -> None:
    async for _event in events:
        pass


async def delegated(model: FakeLLM, tool: CodingTool, task: str) -> str:
    """Let another model call the tool; return what it was told."""
    boss = pydantic_ai.Agent(
        "openai-chat:boss",
        tools=[
            pydantic_ai.Tool.from_schema(
                tool, name=tool.name, description=tool.description, json_schema=dict(tool.schema)
            )
        ],
    )
    model.scripts["boss"] = [Reply(calls=[Call(tool=tool.name, args={"task": task})]), Reply(text="Thank you.")]
    # The fake model streams, whatever it is asked for.
    assert (await boss.run("SCRIPT:boss", event_stream_handler=listen)).output == "Thank you."
    last = [request for request in model.requests if request.path.endswith("chat/completions")][-1].body
    offered = last["tools"][0]["function"]
    assert (offered["name"], offered["description"]) == (tool.name, tool.description)
    assert sorted(offered["parameters"]["properties"]) == ["sessionId", "task"]
    return str(last["messages"][-1]["content"])


def scripted(name: str, workspace: Path) -> CodingAgent:
    if name == "mock":
        return nbharness.mock(responses=[{"type": "assistant", "text": "The work is done."}])
    if name == "builtin":
        return nbharness.agent(name, workspace=workspace, model="anthropic:claude-sonnet-5-5")
    if name == "acp":
        return nbharness.agent(name, workspace=workspace, command=shlex.join([sys.executable, str(FAKE_ACP)]))
    return nbharness.agent(name, workspace=workspace)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "mock",
        "builtin",
        "acp",
        pytest.param("claude", marks=pytest.mark.agents),
        pytest.param("codex", marks=pytest.mark.agents),
    ],
)
async def test_another_model_delegates_to_it(name: str, model: FakeLLM, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    task, answer = ("say done", "done") if name == "acp" else ("SCRIPT:work", "The work is done.")
    assert await delegated(model, scripted(name, workspace).as_tool(name="coder"), task) == answer


async def test_noop_and_demo_are_tools_too(model: FakeLLM, tmp_path: Path) -> None:
    assert await delegated(model, nbharness.noop(name="code").as_tool(), "anything") == ""
    told = await delegated(model, nbharness.agent("demo", workspace=tmp_path).as_tool(), "scenario: help")
    assert "many tools" in told


async def test_as_a_plain_function() -> None:
    tool = nbharness.mock(responses=[{"type": "assistant", "text": "Done."}], name="coder").as_tool()
    assert await tool(task="x") == "Done."
    assert tool.schema == coding_tool_input_schema
    with pytest.raises(ConfigError, match="valid: task"):
        await tool(brief="x")


async def test_execute_raises_where_run_tells() -> None:
    failing = nbharness.mock(responses=[], simulate_error={"after": 0, "message": "no", "code": "sdk_error"})
    assert (await failing.run("x")).status == "error"
    with pytest.raises(TurnFailed, match="no"):
        await failing.as_tool()(task="x")


async def test_functions_are_tools_of_an_agent(model: FakeLLM, tmp_path: Path) -> None:
    def price(product: str) -> str:
        """Look a price up."""
        return f"{product} costs 3"

    model.scripts["price"] = [Reply(calls=[Call(tool="price", args={"product": "tea"})]), Reply(text="Three.")]
    more: dict[str, Any] = {"model": "anthropic:claude-sonnet-5-5", "approval": "auto"}
    coder = nbharness.agent("builtin", workspace=tmp_path, tools=[price, "fetch"], **more)
    assert (await coder.run("SCRIPT:price")).output.text == "Three."
    assert "tea costs 3" in str(model.requests[-1].body["messages"])
    offered = {tool["name"]: tool for tool in model.requests[-1].body["tools"]}
    assert offered["price"]["description"] == "Look a price up."
    assert "fetch" in offered
    await nbharness.agent("builtin", workspace=tmp_path, tools="fetch", **more).run("SCRIPT:work")
    assert "fetch" in {tool["name"] for tool in model.requests[-1].body["tools"]}
