"""Checks of what an agent asks, and of what it does with the answer."""

from __future__ import annotations

import functools

import msgspec

from nbharness.audience import Nobody
from nbharness.events import (
    ApprovalOption,
    ApprovalRequired,
    ApprovalUpdated,
    PlanApproved,
    PlanRejected,
    QuestionAnswered,
    TodosUpdated,
    ToolEnd,
)
from nbharness.handle import Asked
from nbharness.inputs import ApprovalDecision, CodingInput
from nbharness.testing.conformance.bench import Bench, NotCheckedError, Ran, approves, expect, rejects
from nbharness.testing.conformance.subject import EDITED, RAN
from nbharness.testing.conformance.turns import completed

__all__ = [
    "answers_as_offered",
    "asks_a_question",
    "edited",
    "keeps_a_checklist",
    "nobody_there",
    "plans",
    "rejected",
    "runs",
    "skips_a_question",
    "writes",
]


def writes(bench: Bench) -> None:
    """An approved change is made, after it was asked for."""
    ran = completed(bench.run("write"))
    expect(bench.written.is_file(), f"{bench.written.name} was not written")
    _asked(bench, ran)
    expect(_failed_calls(ran) == [], f"tool calls failed: {_failed_calls(ran)}")


def runs(bench: Bench) -> None:
    """An approved command runs, after it was asked for."""
    ran = completed(bench.run("run"))
    expect(bench.file(RAN).exists(), f"{RAN} is not there, so the command did not run")
    _asked(bench, ran)


def rejected(bench: Bench) -> None:
    """A rejected change is not made; the tool call ends as failed, and the agent can go on."""
    _needs_approvals(bench)
    ran = completed(bench.run("write", person=rejects))
    expect(not bench.written.exists(), f"{bench.written.name} was written though it was rejected")
    expect(_failed_calls(ran), "no tool call ended as failed after the rejection")
    statuses = {event.status for event in ran.events if isinstance(event, ApprovalUpdated)}
    expect(statuses == {"rejected"}, f"approvals ended {statuses}")
    completed(bench.run("say", conversation=ran.conversation))


def nobody_there(bench: Bench) -> None:
    """Where nobody can answer, nothing is changed and the turn ends by itself."""
    _needs_approvals(bench)
    handle = bench.start("write", audience=Nobody())
    ran = bench.follow(handle, lambda _asked: None)
    expect(not bench.written.exists(), f"{bench.written.name} was written though nobody approved")
    expect(ran.result.status != "aborted", f"the turn ended {ran}")


def edited(bench: Bench) -> None:
    """What runs is what was approved: the edited arguments. An agent that cannot edit is never given any."""
    _needs_approvals(bench)
    if not bench.adapter.capabilities.edited_args:
        raise NotCheckedError("takes no edited arguments")
    edit = bench.agent.edit
    if edit is None:
        raise NotCheckedError("no edit is given")

    def person(asked: Asked) -> CodingInput:
        if isinstance(asked, ApprovalRequired):
            return ApprovalDecision(id=asked.id, decision="approve", args=edit(asked.args))
        return approves(asked)

    completed(bench.run("run", person=person))
    expect(bench.file(EDITED).exists(), f"{EDITED} is not there, so the edited command did not run")
    expect(not bench.file(RAN).exists(), f"{RAN} is there: the command ran as it was before the edit")


def answers_as_offered(bench: Bench) -> None:
    """An answer that the agent itself offers comes to what it says: one that rejects lets nothing through."""
    _needs_approvals(bench)
    offered: list[ApprovalOption] = []

    def person(asked: Asked, *, allow: bool) -> CodingInput:
        if not isinstance(asked, ApprovalRequired):
            return approves(asked)
        options = asked.options if isinstance(asked.options, list) else []
        offered[:] = [option for option in options if option.kind.startswith("allow" if allow else "reject")]
        answer = ApprovalDecision(id=asked.id, decision="approve" if allow else "reject")
        return msgspec.structs.replace(answer, option_id=offered[0].id) if offered else answer

    refused = bench.run("write", person=functools.partial(person, allow=False))
    if not offered:
        raise NotCheckedError("offers no answers of its own")
    expect(not bench.written.exists(), f"{bench.written.name} was written though {offered[0].id!r} was chosen")
    ran = bench.run("write", person=functools.partial(person, allow=True), conversation=refused.conversation)
    expect(bench.written.is_file(), f"{bench.written.name} was not written though {offered[0].id!r} was chosen: {ran}")


def asks_a_question(bench: Bench) -> None:
    """A question reaches a person, and the answer reaches the agent."""
    _needs(bench.adapter.capabilities.questions, "asks no questions")
    ran = completed(bench.run("question"))
    answered = [event.status for event in ran.events if isinstance(event, QuestionAnswered)]
    expect(answered == ["answered"], f"questions ended {answered}")
    wanted = bench.agent.said.get("question")
    expect(wanted in {None, ran.result.output.text}, f"the answer is {ran.result.output.text!r}, not {wanted!r}")


def skips_a_question(bench: Bench) -> None:
    """A question that a person skips holds nothing up: the agent goes on without an answer."""
    _needs(bench.adapter.capabilities.questions, "asks no questions")
    ran = completed(bench.run("question", person=rejects))
    answered = [event.status for event in ran.events if isinstance(event, QuestionAnswered)]
    expect(answered == ["skipped"], f"questions ended {answered}")


def plans(bench: Bench) -> None:
    """A plan is proposed; a rejection goes back to the agent, an approval lets it go on."""
    _needs(bench.adapter.capabilities.plan, "proposes no plans")
    ran = completed(bench.run("plan", plan_mode=True))
    expect(any(isinstance(event, PlanApproved) for event in ran.events), f"no plan was approved: {ran}")
    refused = bench.run("plan", plan_mode=True, person=rejects)
    expect(any(isinstance(event, PlanRejected) for event in refused.events), f"no plan was rejected: {refused}")


def keeps_a_checklist(bench: Bench) -> None:
    """A checklist is shown."""
    _needs(bench.adapter.capabilities.todos, "keeps no checklist")
    ran = completed(bench.run("todos"))
    expect(any(isinstance(event, TodosUpdated) and event.todos for event in ran.events), f"no checklist: {ran}")


def _asked(bench: Bench, ran: Ran) -> None:
    asked = any(isinstance(event, ApprovalRequired) for event in ran.events)
    declared = bench.adapter.capabilities.approvals
    expect(asked == declared, f"approvals are declared: {declared}, but the agent asked: {asked}")


def _needs_approvals(bench: Bench) -> None:
    _needs(bench.adapter.capabilities.approvals, "does not ask for approvals")


def _needs(able: object, why: str) -> None:
    if not able:
        raise NotCheckedError(why)


def _failed_calls(ran: Ran) -> list[str]:
    return [event.name for event in ran.events if isinstance(event, ToolEnd) and event.is_error]
