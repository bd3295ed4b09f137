"""The built-in agent with a fake model over real HTTP: every way and every failure, in all four wire forms."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from support.builtin import DONE, MODELS, TOO_LONG, Builtin, bash, builtin, call, write
from support.port import Answer, Question, RecordingPort, approves, rejects

from nbharness.adapters.base import TurnRequest
from nbharness.errors import AdapterError, AuthNeeded, ContextExhausted, RateLimited
from nbharness.events import (
    ApprovalRequired,
    Event,
    MessageDelta,
    MessageUser,
    Notice,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    SessionStarted,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    Unknown,
)
from nbharness.inputs import ApprovalDecision, PlanDecision
from nbharness.testing.fakellm import Call, Fail, Reply

BUSY = Fail(status=429, message="slow down")


@pytest.fixture(params=MODELS)
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def agent(wire: str, tmp_path: Path) -> AsyncIterator[Builtin]:
    with builtin(tmp_path, wire) as made:
        yield made
        await made.close()


def sent(agent: Builtin, number: int = -1) -> str:
    """A request's body as a text."""
    return json.dumps(agent.requests[number].body)


def offered(agent: Builtin, number: int) -> set[str]:
    """Names of the tools that a request offers; some models are told of later ones in the conversation itself."""
    body = agent.requests[number].body
    later = [item for item in body.get("input", []) if item.get("type") == "additional_tools"]
    tools = [*body["tools"], *(tool for item in later for tool in item["tools"])]
    declared = [each for tool in tools for each in tool.get("functionDeclarations", [tool])]
    return {str(tool.get("name") or tool["function"]["name"]) for tool in declared}


async def test_a_command_that_fails_is_told_once(agent: Builtin) -> None:
    port = await agent.turn(bash("echo one; exit 3"), DONE)
    assert "".join(delta.partial for delta in port.all(ToolDelta)) == "one\n[exit code 3]"
    end = port.the(ToolEnd)
    assert (end.output, end.exit_code, end.is_error) == (None, 3, True)


def ignores(_question: Question) -> None:
    """A person who is thinking."""


def heals(agent: Builtin) -> Callable[[Event | Unknown], None]:
    """What was wrong is right after the first notice."""

    def heal(event: Event | Unknown) -> None:
        if isinstance(event, Notice):
            agent.script(DONE)

    return heal


async def test_changes_the_workspace_when_allowed(agent: Builtin) -> None:
    port = await agent.turn(Reply(thinking="Hm.", text="I write.", calls=write("a.txt", "one\n").calls), DONE)
    assert agent.file("a.txt").read_text() == "one\n"
    asked, started, ended = port.the(ApprovalRequired), port.the(ToolStart), port.the(ToolEnd)
    assert asked.tool_call_id == started.id == ended.id
    assert (started.kind, ended.is_error) == ("edit", False)
    assert [diff.path for diff in ended.diffs or []] == ["a.txt"]
    assert port.the(TurnCompleted).response == "All done."
    assert port.text == "I write.\n\nAll done."


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_approval_shows_what_would_change(agent: Builtin) -> None:
    agent.file("a.txt").write_text("one\ntwo\n")
    seen: list[str] = []

    def person(question: Question) -> Answer | None:
        seen.append(agent.file("a.txt").read_text())
        return rejects(question)

    edit = call("edit", path="a.txt", old_string="two", new_string="three")
    port = await agent.turn(edit, call("write", path="../b.txt", content="x"), DONE, person=person)
    first, second = port.all(ApprovalRequired)
    (diff,) = first.diffs or []
    assert (diff.path, diff.added, diff.removed) == ("a.txt", 1, 1)
    assert "-two\n+three" in diff.patch
    assert not second.diffs
    assert set(seen) == {"one\ntwo\n"}


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_output_streams_and_its_exit_code_is_told(agent: Builtin) -> None:
    port = await agent.turn(bash("echo one; echo two; exit 3"), DONE)
    assert "".join(delta.partial for delta in port.all(ToolDelta)).startswith("one\ntwo\n")
    assert (port.the(ToolEnd).exit_code, port.the(ToolEnd).is_error) == (3, True)
    assert "two" in sent(agent)


