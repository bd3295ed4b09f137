"""The real Claude Code, against a scripted model: files change, commands run, and nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.acp import claude_environment
from support.claude_real import RealClaude, bash, call
from support.port import Question, approves, rejects
from support.processes import environment_of, survivors

from nbharness.adapters.base import McpServer
from nbharness.budget import Budget
from nbharness.errors import AdapterError, AdapterProcessError, ConfigError
from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    TodosUpdated,
    ToolEnd,
    ToolStart,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
)
from nbharness.inputs import ApprovalDecision, PlanDecision, QuestionAnswer
from nbharness.process.supervisor import descendants
from nbharness.testing.fakellm import Call, Fail, FakeLLM, Reply

pytestmark = [pytest.mark.agents, pytest.mark.slow]

DONE = Reply(text="Done.")
WAITS = "(setsid sleep 6161 &) ; python3 -c 'import time; time.sleep(6161)'"


@pytest.fixture(scope="module")
def model() -> Iterator[FakeLLM]:
    with FakeLLM({}) as served:
        yield served


@pytest.fixture
async def claude(tmp_path: Path, model: FakeLLM, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RealClaude]:
    for name, value in claude_environment(model.url, tmp_path).items():
        monkeypatch.setenv(name, value)
    made = RealClaude(tmp_path / "workspace", model)
    await made.open()
    yield made
    process = made.session._process
    left = [process.pid, *descendants(process.pid)] if process is not None and process.alive else []
    await made.session.close()
    assert survivors(left, 2) == []


async def test_it_works_and_is_taken_up_again(claude: RealClaude) -> None:
    with pytest.raises(AssertionError):  # nothing is started before the first turn
        _ = claude.pid
    write = call("Write", file_path=str(claude.file("a.txt")), content="one\n")
    port = await claude.turn(write, bash("touch ran; echo out"), DONE)
    assert claude.file("a.txt").read_text() == "one\n"
    assert claude.file("ran").exists()
    assert [end.output for end in port.all(ToolEnd)][1] == "out"
    assert port.the(TurnCompleted).response == "Done."
    first = claude.pid
    await claude.turn(DONE)
    assert claude.pid == first
    os.kill(first, signal.SIGKILL)
    assert survivors([first], 5) == []
    again = await claude.turn(DONE, task="remember")
    assert again.the(SessionStarted).session_id == port.the(SessionStarted).session_id
    assert "touch ran" in claude.heard


async def test_what_a_file_would_become_is_shown_against_what_it_is(claude: RealClaude) -> None:
    claude.file("a.txt").write_text("one\ntwo\n")
    path = str(claude.file("a.txt"))
    port = await claude.turn(call("Read", file_path=path), call("Write", file_path=path, content="one\nthree\n"), DONE)
    shown: Any = port.the(ApprovalRequired).diffs
    (diff,) = shown
    assert "-two\n+three" in diff.patch
    assert (diff.added, diff.removed) == (1, 1)


async def test_a_session_that_is_not_there(claude: RealClaude) -> None:
    await claude.open("00000000-0000-4000-8000-000000000000")
    with pytest.raises(AdapterError, match="has no session '00000000"):
        await claude.turn(DONE)


async def test_a_rejection_and_an_edit_reach_the_model(claude: RealClaude) -> None:
    refused = await claude.turn(bash("touch ran"), DONE, person=rejects)
    assert not claude.file("ran").exists()
    assert "not today" in claude.heard
    assert refused.the(TurnCompleted).response == "Done."

    def edits(question: Question) -> Any:
        assert isinstance(question, ApprovalRequired)
        return ApprovalDecision(id=question.id, decision="approve", args={**question.args, "command": "touch other"})

    port = await claude.turn(bash("touch ran"), DONE, person=edits)
    assert (claude.file("ran").exists(), claude.file("other").exists()) == (False, True)
    updated: Any = port.the(ApprovalUpdated).args
    assert updated["command"] == "touch other"


def plan(text: str) -> list[Reply]:
    write = Call(tool="Write", args={"file_path": "@FOUND@", "content": text})
    return [Reply(calls=[write], find=r"(/[^\s\"\\]*/plans/[\w.-]+\.md)"), call("ExitPlanMode")]


async def test_a_plan_is_edited_and_carried_out(claude: RealClaude) -> None:
    def person(question: Question) -> Any:
        if isinstance(question, PlanProposed):
            return PlanDecision(id=str(question.id), decision="approve", plan="touch edited only")
        return approves(question)

    port = await claude.turn(
        bash("touch early"), *plan("touch it"), bash("touch late"), DONE, plan_mode=True, person=person
    )
    assert port.the(PlanProposed).plan == "touch it"
    assert port.the(PlanApproved).plan == "touch edited only"
    assert "touch edited only" in claude.heard
    assert (claude.file("early").exists(), claude.file("late").exists()) == (False, True)


async def test_a_rejected_plan_changes_nothing(claude: RealClaude) -> None:
    port = await claude.turn(*plan("touch it"), bash("touch late"), DONE, plan_mode=True, person=rejects)
    assert port.the(PlanRejected).reason == "not today"
    assert not claude.file("late").exists()


async def test_a_question_is_answered_with_an_option(claude: RealClaude) -> None:
    options = [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}]
    asked = {"question": "Which?", "header": "Colour", "multiSelect": False, "options": options}

    def person(question: Question) -> Any:
        assert isinstance(question, QuestionAsked)
        return QuestionAnswer(id=question.id, answers={"0": ["blue"]})

    port = await claude.turn(call("AskUserQuestion", questions=[asked]), DONE, person=person)
    assert port.the(QuestionAnswered).answers == {"0": ["blue"]}
    assert "blue" in claude.heard.rpartition("Which?")[2]
    assert port.all(ToolStart) == []


async def test_an_abort_leaves_nothing(claude: RealClaude) -> None:
    await claude.turn(DONE)
    first = claude.pid
    running = asyncio.create_task(claude.turn(bash(WAITS)))  # noqa: TID251 (the test is its owner)
    while len(sleepers := asleep()) < 2:  # noqa: ASYNC110 (they are not ours to wait for)
        await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert survivors([first, *sleepers], 2) == []
    port = await claude.turn(DONE)
    assert port.the(TurnCompleted).response == "Done."


def asleep() -> list[int]:
    """The two that the command leaves behind, wherever they hang in the tree by now."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            program, *arguments = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if b"6161" in b" ".join(arguments) and program.endswith((b"sleep", b"python3")):
            found.append(int(place.name))
    return found


