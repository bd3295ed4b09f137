"""The Codex adapter against a program that speaks its protocol, well and badly."""

from __future__ import annotations

import asyncio
import resource
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from support.port import Person, RecordingPort, approves, rejects
from support.processes import FAKES, survivors

from nbharness.adapters.base import McpServer, TurnRequest
from nbharness.adapters.codex import CodexAdapter, turn
from nbharness.adapters.codex.session import CodexSession
from nbharness.errors import AdapterError, AdapterProcessError, AdapterProtocolError, ConfigError
from nbharness.events import (
    ApprovalRequired,
    Error,
    Event,
    SessionStarted,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    Unknown,
)

STEPS = ("start", "initialize", "thread", "turn", "started", "delta", "item", "asked", "answered", "output", "ended")
MIB = 1024 * 1024


class Fake:
    """A session on the fake program."""

    def __init__(self, place: Path) -> None:
        self.workspace = place / "workspace"
        self.workspace.mkdir()
        self.log = place / "starts"
        self.program = place / "codex"
        self.program.write_text(f"#!{sys.executable} -IS\nexec(open({str(FAKES / 'codex_app_server.py')!r}).read())\n")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.session: CodexSession

    @property
    def pids(self) -> list[int]:
        return [int(pid) for pid in self.log.read_text().split()]

    def port(
        self, how: str, *, person: Person | None = approves, messages: list[str] | None = None, **more: Any
    ) -> RecordingPort:
        environment = {"FAKE_CODEX": how, "FAKE_CODEX_LOG": str(self.log)}
        request = TurnRequest(turn_id="turn", task="go", workspace=self.workspace, environment=environment, **more)
        self.request = request
        return RecordingPort(request, person=person, messages=messages or [])

    async def turn(self, how: str, **more: Any) -> RecordingPort:
        port = self.port(how, **more)
        await self.session.run_turn(self.request, port)
        return port


@pytest.fixture
async def fake(tmp_path: Path) -> AsyncIterator[Fake]:
    made = Fake(tmp_path)
    made.session = await CodexAdapter(made.program).open_session(made.workspace)
    yield made
    await made.session.close()
    assert not made.log.exists() or survivors(made.pids, 2) == []


async def test_nothing_is_started_before_the_first_turn_and_nothing_by_the_second(fake: Fake) -> None:
    assert not fake.log.exists()
    first = await fake.turn("run")
    assert first.the(TurnCompleted).response is None
    assert first.the(ToolEnd).exit_code == 0
    assert fake.session.session_id == "thread-1"
    await fake.turn("run")
    assert len(fake.pids) == 1


async def test_approval_is_bound_to_the_script_and_its_answer_reaches_codex(fake: Fake) -> None:
    yes = await fake.turn("run")
    assert yes.the(ApprovalRequired).args == {"command": "make"}
    assert yes.the(ToolStart).args == {"command": "make", "cwd": "/"}
    assert yes.text.endswith("accept")
    no = await fake.turn("run", person=rejects)
    assert no.text.endswith("decline")


async def test_unknown_question_is_answered_with_an_error(fake: Fake) -> None:
    port = await fake.turn("asks item/tool/madeUp")
    assert port.text.endswith("this client does not answer item/tool/madeUp")


async def test_unreadable_question_is_answered_with_an_error(fake: Fake) -> None:
    port = await fake.turn("asks item/tool/requestUserInput")
    assert "cannot be read" in port.text
    assert port.all(TurnCompleted) != []


async def test_malformed_lines_are_told_and_the_turn_goes_on(fake: Fake) -> None:
    port = await fake.turn("malformed")
    assert {event.code for event in port.all(Error)} == {"protocol"}
    told = [event.type for event in port.all(Unknown)]
    assert told == ["codex/��", "codex/item/completed", "codex/item/madeUp"]  # half a character is repaired
    assert port.all(TurnCompleted) != []


@pytest.mark.parametrize("step", STEPS)
async def test_death_at_each_step_is_told_and_the_next_turn_runs(fake: Fake, step: str) -> None:
    port = fake.port(f"die {step}")
    with pytest.raises(AdapterProcessError, match=f"exit code 3.*fake codex dies at {step}") as caught:
        await fake.session.run_turn(fake.request, port)
    assert caught.value.exit_code == 3
    assert (await fake.turn("run")).all(TurnCompleted) != []
    assert len(fake.pids) == 2


async def test_missing_program_is_told(fake: Fake) -> None:
    fake.program.unlink()
    with pytest.raises(AdapterProcessError, match="no such program"):
        await fake.turn("run")


async def test_line_of_50_mb_is_left_out_and_costs_no_memory(fake: Fake) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    port = await fake.turn(f"long {50 * MIB}")
    assert [event.code for event in port.all(Error)] == ["line_too_long"]
    assert port.all(TurnCompleted) != []
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 48 * MIB


async def test_flood_of_single_characters_is_joined(fake: Fake) -> None:
    port = await fake.turn("flood 100000")
    deltas = port.all(ToolDelta)
    assert sum(len(event.partial) for event in deltas) == 100_000 + len("made\n")
    assert len(deltas) < 4000


async def test_abort_ends_a_program_that_does_not_listen(fake: Fake) -> None:
    heard = asyncio.Event()

    def on_event(event: Event | Unknown) -> None:
        if isinstance(event, ToolStart):
            heard.set()

    port = fake.port("hang")
    port._on_event = on_event
    running = asyncio.create_task(fake.session.run_turn(fake.request, port))  # noqa: TID251 (the test is its owner)
    await heard.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert survivors(fake.pids, 2) == []


async def test_end_that_is_lost_is_not_waited_for(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "_LOST_S", 0.05)
    with pytest.raises(AdapterProtocolError, match="did not say how the turn ended"):
        await fake.turn("loses")


async def test_other_settings_start_codex_anew(fake: Fake) -> None:
    await fake.turn("run")
    await fake.turn("run", mcp_servers=(McpServer(name="notes", command="notes"),))
    assert len(fake.pids) == 2


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"options": {"sandbox": "none"}}, "sandbox is 'none'. Valid: workspace-write, read-only"),
        ({"mcp_servers": (McpServer(name="a b", command="x"),)}, "MCP server 'a b'"),
        ({"mcp_servers": (McpServer(name="a"),)}, "neither a command nor a url"),
    ],
)
async def test_settings_that_codex_cannot_take_are_refused(fake: Fake, more: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        await fake.turn("run", **more)
    assert not fake.log.exists()


async def test_session_says_its_id_once(fake: Fake) -> None:
    assert (await fake.turn("run")).the(SessionStarted).session_id == "thread-1"


async def test_session_that_never_began_is_not_taken_up(fake: Fake) -> None:
    with pytest.raises(AdapterError):
        await fake.turn("die turn")
    assert fake.session.session_id == ""
