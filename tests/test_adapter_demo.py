"""The demo agent does what it says: it asks, acts on the answer, stops at once, and remembers."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.port import Answer, Person, Question, RecordingPort, approves, rejects, run_turn

from nbharness.adapters import create_adapter
from nbharness.adapters.demo import SCENARIOS, DemoAdapter, create
from nbharness.adapters.demo.translate import Translator
from nbharness.errors import AdapterError, AdapterProcessError, ConfigError
from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    Event,
    MessageDelta,
    MessageThinking,
    MessageUser,
    Notice,
    PlanProposed,
    SessionStarted,
    TodosUpdated,
    ToolDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    Unknown,
)
from nbharness.inputs import ApprovalDecision, PlanDecision
from nbharness.sample import create_sample_project
from nbharness.sample.files import FILES
from nbharness.sample.project import fixed

TASK = "fix the failing test"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return create_sample_project(tmp_path / "shop")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "data.csv").write_text("a,b\n")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text() for file in sorted(folder.rglob("*")) if file.is_file()
    }


def edits(args: Any) -> Person:
    """A person who approves of other arguments."""

    def person(question: Question) -> ApprovalDecision | PlanDecision:
        assert isinstance(question, ApprovalRequired)
        return ApprovalDecision(id=question.id, decision="approve", args=args)

    return person


async def test_it_finds_the_fault_asks_fixes_and_proves_it(shop: Path) -> None:
    port = await run_turn(DemoAdapter(0), shop, TASK)
    assert contents(shop) == {name: fixed(name, text) for name, text in FILES.items()}
    proof = await asyncio.create_subprocess_exec(sys.executable, "-B", "-m", "unittest", "-q", cwd=shop)
    assert await proof.wait() == 0

    asked = port.the(ApprovalRequired)
    assert asked.tool_name == "apply_patch"
    assert isinstance(asked.diffs, list)
    assert [diff.path for diff in asked.diffs] == ["shop/cart.py", "shop/refund.py"]
    ends = port.all(ToolEnd)
    assert [(end.name, end.exit_code) for end in ends if end.name == "shell"] == [("shell", n) for n in (0, 1, 0)]
    (patch,) = [end for end in ends if end.name == "apply_patch"]
    assert patch.diffs == asked.diffs
    assert [[todo.status for todo in event.todos] for event in port.all(TodosUpdated)][-1] == ["completed"] * 4


async def test_what_it_shows_is_real(shop: Path) -> None:
    (shop / "a file of mine").write_text("")
    port = await run_turn(DemoAdapter(0), shop, TASK)
    listing, first_run = ("".join(d.partial for d in port.all(ToolDelta) if d.id == id_) for id_ in ("t1", "t3"))
    assert "a file of mine\n" in listing
    assert "\r\x1b[31m" in first_run
    assert "1 failed" in first_run
    (read,) = [end for end in port.all(ToolEnd) if end.name == "read"]
    assert read.output == FILES["README.md"]


async def test_markdown_arrives_in_words(shop: Path) -> None:
    port = await run_turn(DemoAdapter(0), shop, TASK)
    for mark in ("## Fixed", "- `shop/cart.py`", "```python", "| amount | before | now |"):
        assert mark in port.text
    completed = port.the(TurnCompleted)
    assert completed.response
    assert port.text.endswith(completed.response)


@pytest.mark.parametrize(("person", "words"), [(rejects, "You rejected the patch"), (None, "Nobody could approve")])
async def test_without_approval_nothing_changes_and_it_says_so(shop: Path, person: Person | None, words: str) -> None:
    port = await run_turn(DemoAdapter(0), shop, TASK, person=person)
    assert contents(shop) == FILES
    answer = str(port.the(TurnCompleted).response)
    assert words in answer
    assert f"> {port.the(ApprovalUpdated).reason}" in answer
    (patch,) = [end for end in port.all(ToolEnd) if end.name == "apply_patch"]
    assert patch.is_error


@pytest.mark.parametrize("mode", ["auto", "off"])
async def test_other_modes_do_not_wait(shop: Path, mode: Any) -> None:
    port = await run_turn(DemoAdapter(0), shop, TASK, person=None, approval_mode=mode)
    assert contents(shop) != FILES
    assert len(port.all(ApprovalRequired)) == (1 if mode == "auto" else 0)


async def test_edited_patch_is_what_is_applied(shop: Path) -> None:
    patch = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@\n-        return round(amount, 2)\n+        return amount\n"
    port = await run_turn(DemoAdapter(0), shop, TASK, person=once(edits({"paths": ["shop/cart.py"], "patch": patch})))
    expected = FILES["shop/cart.py"].replace("round(amount, 2)", "amount")
    assert contents(shop) == FILES | {"shop/cart.py": expected}
    (end,) = [end for end in port.all(ToolEnd) if end.name == "apply_patch"]
    assert isinstance(end.diffs, list)
    assert [(diff.path, diff.added, diff.removed) for diff in end.diffs] == [("shop/cart.py", 1, 1)]
    assert "Changed, but not fixed" in port.text
    assert len(port.all(ApprovalRequired)) == 2, "tests of code that we do not know are asked for"


def once(first: Person) -> Person:
    """A person who answers the first question so and approves of the others."""
    answers = iter([first])
    return lambda question: next(answers, approves)(question)  # noqa: PLW0108 (each call takes the next)


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({"paths": ["../x"], "patch": "--- /dev/null\n+++ b/../x\n@@\n+x\n"}, "../x lies outside the workspace"),
        ({"paths": ["/x"], "patch": "--- /dev/null\n+++ b//x\n@@\n+x\n"}, "/x lies outside the workspace"),
        ({"paths": ["a"], "patch": "--- /dev/null\n+++ b/b\n@@\n+x\n"}, "changes b, which is not among paths: a"),
        ({"paths": [], "patch": "hello"}, "there is no change to a file"),
        ({"patch": 5}, "the arguments must be {paths, patch}"),
    ],
)
async def test_edited_patch_that_cannot_be_applied_changes_nothing(
    shop: Path, args: dict[str, Any], problem: str
) -> None:
    port = await run_turn(DemoAdapter(0), shop, TASK, person=edits(args))
    assert contents(shop.parent) == {f"shop/{name}": text for name, text in FILES.items()} | contents_of_home(shop)
    assert problem in str(port.the(TurnCompleted).response)


def contents_of_home(shop: Path) -> dict[str, str]:
    return {f"home/{name}": text for name, text in contents(shop.parent / "home").items()}


async def test_edited_plan_is_followed(shop: Path) -> None:
    def person(question: Question) -> Answer:
        if isinstance(question, PlanProposed):
            assert question.plan.startswith("1. Round half up in `shop/cart.py`\n2. ")
            plan = "- only `shop/cart.py` please\n- then paint it blue"
            return PlanDecision(id=str(question.id), decision="approve", plan=plan)
        return approves(question)

    port = await run_turn(DemoAdapter(0), shop, TASK, person=person, plan_mode=True)
    assert contents(shop) == FILES | {"shop/cart.py": fixed("shop/cart.py", FILES["shop/cart.py"])}
    assert "This I cannot do, I am only a script:\n\n- then paint it blue" in port.text
    assert "I did not run the tests" in port.text


async def test_rejected_plan_ends_the_turn(shop: Path) -> None:
    port = await run_turn(DemoAdapter(0), shop, TASK, person=rejects, plan_mode=True)
    assert contents(shop) == FILES
    assert "You rejected the plan.\n\n> not today" in str(port.the(TurnCompleted).response)
    assert not port.all(ApprovalRequired)


async def test_messages_on_the_way_are_answered(shop: Path) -> None:
    port = await run_turn(DemoAdapter(0), shop, TASK, messages=["also the changelog", "two\nlines"])
    assert [event.text for event in port.all(MessageUser)] == ["also the changelog", "two\nlines"]
    assert "You added:\n\n> also the changelog" in port.text
    assert "> two\n> lines" in port.text
    assert str(port.the(TurnCompleted).response).startswith("## Fixed"), "an aside is not the answer"


@pytest.mark.parametrize("at", [SessionStarted, MessageThinking, TodosUpdated, ToolStart, ToolDelta, ApprovalRequired])
async def test_abort_at_any_step_stops_at_once(shop: Path, at: type[Event]) -> None:
    others = children()
    port = await aborted_at(at, shop, TASK)
    assert isinstance(port[-1], at)
    assert contents(shop) == FILES
    assert children() <= others


@pytest.mark.parametrize(
    ("scenario", "at"),
    [("long output", ToolDelta), ("many approvals", ApprovalRequired), ("slow stream", MessageDelta)],
)
async def test_abort_in_a_scenario_stops_at_once(shop: Path, scenario: str, at: type[Event]) -> None:
    others = children()
    await aborted_at(at, shop, f"scenario: {scenario}")
    assert children() <= others


async def aborted_at(at: type[Event], workspace: Path, task: str) -> list[Event | Unknown]:
    """Cancel the turn at its first event of a kind; return what it said until then."""
    this = asyncio.current_task()
    assert this is not None
    seen: list[Event | Unknown] = []

    def stop_here(event: Event | Unknown) -> None:
        if not this.cancelling():
            seen.append(event)
        if isinstance(event, at) and not this.cancelling():
            this.cancel()

    with pytest.raises(asyncio.CancelledError):
        await run_turn(DemoAdapter(5), workspace, task, person=lambda _question: None, on_event=stop_here)
    this.uncancel()
    return seen


def children() -> set[str]:
    return {pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}


async def test_next_turn_knows_the_last(shop: Path) -> None:
    adapter = DemoAdapter(0)
    session = await adapter.open_session(shop)
    first = await run_turn(adapter, shop, TASK, session=session)
    second = await run_turn(adapter, shop, "and now?", session=session)
    assert "Welcome back" not in first.text
    assert "Earlier in this session I changed `shop/cart.py` and `shop/refund.py`" in second.text
    assert first.the(SessionStarted).session_id == second.the(SessionStarted).session_id == session.session_id
    assert contents(shop)["NOTES.md"] == "- Asked: and now?\n"


async def test_session_is_taken_up_again_by_its_id(shop: Path, home: Path) -> None:
    first = await run_turn(DemoAdapter(0), shop, TASK, person=rejects)
    id_ = first.the(SessionStarted).session_id
    session = await DemoAdapter(0).open_session(shop, id_)
    second = await run_turn(DemoAdapter(0), shop, TASK, session=session)
    assert "I wanted to round half a cent up, and nothing was changed" in second.text
    (kept,) = (home / "demo-sessions").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert TASK not in kept.read_text(), "what the user said is not kept"


@pytest.mark.parametrize("id_", ["demo-00000000", "../../etc/passwd", ""])
async def test_unknown_session_is_an_error_that_names_it(shop: Path, id_: str) -> None:
    with pytest.raises(AdapterError, match=f"no session {id_!r}"):
        await DemoAdapter(0).open_session(shop, id_)


async def test_session_that_cannot_be_kept_is_told(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBHARNESS_HOME", str(shop / "README.md"))
    port = await run_turn(DemoAdapter(0), shop, TASK)
    assert "cannot be taken up again" in port.the(Notice).message
    assert port.all(TurnCompleted)


async def test_anywhere_else_it_leaves_one_line_and_touches_nothing(elsewhere: Path) -> None:
    before = contents(elsewhere)
    port = await run_turn(DemoAdapter(0), elsewhere, "explain\x07 `this` | thing\nplease")
    assert contents(elsewhere) == before | {"NOTES.md": "- Asked: explain `this` | thing please\n"}
    await run_turn(DemoAdapter(0), elsewhere, "x" * 200)
    assert contents(elsewhere)["NOTES.md"].splitlines()[1] == f"- Asked: {'x' * 80}…"
    assert "- Asked: explain" in "".join(delta.partial for delta in port.all(ToolDelta))


async def test_notes_without_a_last_newline_keep_every_byte(elsewhere: Path) -> None:
    (elsewhere / "NOTES.md").write_bytes(b"one\r\ntwo")
    await run_turn(DemoAdapter(0), elsewhere, "hello")
    assert (elsewhere / "NOTES.md").read_bytes() == b"one\r\ntwo\r\n- Asked: hello\r\n"


async def test_hostile_workspace_is_not_followed_outside(elsewhere: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("token")
    (elsewhere / "NOTES.md").symlink_to(secret)
    (elsewhere / "README.md").symlink_to(secret)
    port = await run_turn(DemoAdapter(0), elsewhere, "hello")
    assert secret.read_text() == "token"
    assert "token" not in "".join(map(str, port.events))
    assert "NOTES.md lies outside the workspace" in str(port.the(TurnCompleted).response)


async def test_named_pipe_does_not_hang(elsewhere: Path) -> None:
    os.mkfifo(elsewhere / "NOTES.md")
    os.mkfifo(elsewhere / "README.md")
    port = await asyncio.wait_for(run_turn(DemoAdapter(0), elsewhere, "hello"), 20)
    assert "NOTES.md is not a regular file" in str(port.the(TurnCompleted).response)


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name != "crash"])
async def test_every_scenario_comes_to_an_end(shop: Path, name: str) -> None:
    counts = {"long output": 50, "many tools": 4, "slow stream": 2}
    port = await run_turn(DemoAdapter(0), shop, f"Scenario: {name} {counts.get(name, '')}")
    assert isinstance(port.events[-1], TurnFailed if name in {"failure", "rate limited"} else TurnCompleted)
    assert contents(shop) == FILES


async def test_help_lists_every_scenario(shop: Path) -> None:
    port = await run_turn(DemoAdapter(0), shop, "scenario: help")
    assert all(f"`scenario: {name}`" in port.text for name in SCENARIOS)


async def test_unknown_scenario_names_the_valid_ones(shop: Path) -> None:
    failed = (await run_turn(DemoAdapter(0), shop, "scenario: sunshine\nand rain")).the(TurnFailed)
    assert failed.error == f"unknown scenario: 'sunshine'. Valid: {', '.join(SCENARIOS)}"


async def test_many_approvals_wait_together(shop: Path) -> None:
    waiting: list[Question] = []
    port: RecordingPort | None = None

    def person(question: Question) -> ApprovalDecision | None:
        waiting.append(question)
        if len(waiting) < 4:
            return None
        return ApprovalDecision(id=str(question.id), decision="approve", scope="turn")

    port = await run_turn(DemoAdapter(0), shop, "scenario: many approvals 4", person=person)
    assert port.the(TurnCompleted).response == "4 of 4 ran, 0 did not."


async def test_crash_is_an_agent_that_died(shop: Path) -> None:
    with pytest.raises(AdapterProcessError, match="Segmentation fault") as caught:
        await run_turn(DemoAdapter(0), shop, "scenario: crash 139")
    assert caught.value.exit_code == 139


async def test_messages_that_cannot_be_read_stay_in_the_turn(shop: Path) -> None:
    port = await run_turn(DemoAdapter(0), shop, "scenario: malformed event")
    assert [event.type for event in port.all(Unknown)] == ["session.compacted", "text", ""]


@pytest.mark.parametrize("said", [None, 5, [], {}, {"kind": []}, {"kind": "result", "id": 1}, {"kind": "call"}])
def test_translator_takes_anything(said: object) -> None:
    (event,) = Translator().translate(said)
    assert isinstance(event, Unknown)
    assert event.raw == said


def test_a_result_without_a_call_has_no_name() -> None:
    (event,) = Translator().translate(msgspec.json.decode(b'{"kind": "result", "id": "x", "ok": true, "ms": 1}'))
    assert event == ToolEnd(id="x", name="", output=None, is_error=False, duration_ms=1)


@pytest.mark.parametrize("value", ["soon", "-1", "nan", "1e9"])
async def test_pace_is_checked(shop: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("NBHARNESS_DEMO_DELAY_MS", value)
    with pytest.raises(ConfigError, match=f"NBHARNESS_DEMO_DELAY_MS: '{value}' is not valid. Valid: milliseconds"):
        create()
    with pytest.raises(ConfigError, match="delay_ms"):
        await run_turn(DemoAdapter(0), shop, TASK, options={"delay_ms": value})


def test_it_is_found_by_name() -> None:
    assert isinstance(create_adapter("demo"), DemoAdapter)