async def test_rejected_change_is_not_made_and_the_model_is_told_why(agent: Builtin) -> None:
    port = await agent.turn(write("a.txt"), DONE, person=rejects)
    assert not agent.file("a.txt").exists()
    assert port.the(ToolEnd).is_error
    assert "not today" in sent(agent)


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_edited_arguments_are_what_runs_and_what_the_model_learns(agent: Builtin) -> None:
    def person(question: Question) -> Answer | None:
        assert isinstance(question, ApprovalRequired)
        return ApprovalDecision(id=question.id, decision="approve", args={"command": "echo mine > mine"})

    await agent.turn(bash("echo theirs > theirs"), DONE, person=person)
    assert [path.name for path in agent.workspace.iterdir()] == ["mine"]
    assert "The user changed the arguments" in sent(agent)


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_each_change_of_one_answer_is_asked_about_in_turn(agent: Builtin) -> None:
    calls = [*write("a.txt").calls, *write("b.txt").calls]
    port = await agent.turn(Reply(calls=calls), DONE)
    types = [event.type for event in port.events if event.type.startswith(("approval", "tool.end"))]
    assert types == ["approval.required", "approval.updated", "tool.end"] * 2


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_reading_is_not_asked_about(agent: Builtin) -> None:
    agent.file("a.txt").write_text("the secret of the file\n")
    port = await agent.turn(call("read", path="a.txt"), DONE)
    assert port.all(ApprovalRequired) == []
    assert "the secret of the file" in sent(agent)


async def test_nothing_is_offered_that_changes_something_until_the_plan_is_approved(agent: Builtin) -> None:
    plan = call("propose_plan", plan="1. Write it.")
    port = await agent.turn(write("early.txt"), plan, write("late.txt"), DONE, plan_mode=True)
    assert [path.name for path in agent.workspace.iterdir()] == ["late.txt"]
    assert not {"bash", "write"} & offered(agent, 0)
    assert {"bash", "write"} <= offered(agent, 2)
    assert port.the(PlanApproved).plan == "1. Write it."
    assert "propose_plan" not in [started.name for started in port.all(ToolStart)]


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_edited_plan_reaches_the_model(agent: Builtin) -> None:
    def person(question: Question) -> Answer | None:
        if isinstance(question, PlanProposed):
            return PlanDecision(id=str(question.id), decision="approve", plan="1. Write it twice.")
        return approves(question)

    await agent.turn(call("propose_plan", plan="1. Write it."), DONE, plan_mode=True, person=person)
    assert "Write it twice." in sent(agent)


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_rejected_plan_goes_back_with_the_reason(agent: Builtin) -> None:
    port = await agent.turn(call("propose_plan", plan="1."), write("a.txt"), DONE, plan_mode=True, person=rejects)
    assert port.the(PlanRejected).reason == "not today"
    assert "not today" in sent(agent, 1)
    assert not agent.file("a.txt").exists()


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_question_reaches_a_person_and_the_answer_the_model(agent: Builtin) -> None:
    port = await agent.turn(call("ask_user", question="Which?", options=["red", "blue"]), DONE)
    assert port.the(QuestionAnswered).answers == {"q": ["red"]}
    assert "red" in sent(agent)


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
@pytest.mark.parametrize("reply", [call("nothing", a=1), call("bash", wrong=1), call("read", path="../outside")])
async def test_call_that_cannot_be_run_goes_back_to_the_model(agent: Builtin, reply: Reply) -> None:
    port = await agent.turn(reply, DONE)
    assert port.the(ToolEnd).is_error
    assert port.the(TurnCompleted).response == "All done."


