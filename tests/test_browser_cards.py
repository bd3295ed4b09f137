"""Cards of questions, offered answers and queued messages, in a real page, by mouse and by keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.notebook_page import READY, NotebookPage, picture

from nbharness.state import ApprovalItem

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = Path(__file__).parent.parent / "js" / "node_modules" / "axe-core" / "axe.min.js"


def test_a_question_is_answered_with_an_option(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted question")
    band = notebook.nbh("question", cell)
    band.wait_for()
    expect(notebook.nbh("status", cell)).to_contain_text("Needs you")
    picture(notebook, "card-question")
    notebook.nbh("option", cell, READY).get_by_text("Half to even").click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "Half to even"


def test_a_question_is_answered_in_writing(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted question")
    notebook.nbh("write", cell, READY).click()
    # The field that was asked for has the cursor; in command mode, b and d d are about cells.
    notebook.page.keyboard.type("Down, b d d")
    notebook.nbh("answer", cell, READY).click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "Down, b d d"


def test_a_question_is_skipped(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted question")
    notebook.nbh("skip", cell, READY).click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "skipped"


def test_several_questions_are_answered_with_the_keyboard_alone(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted question several")
    keyboard, before = notebook.page.keyboard, notebook.cell_count()
    notebook.nbh("skip", cell, READY).wait_for()
    notebook.nbh("question", cell).focus()
    for key in ("Tab", "Space", "ArrowDown", "Tab", "Tab", "Space", "Tab", "Tab", "Space"):
        keyboard.press(key)
    expect(notebook.nbh("question", cell)).to_contain_text("2 of 2 answered")
    for key in ("Tab", "Enter"):
        keyboard.press(key)
    keyboard.type("make docs")
    picture(notebook, "card-questions")
    keyboard.press("Enter")
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "Half to even; pytest, ruff, make docs"
    assert notebook.cell_count() == before


def test_the_answers_that_an_agent_offers_are_shown_in_its_words(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted offer")
    notebook.nbh("approve", cell, READY).first.wait_for()
    picture(notebook, "card-options")
    assert notebook.nbh("approval", cell).locator("button").all_inner_texts() == [
        "Allow",
        "Always",
        "No",
        "Edit",
        "Reject with reason",
        "More",
    ]
    notebook.nbh("approve", cell, READY).get_by_text("Always").click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "always"


def test_what_an_agent_offers_answers_for_can_be_edited_or_rejected_with_a_reason(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted offer")
    notebook.nbh("edit", cell, READY).click()
    notebook.page.keyboard.type(" twice")
    notebook.nbh("approve", cell, READY).click()
    notebook.wait_ran(cell)
    other = notebook.add("%coder --agent scripted offer")
    notebook.nbh("approval", other).focus()
    notebook.page.keyboard.press("R")
    notebook.page.keyboard.type("a dry run first")
    notebook.page.keyboard.press("Enter")
    notebook.wait_ran(other)
    (edited,), (refused,) = (
        [item for item in notebook.transcript(each).items if isinstance(item, ApprovalItem)] for each in (cell, other)
    )
    assert (edited.status, edited.edited_args) == ("approved", {"command": "echo offered twice"})
    assert (refused.status, refused.reason) == ("rejected", "a dry run first")


def test_a_queued_message_is_edited_and_answered_in_the_same_turn(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted wait")
    notebook.nbh("compose", cell).click()
    field = notebook.nbh("composer", cell).locator("textarea")
    field.fill("offer")
    notebook.nbh("queue", cell, READY).click()
    queued = notebook.nbh("queued", cell)
    expect(queued).to_contain_text("Queuedoffer")
    picture(notebook, "card-queued")
    notebook.nbh("edit-queued", cell).click()
    expect(field).to_have_value("offer")
    expect(queued).to_have_count(0)
    notebook.page.keyboard.type(" again")
    notebook.nbh("queue", cell, READY).click()
    expect(queued).to_contain_text("Queuedoffer again")
    field.fill("go on")
    notebook.nbh("send", cell, READY).click()
    notebook.nbh("approve", cell, READY).first.click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "yes"


def test_a_queued_message_is_discarded(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted wait")
    notebook.nbh("compose", cell).click()
    notebook.nbh("composer", cell).locator("textarea").fill("offer")
    notebook.nbh("queue", cell, READY).click()
    notebook.nbh("withdraw", cell).click()
    expect(notebook.nbh("queued", cell)).to_have_count(0)
    notebook.nbh("composer", cell).locator("textarea").fill("go on")
    notebook.nbh("send", cell, READY).click()
    notebook.wait_ran(cell)
    assert notebook.transcript(cell).response == "go on"


def test_the_keyboard_goes_from_decision_to_decision_and_back_to_the_notebook(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --new --bg --agent scripted ask all 2", wait=True)
    keyboard = notebook.page.keyboard
    notebook.nbh("approve", cell, READY).focus()
    keyboard.press("Enter")
    expect(notebook.nbh("approval", cell)).to_contain_text("echo 1")
    # The row that the decision became has the focus, and the next one is a step away.
    notebook.page.wait_for_function("() => document.activeElement.textContent.includes('echo 0')")
    keyboard.press("Tab")
    expect(notebook.nbh("approval", cell)).to_be_focused()
    keyboard.press("Escape")
    notebook.page.wait_for_function("() => !document.activeElement.closest('[data-nbh=turn]')")
    before = notebook.cell_count()
    keyboard.press("b")
    notebook.page.wait_for_function(
        "count => window.jupyterapp.shell.currentWidget.content.widgets.length > count", arg=before
    )
    notebook.nbh("reject", cell, READY).click()
    assert notebook.transcript(cell).response == "approved rejected"


def test_cards_are_accessible_in_both_themes(notebook: NotebookPage) -> None:
    prompts = ("question", "question several", "offer", "ask all 2", "propose 1. look")
    cells = [notebook.add(f"%coder --new --bg --agent scripted {prompt}", wait=True) for prompt in prompts]
    for hook, cell in zip(("write", "write", "more", "more", "edit"), cells, strict=True):
        notebook.nbh(hook, cell, ":not([aria-disabled=true])").first.click()
    notebook.page.evaluate(AXE.read_text())
    found = {}
    for theme in ("Light", "Dark"):
        notebook.command("apputils:change-theme", theme=f"JupyterLab {theme}")
        is_light = str(theme == "Light").lower()
        notebook.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{is_light}'")
        picture(notebook, f"cards-{theme}")
        found[theme] = notebook.page.evaluate(_VIOLATIONS)
    notebook.command("apputils:change-theme", theme="JupyterLab Light")
    for cell in cells:
        notebook.nbh("stop", cell).click()
        notebook.wait_frozen(cell)
    assert found == {"Light": [], "Dark": []}


_VIOLATIONS = """async () => (await axe.run('.nbh', { resultTypes: ['violations'] })).violations.map(
  ({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])"""
