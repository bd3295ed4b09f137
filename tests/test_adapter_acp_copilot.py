"""The real Copilot, driven through the adapter against a fake model."""

import asyncio
import base64
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.acp import PNG, Talk, copilot_environment, opened
from support.port import rejects
from support.processes import survivors

from nbharness.adapters.acp import copilot
from nbharness.errors import AdapterError, AdapterProcessError
from nbharness.events import (
    ApprovalRequired,
    MessageDelta,
    MessageThinking,
    Notice,
    SessionStarted,
    SessionUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    UsageUpdated,
)
from nbharness.policy import parse_rule
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Script

pytestmark = [pytest.mark.agents, pytest.mark.slow]

LIST = Call(tool="bash", args={"command": "ls -a", "description": "List"})
SLEEPING = "touch began && python3 -c 'import time; time.sleep(60)'"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path.resolve()


@pytest.fixture
def model(tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLLM]:
    with FakeLLM(scripts(workspace)) as model:
        (tmp_path / "home").mkdir()
        for name, value in copilot_environment(model.url, tmp_path / "home").items():
            monkeypatch.setenv(name, value)
        yield model


def scripts(workspace: Path) -> dict[str, Script]:
    hello = str(workspace / "hello.txt")
    create = Call(tool="create", args={"path": hello, "file_text": "hello\nworld\n"})
    edit = Call(tool="edit", args={"path": hello, "old_str": "world", "new_str": "there"})
    run = Call(tool="bash", args={"command": "touch made && echo made it", "description": "Make a file"})
    return {
        "work": [
            Reply(thinking="A file is needed.", text="I write a file. ", calls=[create]),
            Reply(calls=[run]),
            Reply(calls=[edit]),
            Reply(text="All is done."),
        ],
        "run": [Reply(calls=[run]), Reply(text="step two")],
        "list": [Reply(calls=[LIST]), Reply(text="Listed.")],
        "sleep": [Reply(calls=[Call(tool="bash", args={"command": SLEEPING, "description": "Wait"})])],
    }


