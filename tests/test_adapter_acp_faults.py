"""The ACP adapter and an agent that dies, talks nonsense or will not stop."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.acp import Talk, opened
from support.processes import survivors

from nbharness.errors import AdapterError, AdapterProcessError
from nbharness.events import (
    ApprovalRequired,
    Error,
    Event,
    MessageDelta,
    SessionStarted,
    ToolEnd,
    TurnCompleted,
    Unknown,
)
from nbharness.process import ProcessGoneError

ABORT_S = 2.0
"""What an abort may take at most, process tree included."""


async def abort(
    talk: Talk, task: str, is_time: Callable[[Event | Unknown], bool]
) -> tuple[list[Event | Unknown], float]:
    """Run a turn and abort it at an event, as a turn does; return what passed and how long it took to stop, in s."""
    ripe = asyncio.Event()
    request, port = talk.port(task, person=None, on_event=lambda event: ripe.set() if is_time(event) else None)
    port.desk._audience = _Silent()
    running = asyncio.get_running_loop().create_task(talk.session.run_turn(request, port))
    await asyncio.wait_for(ripe.wait(), 10)
    began = time.monotonic()
    port.desk.cancel_all()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    return port.events, time.monotonic() - began


class _Silent:
    """Somebody is there and says nothing."""

    async def present(self) -> bool:
        return True


def says(text: str) -> Callable[[Event | Unknown], bool]:
    return lambda event: isinstance(event, MessageDelta) and text in event.delta


@pytest.mark.parametrize("method", ["initialize", "session/new", "session/prompt"])
async def test_death_at_each_request(tmp_path: Path, method: str) -> None:
    async with opened(tmp_path, f"--die {method}") as talk:
        with pytest.raises(AdapterProcessError) as caught:
            await talk.run("say x")
        assert caught.value.signal == signal.SIGABRT
        assert method in str(caught.value)


@pytest.mark.parametrize("when", ["", "in a tool", "asking", "mid line"])
async def test_death_in_a_turn_and_the_next_goes_on(tmp_path: Path, when: str) -> None:
    async with opened(tmp_path) as talk:
        session_id = (await talk.run("say x")).the(SessionStarted).session_id
        request, port = talk.port(f"die {when}", person=lambda _question: None)
        with pytest.raises(AdapterProcessError, match="last words"):
            await talk.session.run_turn(request, port)
        assert all(end.synthetic for end in port.all(ToolEnd))
        assert len(port.all(ToolEnd)) == (when in {"in a tool", "asking"})
        after = await talk.run("heard")
        assert "initialize; session/resume; session/prompt" in after.text
        assert after.the(SessionStarted).session_id == session_id


async def test_killed_between_turns(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        first = await talk.run("say x")
        os.kill(talk.pid, signal.SIGKILL)
        assert survivors([talk.pid], 5) == []
        second = await talk.run("say y")
    assert second.text == "y"
    assert first.the(SessionStarted) == second.the(SessionStarted)


async def test_what_is_asked_of_one_that_ended_before_was_never_sent(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk, asyncio.timeout(10):
        await talk.run("say x")
        link = talk.session._link
        assert link is not None
        os.kill(talk.pid, signal.SIGKILL)
        await asyncio.wait({link._connection._recv_task})
        with pytest.raises(ProcessGoneError, match=r"ended before session/prompt was sent"):
            await link.request("session/prompt", {})


async def test_malformed_lines_are_told_and_the_turn_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("malformed")
        assert port.text == "still here"
        assert len(port.all(Error)) == 3  # and no more, however many there are
        assert isinstance(port.events[-1], TurnCompleted)
        assert (await talk.run("say x")).text == "x"


async def test_line_that_is_too_long_is_left_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run(f"long {50 * 2**20}")
    assert port.text == "after"
    assert port.the(Error).code == "line_too_long"


async def test_flood_arrives_whole_and_in_order(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("flood 20000")
    assert port.text == "".join(f"{index} " for index in range(20_000))


async def test_answer_that_comes_before_its_permission_is_settled(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("burst", person=None)
        assert [type(event).__name__ for event in port.events if type(event).__name__.startswith("Tool")] == [
            "ToolStart",
            "ToolEnd",
        ]
        assert (await talk.run("say x")).text == "x"


async def test_abort_cancels_and_keeps_the_agent(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        pid = talk.pid
        _, took = await abort(talk, "hang", says("waiting"))
        assert took < ABORT_S
        assert (await talk.run("say y")).text == "y"
        assert talk.pid == pid


async def test_abort_answers_every_permission_as_cancelled(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        pid = talk.pid
        events, _ = await abort(talk, "ask_twice", lambda event: isinstance(event, ApprovalRequired))
        # The agent heard `cancelled` twice, or its prompt would not have ended, and the second was not put to anybody.
        assert len([event for event in events if isinstance(event, ApprovalRequired)]) == 1
        assert (await talk.run("say y")).text == "y"
        assert talk.pid == pid


@pytest.mark.parametrize("how", ["ignoring", "running"])
async def test_abort_ends_an_agent_that_may_leave_something(tmp_path: Path, how: str) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        pid = talk.pid
        _, took = await abort(talk, f"hang {how}", says("waiting"))
        assert took < ABORT_S
        assert survivors([pid], 0.1) == []
        assert (await talk.run("say y")).text == "y"


async def test_abort_leaves_no_process(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        events, took = await abort(talk, "hang tree", says("daemon"))
        pids = json.loads(next(event.delta for event in events if isinstance(event, MessageDelta)))
        assert survivors([pids["agent"], pids["child"], pids["daemon"]], max(0.1, ABORT_S - took)) == []


async def test_close_ends_everything(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        pid = talk.pid
    assert survivors([pid], 0.1) == []
    await talk.session.close()


async def test_library_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "acp", None)
    monkeypatch.setitem(__import__("sys").modules, "acp.connection", None)
    async with opened(tmp_path) as talk:
        with pytest.raises(AdapterError, match=r"pip install 'nbharness\[acp\]'"):
            await talk.run("say x")
