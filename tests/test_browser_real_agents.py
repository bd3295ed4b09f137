"""Claude Code, Codex and Copilot in cells of a real JupyterLab: the programs themselves, on a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect
from support.acp import claude_environment, copilot_environment
from support.codex_home import KEY, set_up_home
from support.lab import Lab, start_lab
from support.notebook_page import READY, NotebookPage, picture
from support.processes import survivors

from nbharness.process.supervisor import descendants
from nbharness.state import ToolItem, TurnState
from nbharness.testing.fakellm import Call, FakeLLM, Reply

pytestmark = [pytest.mark.agents, pytest.mark.browser, pytest.mark.slow]


class Words(NamedTuple):
    """How one agent names what it does."""

    write: Call
    run: Call
    edit: Call
    wait: Call


def words(agent: str, root: Path) -> Words:
    """Return the calls with which an agent writes, runs, edits and waits; each asks first."""
    file = str(root / f"{agent}.txt")
    run = f"touch {agent}-ran"
    wait = f"touch {agent}-waits && python3 -c 'import time; time.sleep(100)'"
    match agent:
        case "claude":
            return Words(
                write=Call(tool="Write", args={"file_path": file, "content": "one\ntwo\n"}),
                run=Call(tool="Bash", args={"command": run, "description": "Leave a mark"}),
                edit=Call(tool="Edit", args={"file_path": file, "old_string": "two", "new_string": "three"}),
                wait=Call(tool="Bash", args={"command": wait, "description": "Wait"}),
            )
        case "codex":
            asking = {"sandbox_permissions": "require_escalated", "justification": "It leaves a mark"}
            patch = "*** Begin Patch\n*** {} File: codex.txt\n{}\n*** End Patch\n"
            return Words(
                write=Call(tool="apply_patch", args=patch.format("Add", "+one\n+two")),
                run=Call(tool="exec_command", args={"cmd": run, **asking}),
                edit=Call(tool="apply_patch", args=patch.format("Update", "@@\n one\n-two\n+three")),
                wait=Call(tool="exec_command", args={"cmd": wait, "yield_time_ms": 30_000, **asking}),
            )
        case _:
            return Words(
                write=Call(tool="create", args={"path": file, "file_text": "one\ntwo\n"}),
                run=Call(tool="bash", args={"command": run, "description": "Leave a mark"}),
                edit=Call(tool="edit", args={"path": file, "old_str": "two", "new_str": "three"}),
                wait=Call(tool="bash", args={"command": wait, "description": "Wait"}),
            )


AGENTS = ("claude", "codex", "copilot")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agents")


@pytest.fixture(scope="module")
def model() -> Iterator[FakeLLM]:
    with FakeLLM({}) as serving:
        yield serving


@pytest.fixture(scope="module")
def lab(place: Path, model: FakeLLM) -> Iterator[Lab]:
    """A Jupyter server whose kernels know the agents' homes and their keys."""
    home = place / "home"
    home.mkdir()
    set_up_home(place / "codex", model.url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODEX_HOME", str(place / "codex"))
        patch.setenv(KEY, "sk-not-a-key-0123456789-codex")
        for variables in (copilot_environment(model.url, home), claude_environment(model.url, home)):
            for name, value in variables.items():
                patch.setenv(name, value)
        with start_lab(place / "server") as started:
            for agent in AGENTS:
                calls = words(agent, started.root)
                model.scripts |= {
                    f"{agent}-write": [Reply(text="I write it. ", calls=[calls.write]), Reply(text="Written.")],
                    f"{agent}-run": [Reply(calls=[calls.run]), Reply(text="It is as you decided.")],
                    f"{agent}-edit": [Reply(calls=[calls.edit]), Reply(text="Edited.")],
                    f"{agent}-wait": [Reply(calls=[calls.wait]), Reply(text="Never said.")],
                    f"{agent}-on": [Reply(text="I remember.")],
                }
            yield started


@pytest.fixture
def page(lab: Lab, browser: Browser, request: pytest.FixtureRequest) -> Iterator[NotebookPage]:
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    opened = NotebookPage(lab, context.new_page(), lab.notebook(["%load_ext nbharness"], "python3"))
    opened.open()
    opened.run(0)
    yield opened
    picture(opened, request.node.name)
    assert opened.errors == []
    opened.close()
    context.close()


def tell(page: NotebookPage, agent: str, script: str, *decisions: str, options: str = "") -> TurnState:
    """Run a turn in a cell, decide each approval with a click, and return its transcript."""
    cell = page.add(f"%coder --agent {agent} {options} please SCRIPT:{agent}-{script}")
    for decision in decisions:
        page.nbh(decision, cell, READY).first.click()
    page.wait_ran(cell)
    return page.transcript(cell)


def tools(turn: TurnState) -> list[ToolItem]:
    return [item for item in turn.items if isinstance(item, ToolItem)]


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_works_in_cells(page: NotebookPage, lab: Lab, model: FakeLLM, agent: str) -> None:
    file, mark = lab.root / f"{agent}.txt", lab.root / f"{agent}-ran"

    written = tell(page, agent, "write", "approve")
    assert (written.status, written.response) == ("completed", "Written.")
    assert file.read_text() == "one\ntwo\n"
    assert [tool.status for tool in tools(written)] == ["ok"]
    assert written.usage is not None

    refused = tell(page, agent, "run", "reject")
    assert not mark.exists()
    assert refused.session_id == written.session_id

    ran = tell(page, agent, "run", "approve")
    assert ran.status == "completed"
    assert mark.exists()

    edited = tell(page, agent, "edit", "approve")
    assert file.read_text() == "one\nthree\n"
    (edit,) = tools(edited)
    assert "+three" in "".join(diff.patch for diff in edit.diffs)

    stops(page, lab, agent)

    page.command("kernelmenu:restart")
    page.page.get_by_role("button", name="Confirm Kernel Restart").click()
    page.wait_idle()
    page.run(0)
    resumed = tell(page, agent, "on", options="--continue")
    assert (resumed.response, resumed.session_id) == ("I remember.", written.session_id)
    assert f"SCRIPT:{agent}-write" in str(model.requests[-1].body)


def stops(page: NotebookPage, lab: Lab, agent: str) -> None:
    """Start a command that would run for long, press Stop, and see that nothing of it is left."""
    cell = page.add(f"%coder --agent {agent} please SCRIPT:{agent}-wait")
    page.nbh("approve", cell, READY).first.click()
    waits = lab.root / f"{agent}-waits"
    expect(page.nbh("status", cell)).to_contain_text("Working")
    while not waits.exists() or not (sleeping := [pid for pid in all_below(lab) if is_asleep(pid)]):
        page.page.wait_for_timeout(50)
    page.nbh("stop", cell).click()
    page.wait_ran(cell)
    assert page.transcript(cell).status == "aborted"
    assert survivors(sleeping, 10) == []


def all_below(lab: Lab) -> list[int]:
    return descendants(lab.pid)


def is_asleep(pid: int) -> bool:
    try:
        return b"time.sleep(100)" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
