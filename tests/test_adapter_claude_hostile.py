"""The Claude adapter and a Claude Code that dies, talks nonsense, talks too much or will not stop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.claude_rubbish import MALFORMED, stderr_blocks
from support.fake_claude import Talk, fake, opened
from support.memory import peak_bytes, reset_peak
from support.port import Question, approves, rejects
from support.processes import survivors

from nbharness.adapters.claude.tools import proposed_diffs
from nbharness.errors import AdapterError, AdapterProcessError, AdapterProtocolError
from nbharness.events import (
    ApprovalRequired,
    Error,
    Event,
    MessageDelta,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    ToolEnd,
    TurnCompleted,
    Unknown,
)
from nbharness.process.child import STDERR_KEPT_BYTES
from nbharness.testing.conformance import CHECKS, run_check

PATIENCE_S = 20.0

MIB = 2**20
MAX_GROWTH_BYTES = 64 * MIB
NOT_OF_CLAUDE = {"steers", "answers_as_offered"}
SLOW = {"killed_at_each_step"}


@pytest.mark.parametrize("check", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CHECKS])
def test_it_conforms(check: str, tmp_path: Path) -> None:
    result = run_check(check, fake, tmp_path)
    assert result.outcome == ("unchecked" if check in NOT_OF_CLAUDE else "passed"), result.why


# --- rubbish ------------------------------------------------------------------------------------------


async def test_lines_that_are_no_messages_are_told_and_the_turn_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("malformed")
        assert port.text == "still here"
        assert {error.code for error in port.all(Error)} == {"protocol"}
        assert isinstance(port.events[-1], TurnCompleted)
        assert (await talk.run("say x")).text == "x"


async def test_a_flood_of_rubbish_is_told_a_few_times(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("malformed 50")
    assert port.text == "still here"
    told = [error.error for error in port.all(Error)]
    assert len(told) == 4
    # `NaN` is repaired, and an empty line is nothing.
    assert f" {50 * len([line for line in MALFORMED if line.strip() and b'NaN' not in line]) - 3} " in told[-1]


async def test_odd_messages_are_unknown_or_say_nothing_and_nobody_is_asked(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("odd")
        assert port.text == "still here"
        assert port.all(ApprovalRequired) == []
        assert port.all(Unknown) != []
        assert isinstance(port.events[-1], TurnCompleted)
        assert (await talk.run("say x")).text == "x"


async def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("surrogate")
    assert port.text.startswith("a")
    assert port.text.endswith("b")
    port.text.encode()


async def test_a_line_that_is_too_long_is_left_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run(f"long {9 * MIB}")
    assert port.text == "after"
    assert port.the(Error).code == "line_too_long"


# --- floods -------------------------------------------------------------------------------------------


async def test_much_on_standard_error_costs_little_memory_and_loses_nothing_of_the_answer(tmp_path: Path) -> None:
    size = 96 * MIB
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        before = reset_peak()
        port = await talk.run(f"stderr {size}")
        assert peak_bytes() - before < MAX_GROWTH_BYTES
    assert port.text == "".join(f"{number} " for number in range(0, size // (64 * 1024), 16))


async def test_the_end_of_standard_error_is_kept_to_the_byte(tmp_path: Path) -> None:
    size = 3 * MIB + 64 * 7
    async with opened(tmp_path) as talk:
        with pytest.raises(AdapterProcessError) as caught:
            await talk.run(f"stderr {size} die")
    written = b"".join(stderr_blocks(size))
    assert len(written) == size
    assert caught.value.stderr.encode() == written[-STDERR_KEPT_BYTES:]


def test_a_file_of_many_lines_is_compared_in_linear_time() -> None:
    before = [str(number % 1000) for number in range(100_000)]
    after = [*before[:50_000], "changed", *before[50_001:]]
    args = {"file_path": "/w/a", "content": "\n".join(after)}
    (diff,) = proposed_diffs("Write", args, "/w", "\n".join(before))
    assert diff.patch.splitlines()[2:] == ["@@ -50001,1 +50001,1 @@", "-0", "+changed"]
    assert (diff.added, diff.removed) == (1, 1)


@pytest.mark.parametrize(
    ("before", "after", "hunk"),
    [
        (["a"] * 3000, [*["a"] * 3000, "b"], ["@@ -3000,0 +3001,1 @@", "+b"]),
        ([*["a"] * 3000, "b"], ["a"] * 3000, ["@@ -3001,1 +3000,0 @@", "-b"]),
        (["a"] * 3000, ["a"] * 3000, []),
    ],
)
def test_hunks_of_many_lines(before: list[str], after: list[str], hunk: list[str]) -> None:
    args = {"file_path": "/w/a", "content": "\n".join(after)}
    (diff,) = proposed_diffs("Write", args, "/w", "\n".join(before))
    assert diff.patch.splitlines()[2:] == hunk


# --- death --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["initialize", "user"])
async def test_death_before_it_says_anything(tmp_path: Path, step: str) -> None:
    async with opened(tmp_path, "--die", step) as talk:
        with pytest.raises(AdapterProcessError, match="claude ended") as caught:
            await talk.run("say x")
        assert caught.value.signal == signal.SIGABRT


@pytest.mark.parametrize(
    "when",
    [
        "",
        "streaming",
        "mid line",
        "mid character",
        "asking",
        "in a tool",
        "before its result",
        "leaving a child",
        "with its streams",
        "cleanly",
    ],
)
async def test_death_in_a_turn_and_the_next_takes_the_session_up(tmp_path: Path, when: str) -> None:
    async with opened(tmp_path) as talk:
        first = (await talk.run("say x")).the(SessionStarted)
        request, port = talk.port(f"die {when}", person=lambda _question: None)
        with pytest.raises(AdapterProcessError, match="last words") as caught:
            await talk.session.run_turn(request, port)
        assert "\x1b" not in str(caught.value)
        assert port.all(ToolEnd) == []  # the turn closes what is open
        after = await talk.run("heard")
        assert after.text == "initialize"
        assert after.the(SessionStarted) == first


@pytest.mark.parametrize("change", [{"model": "other"}, {"plan_mode": True}])
async def test_death_at_a_change_between_turns_is_repaired_unseen(tmp_path: Path, change: dict[str, object]) -> None:
    async with opened(tmp_path, "--die", "set_model" if "model" in change else "set_permission_mode") as talk:
        first = await talk.run("say x")
        second = await talk.run("say y", **change)
        assert second.text == "y"
        assert second.the(SessionStarted).session_id == first.the(SessionStarted).session_id


async def test_killed_between_turns(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        first = await talk.run("say x")
        os.kill(talk.pid, signal.SIGKILL)
        assert survivors([talk.pid], 5) == []
        second = await talk.run("say y")
    assert second.text == "y"
    assert first.the(SessionStarted) == second.the(SessionStarted)


async def test_a_session_that_is_not_there(tmp_path: Path) -> None:
    async with opened(tmp_path, session_id="unknown") as talk:
        with pytest.raises(AdapterError, match="has no session 'unknown'"):
            await talk.run("say x")


async def test_a_refused_model_is_told_and_the_session_lives(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        pid = talk.pid
        with pytest.raises(AdapterProtocolError, match="no such model"):
            await talk.run("say y", model="refused")
        assert (await talk.run("say z", model="other")).text == "z"
        assert talk.pid == pid


# --- questions ----------------------------------------------------------------------------------------


async def test_a_question_that_is_withdrawn_dies(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("withdraw", person=lambda _question: None)
        assert port.text == "done"
        assert port.desk.waiting == []
        assert (await talk.run("say x")).text == "x"


async def test_what_is_asked_twice_under_one_id_is_put_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("twice")
    assert len(port.all(ApprovalRequired)) == 1
    assert port.text == "again"


async def test_answers_reach_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("question")
        assert json.loads(port.text) == {"Which?": "red"}
        assert (len(port.all(QuestionAsked)), len(port.all(QuestionAnswered))) == (1, 1)
        refused = await talk.run("write", person=rejects)
        assert "not today" in str(refused.the(ToolEnd).output)
        assert not (talk.workspace / "written.txt").exists()


# --- abort --------------------------------------------------------------------------------------------


async def abort(talk: Talk, task: str, is_time: Callable[[Event | Unknown], bool]) -> list[Event | Unknown]:
    """Run a turn and abort it at an event; return what passed."""
    ripe = asyncio.Event()
    request, port = talk.port(task, on_event=lambda event: ripe.set() if is_time(event) else None)
    running = asyncio.get_running_loop().create_task(talk.session.run_turn(request, port))
    await asyncio.wait_for(ripe.wait(), PATIENCE_S)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, PATIENCE_S)
    return port.events


def says(text: str) -> Callable[[Event | Unknown], bool]:
    return lambda event: isinstance(event, MessageDelta) and text in event.delta


@pytest.mark.parametrize("how", ["", "deaf"])
async def test_abort_leaves_no_process_and_the_session_goes_on(tmp_path: Path, how: str) -> None:
    async with opened(tmp_path) as talk:
        first = await talk.run("say x")
        pid = talk.pid
        await abort(talk, f"hang {how}", says("waiting"))
        assert survivors([pid], 0.1) == []
        after = await talk.run("say y")
        assert after.text == "y"
        assert after.the(SessionStarted) == first.the(SessionStarted)


async def test_abort_ends_what_a_command_started(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        events = await abort(talk, "do tree", says("daemon"))
        pids = json.loads(next(event.delta for event in events if isinstance(event, MessageDelta)))
        assert survivors(pids.values(), 0.1) == []


def person_who_kills(talk: Talk) -> Callable[[Question], object]:
    def answer(question: Question) -> object:
        os.kill(talk.pid, signal.SIGKILL)
        return approves(question)

    return answer


async def test_an_answer_to_a_dead_one_is_the_end_of_the_turn(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        with pytest.raises(AdapterProcessError, match="SIGKILL"):
            await talk.run("do run", person=person_who_kills(talk))
        assert not (talk.workspace / "ran.txt").exists()
        assert (await talk.run("say y")).text == "y"


async def test_close_ends_everything(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        await talk.run("say x")
        pid = talk.pid
    assert survivors([pid], 0.1) == []
    await talk.session.close()
