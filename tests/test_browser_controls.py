"""What a person can do with a turn in the page, by mouse and by keyboard, and what its answers come to."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect
from support.notebook_page import READY, NotebookPage

from nbharness.state import ApprovalItem, MessageItem, ToolItem, TurnState

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def asks(turn: TurnState) -> list[ApprovalItem]:
    return [item for item in turn.items if isinstance(item, ApprovalItem)]


def test_reject_with_a_reason(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted ask")
    notebook.nbh("reason", cell).click()
    # The field that was asked for has the cursor.
    notebook.page.keyboard.type("use a dry run, b")
    notebook.page.keyboard.press("Enter")
    notebook.wait_ran(cell)
    turn = notebook.transcript(cell)
    assert [(ask.status, ask.by, ask.reason) for ask in asks(turn)] == [("rejected", "user", "use a dry run, b")]
    assert turn.response == "rejected"


def test_approve_edited_arguments(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted ask")
    notebook.nbh("edit", cell).click()
    field = notebook.cell(cell).get_by_label("Command, edited")
    assert field.input_value() == "echo 0"
    field.fill("echo changed")
    button = notebook.nbh("approve", cell, READY)
    assert button.inner_text() == "Approve edited"
    button.click()
    notebook.wait_ran(cell)
    turn = notebook.transcript(cell)
    assert [(ask.edited, ask.edited_args) for ask in asks(turn)] == [(True, {"command": "echo changed"})]
    assert [item.output for item in turn.items if isinstance(item, ToolItem)] == ["echo changed"]


def test_an_edit_can_be_discarded(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted ask")
    notebook.nbh("edit", cell).click()
    notebook.cell(cell).get_by_label("Command, edited").fill("echo changed")
    notebook.cell(cell).get_by_text("Discard edit").click()
    notebook.approve(cell)
    notebook.wait_ran(cell)
    assert [ask.edited for ask in asks(notebook.transcript(cell))] == [False]


def test_reject_and_stop(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted ask 2")
    notebook.nbh("more", cell).click()
    notebook.nbh("reject-stop", cell).click()
    notebook.wait_ran(cell)
    turn = notebook.transcript(cell)
    assert (turn.status, turn.code, [ask.status for ask in asks(turn)]) == ("aborted", "aborted", ["rejected"])


def test_approve_all_that_wait(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted ask all 3")
    expect(notebook.nbh("approval-waiting", cell)).to_have_count(2)
    notebook.nbh("more", cell).click()
    notebook.nbh("approve-all", cell, READY).click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "approved approved approved"


def test_stop(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted wait")
    notebook.nbh("message", cell).get_by_text("waiting").wait_for()
    notebook.nbh("stop", cell).click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).status == "aborted"
    assert "Stopped" in notebook.text(cell)


def test_a_message_while_it_works(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted wait")
    notebook.nbh("compose", cell).click()
    notebook.page.keyboard.type("mind the gap, dd")
    notebook.page.keyboard.press("Enter")
    notebook.wait_ran(cell)
    turn = notebook.transcript(cell)
    assert turn.response == "mind the gap, dd"
    assert ("user", "mind the gap, dd") in [(m.role, m.text) for m in turn.items if isinstance(m, MessageItem)]


def test_a_plan_is_approved_as_it_was_edited(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted propose 1. look 2. leap")
    notebook.nbh("plan", cell).wait_for()
    notebook.nbh("edit", cell).click()
    notebook.cell(cell).get_by_label("Plan, edited").fill("1. look twice")
    notebook.nbh("approve", cell, READY).click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "approved: 1. look twice"


def test_the_keys_of_the_band_work_in_the_band_only(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted ask 2")
    notebook.nbh("approve", cell, READY).wait_for()
    before = notebook.cell_count()
    for place in ("stop", "approval"):
        notebook.nbh(place, cell).focus()
        for key in ("b", "j", "m", "x", "d", "d"):
            notebook.page.keyboard.press(key)
    notebook.page.keyboard.press("Shift+Enter")
    notebook.nbh("stop", cell).focus()
    notebook.page.keyboard.press("a")
    notebook.page.keyboard.press("r")
    expect(notebook.nbh("approval", cell)).to_contain_text("echo 0")
    notebook.nbh("approval", cell).focus()
    notebook.page.keyboard.press("a")
    expect(notebook.nbh("approval", cell)).to_contain_text("echo 1")
    # The focus stays in the turn, so that the next key is not one for the notebook.
    assert notebook.page.evaluate("() => document.activeElement.closest('[data-nbh=turn]') !== null")
    notebook.nbh("approval", cell).focus()
    notebook.page.keyboard.press("r")
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "approved rejected"
    assert notebook.cell_count() == before


def test_a_click_meant_for_what_stood_there_before_approves_nothing(notebook: NotebookPage) -> None:
    notebook.page.evaluate(_CLICK_AT_ONCE)
    cell = notebook.add("%coder --agent scripted ask")
    notebook.nbh("approve", cell, READY).wait_for()
    assert notebook.page.evaluate("() => window.clickedAtOnce") == 1
    expect(notebook.nbh("approval", cell)).to_contain_text("echo 0")
    assert notebook.is_running(cell)
    notebook.approve(cell)
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "approved"


_CLICK_AT_ONCE = """() => {
  window.clickedAtOnce = 0;
  new MutationObserver((_, observer) => {
    const button = document.querySelector('[data-nbh="approve"]');
    if (!button) return;
    observer.disconnect();
    button.click();
    window.clickedAtOnce += 1;
  }).observe(document.body, { childList: true, subtree: true });
}"""


def test_the_focus_is_never_taken(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --bg --agent scripted later go.txt", wait=True)
    notebook.nbh("message", cell).get_by_text("waiting for go.txt").wait_for()
    other = notebook.append("")
    notebook.cell(other).locator(".cm-content").click()
    notebook.page.keyboard.type("before ")
    (notebook.lab.root / "go.txt").touch()
    notebook.nbh("approve", cell, READY).wait_for()
    notebook.page.keyboard.type("after a r")
    expect(notebook.cell(other).locator(".cm-content")).to_have_text("before after a r")
    notebook.approve(cell)
    notebook.wait_frozen(cell)


def test_two_turns_at_once(notebook: NotebookPage) -> None:
    first, second = (notebook.add("%coder --new --bg --agent scripted ask", wait=True) for _ in range(2))
    notebook.nbh("approve", first).wait_for()
    notebook.approve(second)
    assert notebook.transcript(second).response == "approved"
    expect(notebook.nbh("approval", first)).to_contain_text("echo 0")
    notebook.nbh("reject", first).click()
    assert notebook.transcript(first).response == "rejected"


def test_the_theme_may_change_meanwhile(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --bg --agent scripted ask", wait=True)
    notebook.nbh("approval", cell).wait_for()
    light = _luminance(notebook, cell)
    notebook.command("apputils:change-theme", theme="JupyterLab Dark")
    notebook.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    dark = _luminance(notebook, cell)
    notebook.command("apputils:change-theme", theme="JupyterLab Light")
    notebook.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'true'")
    assert (light["ground"] > 0.8, light["text"] < 0.3) == (True, True)
    assert (dark["ground"] < 0.2, dark["text"] > 0.7) == (True, True)
    notebook.approve(cell)
    notebook.wait_frozen(cell)


def _luminance(notebook: NotebookPage, cell: int) -> Any:
    return notebook.nbh("turn", cell).evaluate(
        """node => {
          const light = colour => {
            const context = new OffscreenCanvas(1, 1).getContext('2d');
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
            const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
            return (r + g + b) / 765;
          };
          const style = getComputedStyle(node);
          return { ground: light(style.backgroundColor), text: light(style.color) };
        }"""
    )