async def test_a_fork_leaves_the_original_alone(claude: RealClaude) -> None:
    original = (await claude.turn(DONE)).the(SessionStarted).session_id
    await claude.session.close()
    await claude.open(original, fork=True)
    assert claude.session.session_id == ""
    forked = (await claude.turn(DONE)).the(SessionStarted).session_id
    assert forked not in {original, ""}
    assert claude.session.session_id == forked


async def test_todos_models_and_modes(claude: RealClaude) -> None:
    create = call("TaskCreate", subject="Write it", description="d", activeForm="Writing")
    port = await claude.turn(create, DONE)
    assert [todo.content for todo in port.the(TodosUpdated).todos] == ["Write it"]
    before = claude.pid
    switched = await claude.turn(DONE, model="claude-opus-4-1", mode="acceptEdits")
    assert claude.pid == before
    assert "opus" in str(switched.the(SessionStarted).model)
    with pytest.raises(ConfigError, match="no mode 'bypassPermissions'"):
        await claude.turn(DONE, mode="bypassPermissions")


async def test_failures_say_what_to_do(claude: RealClaude) -> None:
    limited = Fail(status=429, kind="rate_limit_error", message="slow down")
    assert (await claude.turn(*[limited] * 4)).the(TurnFailed).code == "rate_limited"
    after = await claude.turn(DONE)
    assert after.the(TurnCompleted).response == "Done."


async def test_a_cost_limit_of_ours_is_told_to_claude(claude: RealClaude) -> None:
    dear = Reply(calls=[Call(tool="Bash", args={"command": "touch x"})], input_tokens=3_000_000)
    port = await claude.turn(dear, dear, DONE, budget=Budget(max_cost_usd=1.0))
    ended = [event for event in port.events if isinstance(event, TurnAborted | TurnCompleted | TurnFailed)][-1]
    assert isinstance(ended, TurnAborted)
    assert ended.code == "budget"


async def test_it_sees_its_own_variables_and_mcp_servers_but_no_others(
    claude: RealClaude, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JPY_API_TOKEN", "secret")
    server = McpServer(name="docs", command="true", env={"DOCS_KEY": "hidden-in-a-file"})
    await claude.turn(DONE, mcp_servers=(server,), environment={"EXTRA": "1"})
    given = environment_of(claude.pid)
    assert "JPY_API_TOKEN" not in given
    assert (given["EXTRA"], given["NBHARNESS"]) == ("1", "1")
    assert b"hidden-in-a-file" not in Path(f"/proc/{claude.pid}/cmdline").read_bytes()


async def test_a_death_while_it_works_ends_the_turn_and_not_the_session(claude: RealClaude) -> None:
    await claude.turn(DONE)

    def kills(question: Question) -> Any:
        os.kill(claude.pid, signal.SIGKILL)
        return approves(question)

    with pytest.raises(AdapterProcessError, match="claude ended"):
        await claude.turn(bash("touch ran"), DONE, person=kills)
    assert (await claude.turn(DONE)).the(TurnCompleted).response == "Done."