async def test_message_reaches_the_model_with_the_next_request(agent: Builtin) -> None:
    port = await agent.turn(bash("echo one"), DONE, messages=["use blue"])
    assert port.the(MessageUser).text == "use blue"
    assert "use blue" in sent(agent)


@pytest.mark.parametrize("fault", [BUSY, Fail(status=500), Fail(status=503), Reply(text="half", cut=True)])
async def test_what_passes_is_tried_again_and_told(agent: Builtin, fault: Fail | Reply) -> None:
    agent_script = [bash("echo ran >> ran.txt"), fault]

    def heal(event: Event | Unknown) -> None:
        if isinstance(event, Notice):
            agent.script(agent_script[0], DONE)

    port = await agent.turn(*agent_script, on_event=heal)
    assert agent.file("ran.txt").read_text() == "ran\n"
    assert "trying again" in port.the(Notice).message
    assert port.the(TurnCompleted).response == "All done."


@pytest.mark.parametrize(
    ("fault", "error", "said", "requests"),
    [
        (BUSY, RateLimited, "slow down", 3),
        (Fail(status=429, retry_after=3600), RateLimited, "for now", 1),
        (Fail(status=500, message="oops"), AdapterError, "oops", 3),
        (Fail(status=401, message="who"), AuthNeeded, "API_KEY", 1),
        (Fail(status=404, message="no such model"), AdapterError, "--model", 1),
        (Fail(status=400, message="bad request"), AdapterError, "bad request", 1),
    ],
)
async def test_failure_ends_the_turn_with_what_to_do(
    agent: Builtin, fault: Fail, error: type[AdapterError], said: str, requests: int
) -> None:
    with pytest.raises(error, match=said):
        await agent.turn(*[fault] * 4)
    assert len(agent.requests) == requests
    port = await agent.turn(DONE)
    assert port.the(TurnCompleted).response == "All done."


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_long_wait_that_the_provider_asks_for_is_told(agent: Builtin) -> None:
    with pytest.raises(RateLimited) as caught:
        await agent.turn(Fail(status=429, retry_after=3600))
    assert caught.value.retry_after == 3600


async def test_conversation_that_does_not_fit_is_made_shorter_once(agent: Builtin, wire: str) -> None:
    port = await agent.turn(TOO_LONG[wire], on_event=heals(agent))
    assert "summarised" in port.all(Notice)[0].message
    assert port.the(TurnCompleted).response == "All done."
    with pytest.raises(ContextExhausted):
        await agent.turn(*[TOO_LONG[wire]] * 4)


async def test_long_history_is_replaced_by_a_summary(agent: Builtin) -> None:
    # Whatever is named last picks the script: the record names the summary, the summary how it goes on.
    agent.model.scripts |= {
        "summary": [Reply(text="Much was said. SCRIPT:after")],
        "after": [bash("touch after"), DONE],
    }
    said = Reply(text="SCRIPT:summary " + "word " * 200, calls=bash("echo " + "x" * 3000).calls, input_tokens=2900)
    port = await agent.turn(said, DONE, options={"context_window": 3000})
    assert "of what the model can hold" in port.the(Notice).message
    assert agent.file("after").exists()
    assert "Much was said." in sent(agent)
    assert "xxxx" not in sent(agent)
    assert port.the(TurnCompleted).usage.model_calls == 4  # type: ignore[union-attr]


async def test_session_is_taken_up_after_a_restart(agent: Builtin) -> None:
    port = await agent.turn(Reply(text="The word is plugh."))
    session_id = port.the(SessionStarted).session_id
    await agent.open(session_id)
    again = await agent.turn(DONE)
    assert again.the(SessionStarted).session_id == session_id
    assert "The word is plugh." in sent(agent)


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_fork_leaves_the_original_as_it_is(agent: Builtin) -> None:
    port = await agent.turn(Reply(text="The word is plugh."))
    session_id = port.the(SessionStarted).session_id
    await agent.open(session_id, fork=True)
    copy = await agent.turn(Reply(text="In the copy only."))
    assert copy.the(SessionStarted).session_id != session_id
    assert "plugh" in sent(agent)
    await agent.open(session_id)
    await agent.turn(DONE)
    assert "In the copy only." not in sent(agent)


