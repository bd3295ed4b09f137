"""A settled turn is taken back and done again with a button, also on the transcript it left and after a reload."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.notebook_page import NotebookPage, Open, picture

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow]

_IDLE = '[aria-disabled="false"]'


def changed(page: NotebookPage, text: str = "new") -> tuple[Path, int]:
    """Let a turn change a file, and return the file and the cell."""
    file = page.lab.root / f"{page.file.stem}.txt"
    file.write_text("old")
    cell = page.add(f"%coder --agent scripted write {file.name} {text}", wait=True)
    page.wait_frozen(cell)
    return file, cell


def press(page: NotebookPage, cell: int, label: str, then: str) -> str:
    """Press the button and return what the line below says once it begins with a word."""
    button = page.nbh("undo", cell, _IDLE)
    expect(button).to_have_text(label)
    button.click()
    line = page.nbh("undone", cell)
    expect(line).to_contain_text(then)
    return line.inner_text()


def test_a_turn_is_undone_and_redone(notebook: NotebookPage) -> None:
    unchanged = notebook.add("%coder --agent scripted ask 0", wait=True)
    file, cell = changed(notebook)
    assert file.read_text() == "new"
    expect(notebook.nbh("undo", cell)).to_be_visible()
    picture(notebook, "undo-offered")
    press(notebook, cell, "Undo", "Undone")
    assert file.read_text() == "old"
    picture(notebook, "undo-undone")
    assert "data-nbh" not in json.dumps(notebook.save())
    press(notebook, cell, "Redo", "Redone")
    assert file.read_text() == "new"
    expect(notebook.nbh("undo", unchanged)).to_have_count(0)


def test_a_file_that_changed_since_is_not_touched(notebook: NotebookPage) -> None:
    file, cell = changed(notebook)
    file.write_text("mine")
    assert file.name in press(notebook, cell, "Undo", "Not undone")
    picture(notebook, "undo-conflict")
    assert file.read_text() == "mine"
    file.write_text("new")
    press(notebook, cell, "Undo", "Undone")
    assert file.read_text() == "old"


def test_after_a_reload_and_after_a_restart(open_notebook: Open) -> None:
    page = open_notebook()
    file, cell = changed(page)
    press(page, cell, "Undo", "Undone")
    page.save()
    page.reload()
    expect(page.nbh("undone", cell)).to_contain_text("Undone")
    press(page, cell, "Redo", "Redone")
    assert file.read_text() == "new"
    page.lab.call(f"api/kernels/{page.kernel_id}/restart", "POST")
    page.run(0)
    assert "restarted" in press(page, cell, "Undo", "Not undone")
    assert file.read_text() == "new"
