"""The real Codex, against a scripted model: files change, commands run, and nothing of it is left."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.codex_home import KEY, set_up_home
from support.codex_real import RealCodex, call, patch, plan, run
from support.port import RecordingPort, approves, rejects
from support.processes import survivors

from nbharness.errors import AdapterError, AdapterProcessError
from nbharness.events import (
    ApprovalRequired,
    MessageThinking,
    Notice,
    PlanApproved,
    PlanProposed,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    TurnCompleted,
    TurnFailed,
    Usage,
)
from nbharness.inputs import PlanDecision, QuestionAnswer
from nbharness.process.supervisor import descendants
from nbharness.testing.fakellm import Fail, FakeLLM, Reply

pytestmark = [pytest.mark.agents, pytest.mark.slow]

WAITS = "(setsid sleep 600 &) ; sleep 1; echo up; sleep 600"
TODO = call("update_plan", {"plan": [{"step": "write it", "status": "in_progress"}]})
DONE = Reply(text="Done.")


@pytest.fixture(scope="module")
def model() -> Iterator[FakeLLM]:
    with FakeLLM({}) as served:
        yield served


@pytest.fixture
async def codex(tmp_path: Path, model: FakeLLM, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RealCodex]:
    set_up_home(tmp_path / "codex-home", model.url)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex-home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(KEY, "a-key-that-nobody-has")
    made = RealCodex(tmp_path / "workspace", model)
    await made.open()
    yield made
    server = made.session._server
    left = [made.pid, *descendants(made.pid)] if server is not None and server.alive else []
    await made.session.close()
    assert survivors(left, 2) == []


def usage_of(event: TurnCompleted) -> Usage:
    assert isinstance(event.usage, Usage)
    return event.usage


def output_of(port: RecordingPort, end: ToolEnd) -> object:
    """What a command wrote; it stands in the deltas when the end does not repeat it."""
    streamed = "".join(delta.partial for delta in port.all(ToolDelta) if delta.id == end.id)
    return streamed if end.output is None else end.output


async def test_it_writes_runs_and_keeps_a_checklist(codex: RealCodex) -> None:
    writes = patch("*** Add File: a.txt", "+one", "+two")
    port = await codex.turn(
        Reply(thinking="A file, then.", text="I write it.", calls=writes.calls),
        run("cp a.txt b.txt && echo copied"),
        TODO,
        DONE,
    )
    assert codex.file("b.txt").read_text() == "one\ntwo\n"
    assert [event.tool_name for event in port.all(ApprovalRequired)] == ["apply_patch", "exec_command"]
    assert port.all(ApprovalRequired)[1].args == {"command": "cp a.txt b.txt && echo copied"}
    patched, copied = port.all(ToolEnd)
    assert isinstance(patched.diffs, list)
    assert patched.diffs[0].patch == "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert (output_of(port, copied), copied.exit_code, copied.is_error) == ("copied\n", 0, False)
    assert port.the(TodosUpdated).todos[0].status == "in_progress"
    assert "".join(event.delta for event in port.all(MessageThinking)) == "A file, then."
    completed = port.the(TurnCompleted)
    assert completed.response == "Done."
    assert port.text == "I write it.\n\nDone."
    assert (usage_of(completed).model_calls, usage_of(completed).total_tokens) == (4, 480)


async def test_what_is_rejected_does_not_happen_and_the_turn_goes_on(codex: RealCodex) -> None:
    codex.file("a.txt").write_text("one\n")
    port = await codex.turn(
        run("rm a.txt"), patch("*** Update File: a.txt", "@@", "-one", "+two"), DONE, person=rejects
    )
    assert codex.file("a.txt").read_text() == "one\n"
    assert [event.is_error for event in port.all(ToolEnd)] == [True, True]
    assert port.the(TurnCompleted).response == "Done."
    assert "exec_command was rejected, for this reason: not today" in codex.heard


async def test_patch_shows_each_change_before_it_is_made(codex: RealCodex) -> None:
    codex.file("old.txt").write_text("a\nb\n")
    codex.file("gone.txt").write_text("x\n")
    moves = ("*** Update File: old.txt", "*** Move to: new.txt", "@@", " a", "-b", "+c")
    asked = (await codex.turn(patch(*moves, "*** Delete File: gone.txt"))).the(ApprovalRequired)
    assert isinstance(asked.diffs, list)
    shown = {diff.path: diff.patch for diff in asked.diffs}
    assert shown["gone.txt"] == "--- a/gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"
    assert shown["new.txt"].startswith("--- a/old.txt\n+++ b/new.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
    assert set(asked.args["paths"]) == {"old.txt", "new.txt", "gone.txt"}
    assert codex.file("new.txt").read_text() == "a\nc\n"
    assert not codex.file("gone.txt").exists()


async def test_plain_reads_are_not_asked_about(codex: RealCodex) -> None:
    codex.file("a.txt").write_text("one\n")
    port = await codex.turn(run("cat a.txt | head -1"), run("cat a.txt > b.txt"), person=rejects)
    assert [event.args["command"] for event in port.all(ApprovalRequired)] == ["cat a.txt > b.txt"]
    assert output_of(port, port.all(ToolEnd)[0]) == "one\n"


async def test_second_turn_spawns_nothing_and_remembers(codex: RealCodex) -> None:
    first = await codex.turn(DONE, task="the first")
    pid = codex.pid
    second = await codex.turn(DONE, task="the second")
    assert codex.pid == pid
    assert "the first" in codex.heard
    assert [usage_of(port.the(TurnCompleted)).total_tokens for port in (first, second)] == [120, 120]


async def test_killed_codex_comes_back_with_its_session(codex: RealCodex) -> None:
    await codex.turn(DONE, task="the first")
    session_id, pid = codex.session.session_id, codex.pid
    os.kill(pid, signal.SIGKILL)
    port = await codex.turn(DONE, task="the second")
    assert port.the(SessionStarted).session_id == codex.session.session_id == session_id
    assert codex.pid != pid
    assert "the first" in codex.heard
    assert usage_of(port.the(TurnCompleted)).total_tokens == 120


async def test_death_during_a_turn_is_told_with_its_signal(codex: RealCodex) -> None:
    def kill(_question: object) -> None:
        os.kill(codex.pid, signal.SIGKILL)

    with pytest.raises(AdapterProcessError, match="SIGKILL") as caught:
        await codex.turn(run("touch a.txt"), task="the first", person=kill)
    assert caught.value.signal == signal.SIGKILL
    assert (await codex.turn(DONE, task="the second")).the(TurnCompleted).response == "Done."
    assert "the first" in codex.heard


async def test_fork_leaves_the_first_session_as_it_was(codex: RealCodex) -> None:
    await codex.turn(DONE, task="the first")
    before = codex.session.session_id
    await codex.session.close()
    await codex.open(before, fork=True)
    await codex.turn(DONE, task="the second")
    assert codex.session.session_id not in {"", before}
    assert "the first" in codex.heard


async def test_session_that_is_gone_is_told(codex: RealCodex) -> None:
    await codex.open("01a22f91-e4fc-7b51-bd0a-496345582508")
    with pytest.raises(AdapterError, match=r"cannot take up session 01a22f91.*Start a new conversation"):
        await codex.turn()


async def test_abort_ends_the_command_too(codex: RealCodex) -> None:
    await codex.aborted(ToolDelta, run(WAITS, yield_time_ms=30_000))
    assert codex.left != []
    assert survivors(codex.left, 2) == []
    assert (await codex.turn(DONE)).the(TurnCompleted).response == "Done."
    assert "turn_aborted" in codex.heard


async def test_abort_while_a_person_is_asked_changes_nothing(codex: RealCodex) -> None:
    await codex.aborted(ApprovalRequired, patch("*** Add File: a.txt", "+x"), person=lambda _question: None)
    assert (await codex.turn(DONE)).the(TurnCompleted).response == "Done."
    assert not codex.file("a.txt").exists()


async def test_abort_while_the_model_thinks_keeps_codex(codex: RealCodex) -> None:
    await codex.aborted(TodosUpdated, TODO, Reply(text="late", delay_s=5))
    pid = codex.pid
    assert (await codex.turn(DONE)).the(TurnCompleted).response == "Done."
    assert codex.pid == pid


async def test_plan_is_proposed_approved_as_edited_and_followed(codex: RealCodex) -> None:
    def edits(question: Any) -> Any:
        if isinstance(question, PlanProposed):
            return PlanDecision(id=str(question.id), decision="approve", plan="1. write a.txt, no more")
        return approves(question)

    steps = (plan("1. write a.txt"), patch("*** Add File: a.txt", "+x"), DONE)
    port = await codex.turn(*steps, plan_mode=True, person=edits)
    assert port.the(PlanProposed).plan == "1. write a.txt\n"
    assert port.the(PlanApproved).plan == "1. write a.txt, no more"
    assert "1. write a.txt, no more" in codex.heard
    assert codex.file("a.txt").exists()
    assert usage_of(port.the(TurnCompleted)).model_calls == 3


async def test_plan_mode_changes_nothing_and_a_rejected_plan_is_revised(codex: RealCodex) -> None:
    def second_one(question: Any) -> Any:
        return approves(question) if getattr(question, "plan", "") == "second\n" else rejects(question)

    port = await codex.turn(
        run("touch a.txt"),
        patch("*** Add File: b.txt", "+x"),
        plan("first"),
        plan("second"),
        DONE,
        plan_mode=True,
        person=second_one,
    )
    assert [proposed.plan for proposed in port.all(PlanProposed)] == ["first\n", "second\n"]
    assert not codex.file("a.txt").exists()
    assert not codex.file("b.txt").exists()
    assert "not today" in codex.heard
    assert port.the(TurnCompleted).response == "Done."


async def test_question_is_answered(codex: RealCodex) -> None:
    options = [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}]
    question = {"id": "q", "header": "Colour", "question": "Which?", "options": options}

    def blue(asked: Any) -> Any:
        return QuestionAnswer(id=asked.id, answers={"q": ["blue"]}) if isinstance(asked, QuestionAsked) else None

    asks = call("request_user_input", {"questions": [question]})
    port = await codex.turn(asks, DONE, plan_mode=True, person=blue)
    assert [option.label for option in port.the(QuestionAsked).questions[0].options] == ["red", "blue"]
    assert port.the(QuestionAnswered).answers == {"q": ["blue"]}
    assert '{"q":{"answers":["blue"]}}' in codex.heard


async def test_message_during_a_turn_steers_it(codex: RealCodex) -> None:
    port = await codex.turn(run("touch a.txt"), DONE, messages=("and b.txt",))
    assert "and b.txt" in codex.heard
    assert usage_of(port.the(TurnCompleted)).model_calls == 2


@pytest.mark.parametrize(
    ("fail", "code"),
    [
        (Fail(status=429, message="slow down"), "rate_limited"),
        (Fail(status=401, message="who are you"), "auth"),
        (Fail(status=500, message="oops"), "sdk_error"),
        (Fail(status=400, kind="context_length_exceeded", message="too long"), "context_exhausted"),
    ],
)
async def test_failures_have_their_code_and_the_session_goes_on(codex: RealCodex, fail: Fail, code: str) -> None:
    failed = (await codex.turn(*[fail] * 8)).the(TurnFailed)
    assert failed.code == code, failed
    assert (await codex.turn(DONE)).all(TurnCompleted) != []


async def test_connection_that_is_cut_is_tried_again_and_told(codex: RealCodex) -> None:
    port = await codex.turn(Reply(text="half of it", cut=True), DONE)
    assert "tries again" in port.all(Notice)[0].message


async def test_instructions_and_environment_reach_codex_and_nothing_else(
    codex: RealCodex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JPY_API_TOKEN", "secret")
    await codex.turn(run("env > seen"), system_prompt_append="Talk as a pirate.", environment={"LET_THROUGH": "yes"})
    assert "Talk as a pirate." in codex.heard
    seen = codex.file("seen").read_text()
    assert "LET_THROUGH=yes" in seen
    assert "NBHARNESS=1" in seen
    assert "JPY_API_TOKEN" not in seen