async def aborted(agent: Builtin, at: type[Event], *steps: Reply) -> None:
    """Run a turn that is aborted at its first event of a kind."""
    seen = asyncio.Event()

    def on_event(event: Event | Unknown) -> None:
        if isinstance(event, at):
            seen.set()

    person = ignores if at is ApprovalRequired else approves
    running = asyncio.get_running_loop().create_task(agent.turn(*steps, on_event=on_event, person=person))
    await seen.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.parametrize("at", [MessageDelta, ToolStart, ApprovalRequired, ToolDelta])
async def test_aborted_at_any_step_the_conversation_goes_on(agent: Builtin, at: type[Event]) -> None:
    slow = Reply(text="I begin. ", calls=bash("echo $$ > pid; echo begun; exec sleep 60").calls)
    await aborted(agent, at, slow, DONE)
    if at is ToolDelta:
        process = Path("/proc") / agent.file("pid").read_text().strip()
        assert not process.exists() or "Z (zombie)" in (process / "status").read_text()
    port = await agent.turn(DONE)
    assert port.the(TurnCompleted).response == "All done."


@pytest.mark.parametrize("wire", ["anthropic"], indirect=True)
async def test_twenty_turns_in_twenty_workspaces(tmp_path: Path, wire: str) -> None:
    with builtin(tmp_path, wire) as first:
        agents = [Builtin(first.model, tmp_path / f"w{number}", first.name) for number in range(20)]
        first.model.scripts["turn-1"] = [bash("basename $PWD | tee own.txt"), DONE]

        async def run(agent: Builtin) -> RecordingPort:
            agent.workspace.mkdir()
            return await agent.turn(bash("basename $PWD | tee own.txt"), DONE)

        ports = await asyncio.gather(*map(run, agents))
        for agent, port in zip(agents, ports, strict=True):
            assert agent.file("own.txt").read_text().strip() == agent.workspace.name
            assert "".join(delta.partial for delta in port.all(ToolDelta)).strip() == agent.workspace.name
            await agent.close()


async def test_key_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with builtin(tmp_path, "anthropic") as agent:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        with pytest.raises(AuthNeeded, match="ANTHROPIC_API_KEY"):
            await agent.turn(DONE)
        assert agent.requests == []


async def test_unknown_provider_is_an_error_that_says_what_works(tmp_path: Path) -> None:
    with builtin(tmp_path, "anthropic") as agent:
        request = TurnRequest(turn_id="t", task="x", workspace=agent.workspace, model="nobody:knows")
        session = await agent.adapter.open_session(agent.workspace)
        with pytest.raises(AdapterError, match=r"nobody:knows.*ANTHROPIC_API_KEY"):
            await session.run_turn(request, RecordingPort(request))


async def test_arguments_that_are_no_object_go_back_to_the_model(tmp_path: Path) -> None:
    with builtin(tmp_path, "anthropic") as agent:
        port = await agent.turn(Reply(calls=[Call(tool="bash", args="[1, 2]")]), DONE)
        assert "must be a JSON object" in str(port.the(ToolEnd).output)
        await agent.close()


async def test_gemini_works_too(tmp_path: Path) -> None:
    with builtin(tmp_path, "gemini") as agent:
        port = await agent.turn(Reply(thinking="Hm.", text="I write.", calls=write("a.txt").calls), bash("ls"), DONE)
        assert agent.file("a.txt").read_text() == "written\n"
        assert port.text == "I write.\n\nAll done."
        again = await agent.turn(Reply(text="half", cut=True), on_event=heals(agent))
        assert again.the(TurnCompleted).response == "All done."
        with pytest.raises(RateLimited, match="slow down"):
            await agent.turn(*[Fail(status=429, kind="RESOURCE_EXHAUSTED", message="slow down")] * 3)
        await agent.close()
