"""The desk: who decides, and that nothing gets past it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from nbharness.approvals import ApprovalDesk, ApprovalRequest, Decision
from nbharness.audience import Anyone, Nobody
from nbharness.errors import AdapterProtocolError, ApprovalConflict, ConfigError, UnknownApproval
from nbharness.events import ApprovalRequired, ApprovalUpdated, Event, PlanProposed
from nbharness.inputs import ApprovalDecision, PlanDecision
from nbharness.policy import Policy, Rule, parse_rules
from nbharness.tasks import TaskOwner


class Desk:
    """A desk with its events, and what was asked of it."""

    def __init__(self, **kwargs: Any) -> None:
        self.events: list[Event] = []
        self.kept: list[Rule] = []
        self.arrived = asyncio.Event()
        defaults: dict[str, Any] = {
            "agent": "demo", "workspace": Path("/w"), "mode": "require", "policy": Policy(), "audience": Anyone()
        }  # fmt: skip
        defaults["remember"] = self.kept.append
        self.desk = ApprovalDesk(emit=self._emit, **{**defaults, **kwargs})
        self.answers: list[Decision] = []
        self._answer_came = asyncio.Event()
        self._spawn = TaskOwner()

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        self.arrived.set()

    async def asked(self, command: str = "ls", **kwargs: Any) -> ApprovalRequired:
        """Ask beside the test and return the question."""
        self.arrived.clear()

        async def ask() -> None:
            self.answers.append(await self.desk.ask(request(command, **kwargs)))
            self._answer_came.set()

        self._spawn(ask(), "ask")
        await self.arrived.wait()
        last = self.events[-1]
        assert isinstance(last, ApprovalRequired)
        return last

    async def answered(self) -> Decision:
        """Wait for the asker to have its answer."""
        await self._answer_came.wait()
        return self.answers[-1]


def request(command: str = "ls", **kwargs: Any) -> ApprovalRequest:
    return ApprovalRequest(tool_name="bash", args={"command": command}, **kwargs)


async def test_reading_is_not_asked() -> None:
    desk = Desk()
    assert (await desk.desk.ask(request(mutates=False))).approved
    assert desk.events == []


async def test_a_rule_holds_for_reading_too() -> None:
    desk = Desk(policy=Policy(parse_rules("deny", ["bash(ls)"])))
    refused = await desk.desk.ask(request(mutates=False))
    assert (refused.status, refused.by) == ("rejected", "rule")
    asking = Desk(policy=Policy(parse_rules("ask", ["bash(ls)"])), plan_mode=True)
    asked = await asking.asked(mutates=False)
    asking.desk.resolve(ApprovalDecision(id=asked.id, decision="approve"), "user")
    assert (await asking.answered()).approved


async def test_off_asks_nothing_and_says_nothing() -> None:
    desk = Desk(mode="off")
    assert (await desk.desk.ask(request())).approved
    assert desk.events == []


async def test_auto_approves_and_records() -> None:
    desk = Desk(mode="auto")
    assert (await desk.desk.ask(request())).by == "mode"
    required, updated = desk.events
    assert isinstance(required, ApprovalRequired)
    assert required.auto_approvable
    assert updated == ApprovalUpdated(id=required.id, status="approved", by="mode")


@pytest.mark.parametrize("mode", ["require", "auto", "off"])
async def test_a_deny_rule_holds_in_every_mode(mode: str) -> None:
    desk = Desk(mode=mode, policy=Policy([Rule(effect="deny", command="ls")]))
    decision = await desk.desk.ask(request())
    assert (decision.status, decision.by, decision.reason) == ("rejected", "rule", "ls")


@pytest.mark.parametrize("mode", ["require", "auto", "off"])
async def test_what_asks_in_every_mode_is_allowed_by_a_rule_only(mode: str) -> None:
    asked = ApprovalRequest(tool_name="bash", args={"command": "ls"}, every_mode=True)
    desk = Desk(mode=mode, audience=Nobody())
    assert (await desk.desk.ask(asked)).by == "nobody"
    required = desk.events[0]
    assert isinstance(required, ApprovalRequired)
    assert not required.auto_approvable
    allowed = Desk(mode=mode, policy=Policy([Rule(effect="allow", command="ls")]), audience=Nobody())
    assert (await allowed.desk.ask(asked)).by == "rule"


async def test_an_ask_rule_beats_auto() -> None:
    desk = Desk(mode="auto", policy=Policy([Rule(effect="ask", tool="bash")]), audience=Nobody())
    assert (await desk.desk.ask(request())).by == "nobody"
    assert desk.desk.refused == 1


async def test_nobody_there_means_no() -> None:
    desk = Desk(audience=Nobody())
    decision = await desk.desk.ask(request())
    assert (decision.status, decision.by) == ("rejected", "nobody")
    assert isinstance(desk.events[-1], ApprovalUpdated)


@pytest.mark.parametrize("mode", ["require", "auto", "off"])
@pytest.mark.parametrize(
    "args", [{"path": "n.ipynb"}, {"file_path": "./n.ipynb"}, {"command": "jq . > n.ipynb"}, {"path": "link.ipynb"}]
)
async def test_the_open_notebook_always_asks(mode: str, args: dict[str, str], tmp_path: Path) -> None:
    notebook = tmp_path / "n.ipynb"
    notebook.write_text("{}")
    (tmp_path / "link.ipynb").symlink_to(notebook)
    allow = Policy([Rule(effect="allow", path="*.ipynb"), Rule(effect="allow", command="jq . > n.ipynb")])
    desk = Desk(mode=mode, workspace=tmp_path, open_notebook=notebook, policy=allow, audience=Nobody())
    decision = await desk.desk.ask(ApprovalRequest(tool_name="edit", args=args))
    assert decision.by == "nobody"
    required = desk.events[0]
    assert isinstance(required, ApprovalRequired)
    assert isinstance(required.warnings, list)
    assert not required.auto_approvable


async def test_plan_mode_rejects_changes_until_a_plan_is_approved() -> None:
    desk = Desk(mode="require", plan_mode=True)
    decision = await desk.desk.ask(request())
    assert (decision.status, decision.by) == ("rejected", "mode")
    assert "plan" in decision.reason
    spawn = TaskOwner()
    answers = []

    async def propose() -> None:
        answers.append(await desk.desk.propose("1. do"))

    desk.arrived.clear()
    task = spawn(propose(), "propose")
    await desk.arrived.wait()
    proposed = desk.events[-1]
    assert isinstance(proposed, PlanProposed)
    with pytest.raises(ApprovalConflict, match="other arguments"):
        desk.desk.resolve(PlanDecision(id=str(proposed.id), decision="approve", plan_hash="0"), "user")
    desk.desk.resolve(PlanDecision(id=str(proposed.id), decision="approve", plan="1. do less"), "user")
    await task
    assert answers[0].plan == "1. do less"
    await desk.asked()
    assert desk.desk.waiting


async def test_an_answer_is_bound_to_the_arguments_shown() -> None:
    desk = Desk()
    required = await desk.asked()
    with pytest.raises(ApprovalConflict, match="other arguments"):
        desk.desk.resolve(ApprovalDecision(id=required.id, decision="approve", args_hash="0" * 64), "user")
    assert desk.desk.waiting == [required.id]


async def test_a_choice_that_was_not_offered_is_refused() -> None:
    desk = Desk()
    required = await desk.asked(choices=("approve", "reject"))
    for answer in (
        ApprovalDecision(id=required.id, decision="approve", args={"command": "pwd"}),
        ApprovalDecision(id=required.id, decision="approve", remember=True),
        ApprovalDecision(id=required.id, decision="reject", stop=True),
    ):
        with pytest.raises(ApprovalConflict, match="not offered"):
            desk.desk.resolve(answer, "user")
    assert desk.desk.waiting == [required.id]


async def test_approve_all_covers_what_was_on_view_only() -> None:
    desk = Desk()
    first = await desk.asked("a")
    second = await desk.asked("b")
    third = await desk.asked("c")
    answer = ApprovalDecision(id=first.id, decision="approve", scope="turn", covers=[first.id, second.id])
    desk.desk.resolve(answer, "user")
    assert desk.desk.waiting == [third.id]


async def test_remember_keeps_a_rule_for_exactly_this() -> None:
    desk = Desk()
    required = await desk.asked("ls")
    desk.desk.resolve(ApprovalDecision(id=required.id, decision="approve", remember=True), "user")
    assert [rule.label for rule in desk.kept] == ["ls"]
    assert (await desk.desk.ask(request("ls"))).by == "rule"
    await desk.asked("ls -a")


async def test_an_approval_may_expire() -> None:
    desk = Desk(timeout_s=0.02)
    await desk.asked()
    decision = await desk.answered()
    assert (decision.status, desk.events[-1]) == (
        "expired",
        ApprovalUpdated(id="a1", status="expired", by="nobody", reason="no answer within 0.02 s"),
    )


async def test_what_waits_dies_with_the_turn() -> None:
    desk = Desk()
    required = await desk.asked()
    desk.desk.cancel_all()
    assert (await desk.answered()).status == "cancelled"
    with pytest.raises(ApprovalConflict, match="already cancelled"):
        desk.desk.resolve(ApprovalDecision(id=required.id, decision="approve"), "user")
    assert (await desk.desk.ask(request())).status == "cancelled"
    with pytest.raises(UnknownApproval):
        desk.desk.resolve(PlanDecision(id=required.id, decision="approve"), "user")


async def test_an_ask_rule_beats_off() -> None:
    desk = Desk(mode="off", policy=Policy([Rule(effect="ask", tool="bash")]), audience=Nobody())
    assert (await desk.desk.ask(request())).by == "nobody"
    assert len(desk.events) == 2


@pytest.mark.parametrize(
    "args",
    [
        {"uri": "sub/../n.ipynb"},
        {"changes": {"n.ipynb": {"update": "x"}}},
        {"command": "ls", "script": "rm n.ipynb"},
        {"path": "hard.ipynb"},
    ],
)
async def test_the_open_notebook_is_known_by_any_name(args: dict[str, Any], tmp_path: Path) -> None:
    notebook = tmp_path / "n.ipynb"
    notebook.write_text("{}")
    (tmp_path / "hard.ipynb").hardlink_to(notebook)
    desk = Desk(mode="auto", workspace=tmp_path, open_notebook=notebook, audience=Nobody())
    assert (await desk.desk.ask(ApprovalRequest(tool_name="edit", args=args))).by == "nobody"


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "loop/x", "\ud800", "other/n.ipynb"])
async def test_a_path_that_is_none_is_no_notebook(path: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    deny = Policy([Rule(effect="deny", path="docs/*")])
    desk = Desk(mode="auto", workspace=tmp_path, open_notebook=tmp_path / "n.ipynb", policy=deny)
    assert (await desk.desk.ask(ApprovalRequest(tool_name="edit", args={"path": path}))).by == "mode"


async def test_only_what_was_shown_is_allowed() -> None:
    args: dict[str, Any] = {"n": float("nan"), "text": "half \ud83d", "items": (1, 2)}
    args["again"] = args
    desk = Desk(mode="auto")
    decision = await desk.desk.ask(ApprovalRequest(tool_name="bash", args=args))
    required = desk.events[0]
    assert isinstance(required, ApprovalRequired)
    assert decision.args == required.args == {"n": None, "text": "half \ufffd", "items": [1, 2], "again": "…"}


async def test_a_request_of_the_wrong_kind_waits_for_nobody() -> None:
    desk = Desk()
    with pytest.raises(AdapterProtocolError, match="wrong kind"):
        await desk.desk.ask(ApprovalRequest(tool_name=5, args={}))  # type: ignore[arg-type]
    assert not desk.desk.waiting
    assert not desk.events


async def test_a_callback_that_fails_leaves_nothing_open() -> None:
    def callback(_tool: str, _args: Any) -> bool:
        raise ZeroDivisionError

    desk = Desk(policy=Policy(callbacks=[callback]))
    with pytest.raises(ZeroDivisionError):
        await desk.desk.ask(request())
    assert not desk.desk.waiting
    assert not desk.events


async def test_an_audience_that_fails_leaves_nothing_open() -> None:
    class Broken:
        async def present(self) -> bool:
            raise TimeoutError

    desk = Desk(audience=Broken())
    with pytest.raises(TimeoutError):
        await desk.desk.ask(request())
    assert desk.events[-1] == ApprovalUpdated(id="a1", status="cancelled", by="turn")


async def test_what_is_remembered_is_what_was_allowed() -> None:
    desk = Desk()
    required = await desk.asked("rm -rf .")
    edited = ApprovalDecision(id=required.id, decision="approve", args={"command": "ls"}, remember=True)
    desk.desk.resolve(edited, "user")
    assert (await desk.answered()).args == {"command": "ls"}
    assert (await desk.desk.ask(request("ls"))).by == "rule"
    await desk.asked("rm -rf .")
    assert [rule.label for rule in desk.kept] == ["ls"]


async def test_edited_arguments_are_remembered_only_where_that_was_offered() -> None:
    desk = Desk()
    required = await desk.asked(choices=("approve", "approve_edited", "reject"))
    with pytest.raises(ApprovalConflict, match="'remember' was not offered"):
        desk.desk.resolve(ApprovalDecision(id=required.id, decision="approve", args={}, remember=True), "user")


async def test_an_answer_counts_for_all_even_when_it_cannot_be_remembered() -> None:
    def full(_rule: Rule) -> None:
        raise ConfigError("the disk is full")

    desk = Desk(remember=full)
    first = await desk.asked("a")
    await desk.asked("b")
    with pytest.raises(ConfigError, match="full"):
        desk.desk.resolve(ApprovalDecision(id=first.id, decision="approve", scope="turn", remember=True), "user")
    assert desk.desk.waiting == []


async def test_no_plan_is_put_before_anybody_after_the_end() -> None:
    desk = Desk()
    desk.desk.cancel_all()
    assert not (await desk.desk.propose("1. do")).approved
    assert desk.events == []