def tree_of(pid: int) -> set[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, todo = set(), [pid]
    while todo:
        found.add(one := todo.pop())
        todo += parents.get(one, [])
    return found


async def test_write_run_edit(workspace: Path, model: FakeLLM) -> None:
    async with opened(workspace, adapter=copilot()) as talk:
        port = await talk.run("SCRIPT:work")
        asked = len(model.requests)
        again = await talk.run("hello")
    assert (workspace / "hello.txt").read_text() == "hello\nthere\n"
    assert (workspace / "made").exists()
    assert [start.kind for start in port.all(ToolStart)] == ["edit", "execute", "edit"]
    assert [option.kind for option in port.all(ApprovalRequired)[0].options or []] == [
        "allow_once",
        "allow_always",
        "reject_once",
    ]
    written, ran, edited = port.all(ToolEnd)
    assert [(diff.path, diff.added) for diff in written.diffs or []] == [("hello.txt", 2)]
    assert (ran.exit_code, "made it" in str(ran.output)) == (0, True)
    assert [(diff.added, diff.removed) for diff in edited.diffs or []] == [(1, 1)]
    assert "made it" in "".join(delta.partial for delta in port.all(ToolDelta))
    assert port.the(MessageThinking).delta == "A file is needed."
    assert port.the(TurnCompleted).response == "All is done."
    assert port.all(UsageUpdated)[-1].usage.context_tokens
    # It counts the session; we the turn.
    assert port.the(TurnCompleted).usage.input_tokens == 100 * asked  # type: ignore[union-attr]
    assert again.the(TurnCompleted).usage.input_tokens == 100  # type: ignore[union-attr]
    assert any(update.commands for update in port.all(SessionUpdated))


async def test_rejected_command_is_not_run(workspace: Path, model: FakeLLM) -> None:
    async with opened(workspace, adapter=copilot()) as talk:
        port = await talk.run("SCRIPT:run", person=rejects)
    assert not (workspace / "made").exists()
    assert (port.the(ToolEnd).is_error, port.the(ToolEnd).output) == (True, "The user rejected this tool call.")
    # It ends the turn at a rejection; its model never hears of it.
    assert port.the(Notice).message == "Operation cancelled by user"
    assert port.the(TurnCompleted).response is None
    assert len(model.requests) == 1


async def test_abort_leaves_nothing_and_the_session_is_taken_up(workspace: Path, model: FakeLLM) -> None:
    async with opened(workspace, adapter=copilot()) as talk:
        session_id, pids, took = await _abort(talk, workspace)
        assert took < 2
        assert survivors(pids, max(0.1, 2 - took)) == []
        port = await talk.run("hello")
    assert port.the(SessionStarted).session_id == session_id
    assert port.the(TurnCompleted).response == "ok"
    # What was said before is not told again, and the model is told it.
    assert len(port.all(MessageDelta)) == 1
    assert "SCRIPT:sleep" in str(model.requests[-1].body["messages"])


async def _abort(talk: Talk, workspace: Path) -> tuple[str, set[int], float]:
    request, port = talk.port("SCRIPT:sleep")
    running = asyncio.get_running_loop().create_task(talk.session.run_turn(request, port))
    while not (workspace / "began").exists():
        assert not running.done(), running.result()
        await asyncio.sleep(0.02)  # the file comes from another process
    pids = tree_of(talk.pid)
    assert len(pids) >= 3, "loader, program and shell"
    began = time.monotonic()
    port.desk.cancel_all()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    return port.the(SessionStarted).session_id, pids, time.monotonic() - began


@pytest.mark.usefixtures("model")
async def test_killed_agent_is_started_again_and_remembers(workspace: Path) -> None:
    async with opened(workspace, adapter=copilot()) as talk:
        first = await talk.run("hello")
        asked = asyncio.Event()
        request, port = talk.port("SCRIPT:run", person=lambda _question: asked.set())
        running = asyncio.get_running_loop().create_task(talk.session.run_turn(request, port))
        await asked.wait()
        pids = tree_of(talk.pid)
        os.kill(talk.pid, signal.SIGKILL)
        with pytest.raises(AdapterProcessError) as caught:
            await running
        assert caught.value.signal == signal.SIGKILL
        assert survivors(pids, 2) == []
        after = await talk.run("hello")
    assert after.the(SessionStarted) == first.the(SessionStarted)
    # The model is given the turn that was cut off, or it would not say this.
    assert after.the(TurnCompleted).response == "step two"


@pytest.mark.usefixtures("model")
async def test_modes_are_its_own(workspace: Path) -> None:
    async with opened(workspace, adapter=copilot()) as talk:
        port = await talk.run("hello")
        modes = next(update.modes for update in port.all(SessionUpdated) if update.modes)
        plan = next(mode.id for mode in modes or [] if mode.id.endswith("#plan"))
        after = await talk.run("hello", mode="plan")
        with pytest.raises(AdapterError, match="It offers: agent, plan, autopilot"):
            await talk.run("hello", mode="nonsense")
    assert after.all(SessionUpdated)[0].mode == plan
    assert talk.session.session_id == port.the(SessionStarted).session_id


@pytest.mark.usefixtures("model")
async def test_sessions_of_a_workspace_are_listed(workspace: Path) -> None:
    async with opened(workspace, adapter=copilot()) as talk:
        await talk.run("hello there")
        session_id = talk.session.session_id
    kept = await copilot().list_sessions(workspace)
    assert [session.session_id for session in kept] == [session_id]
    assert kept[0].title
    assert await copilot().list_sessions(workspace.parent) == []


@pytest.mark.usefixtures("model")
async def test_rule_that_denies_is_its_own_too(workspace: Path) -> None:
    """A tool that it was told once and for all to allow would otherwise run without a question."""
    async with opened(workspace, adapter=copilot()) as talk:
        free = await talk.run("SCRIPT:list")
        denied = await talk.run("SCRIPT:list", rules=(parse_rule("deny", "bash(ls *)"),))
    assert (len(free.all(ApprovalRequired)), free.the(ToolEnd).is_error) == (1, False)
    assert (denied.all(ApprovalRequired), denied.the(ToolEnd).is_error) == ([], True)
    assert "denied" in str(denied.the(ToolEnd).output)


async def test_image_reaches_its_model(workspace: Path, model: FakeLLM) -> None:
    (workspace / "dot.png").write_bytes(PNG)
    async with opened(workspace, adapter=copilot()) as talk:
        await talk.run("look at this", options={"images": ["dot.png"]})
    assert base64.b64encode(PNG).decode() in str(model.requests[-1].body["messages"])
