"""Agents as values, with the semantics of the ADK's mock and no-op agents."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import nbharness
from nbharness.errors import ConfigError, NotSupported, UnknownName, WorkspaceError

RESPONSES: list[dict[str, Any]] = [
    {"type": "assistant", "text": "Reading the failing test..."},
    {"type": "tool_call", "name": "write", "args": {"path": "src/auth.ts", "content": "..."}},
    {"type": "tool_result", "name": "write", "result": "File written"},
    {"type": "assistant", "text": "Fixed."},
]


async def types(handle: nbharness.CodingHandle) -> list[str]:
    return [event.type async for event in handle]


async def collect(handle: nbharness.CodingHandle, seen: list[str]) -> None:
    async for event in handle:
        seen.append(event.type)  # noqa: PERF401 (what came before the error counts)


async def test_a_mock_replays_its_script() -> None:
    coder = nbharness.mock(responses=RESPONSES, artifacts=[{"name": "summary.md", "content": "# Summary\nDone."}])
    handle = coder.run("Fix the failing test")
    assert await types(handle) == [
        "turn.started", "message.delta", "tool.start", "tool.end", "message.delta", "turn.completed"
    ]  # fmt: skip
    result = await handle
    assert result is await handle
    assert result.status == "completed"
    assert result.session_id.startswith("mock-")
    again = await coder.run(nbharness.CodingTask(task="go on", session_id=result.session_id))
    assert again.session_id == result.session_id
    assert result.output.text == "Fixed."
    assert result.output.value.modified_files == ["src/auth.ts"]
    assert result.output.value.metadata["artifacts"] == [{"name": "summary.md", "content": "# Summary\nDone."}]


async def test_a_mock_fails_on_cue() -> None:
    flaky = nbharness.mock(
        responses=[{"type": "assistant", "text": "Starting..."}, {"type": "assistant", "text": "never"}],
        simulate_error={"after": 1, "message": "harness died", "code": "sdk_error"},
    )
    handle = flaky.run("x")
    seen: list[str] = []
    with pytest.raises(nbharness.TurnFailed, match="harness died"):
        await collect(handle, seen)
    assert seen == ["turn.started", "message.delta", "turn.failed"]
    result = await handle
    assert result.status == "error"
    assert result.error is not None
    assert (result.error.message, result.error.code) == ("harness died", "sdk_error")
    with pytest.raises(nbharness.TurnFailed):
        await flaky.execute({"task": "x"})


@pytest.mark.parametrize("how", ["abort", "send", "send dict", "signal"])
async def test_a_mock_honours_every_way_to_stop(how: str) -> None:
    signal = nbharness.AbortSignal()
    coder = nbharness.mock(responses=RESPONSES, delay_ms=60_000)
    handle = coder.run(nbharness.CodingTask(task="x", signal=signal))
    async for event in handle:
        assert event.type in {"turn.started", "message.delta", "turn.aborted"}
        if event.type == "turn.started":
            {
                "abort": handle.abort,
                "send": lambda: handle.send(nbharness.Abort()),
                "send dict": lambda: handle.send({"type": "abort"}),
                "signal": signal.abort,
            }[how]()
    result = await handle
    assert result.status == "aborted"
    assert result.error is not None
    assert result.error.code == "aborted"


async def test_noop_completes_and_is_a_tool() -> None:
    stub = nbharness.noop(name="code")
    tool = stub.as_tool(description="Writes code.")
    assert (tool.name, tool.description) == ("code", "Writes code.")
    assert sorted(tool.schema["properties"]) == ["sessionId", "task"]
    result = await tool.execute({"task": "anything"})
    assert (result.status, result.output.value.modified_files) == ("completed", [])


async def test_many_mocks_at_once_do_not_mix() -> None:
    coders = [nbharness.mock(responses=[{"type": "assistant", "text": str(index)}]) for index in range(20)]
    results = await asyncio.gather(*(coder.run("x") for coder in coders))
    assert [result.output.text for result in results] == [str(index) for index in range(20)]


def test_the_synchronous_way() -> None:
    assert nbharness.mock(responses=RESPONSES).run("x").result(10).output.text == "Fixed."


def test_an_agent_is_found_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="demo") as raised:
        nbharness.agent("nobody", workspace=tmp_path)
    assert raised.value.name == "nobody"
    with pytest.raises(NotSupported, match="warp"):
        nbharness.agent("demo", workspace=tmp_path, warp=9)


def test_the_public_names_are_those_promised() -> None:
    assert len(nbharness.__all__) <= 20
    for name in nbharness.__all__:
        assert getattr(nbharness, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_the_sort"):
        _ = nbharness.nothing_of_the_sort


@pytest.mark.parametrize("arguments", [{}, {"task": 5}, {"task": "x", "sessionId": 7}, [], {"task": " "}])
async def test_arguments_of_another_kind_run_nothing(arguments: Any) -> None:
    with pytest.raises(ConfigError, match=r"task|prompt"):
        await nbharness.noop().execute(arguments)


async def test_a_tool_call_that_is_cancelled_stops_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    coder = nbharness.mock(responses=RESPONSES, delay_ms=60_000)
    handles: list[nbharness.CodingHandle] = []

    def run(task: Any) -> nbharness.CodingHandle:
        handles.append(nbharness.CodingAgent.run(coder, task))
        return handles[-1]

    monkeypatch.setattr(coder, "run", run)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await coder.execute({"task": "x"})
    assert (await handles[0]).status == "aborted"


def test_a_workspace_that_is_no_path_is_named() -> None:
    with pytest.raises(WorkspaceError, match="does not exist"):
        nbharness.agent("demo", workspace="x" * 5000)


def test_an_unknown_approval_mode_lists_those_that_exist() -> None:
    with pytest.raises(ConfigError, match="'reqire'; valid: require, auto, off"):
        nbharness.agent("demo", approval="reqire")  # type: ignore[arg-type]
