"""A declared agent in a real page: it is asked about with all its files, and named while it works and afterwards."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from support.builtin import DONE, call, environment
from support.declared import reviewer
from support.notebook_page import READY, Open, picture

from nbharness.testing.fakellm import FakeLLM

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_it_is_asked_about_in_the_page_and_named_in_the_transcript(open_notebook: Open) -> None:
    steps = [call("count_lines", text="a\nb"), DONE]
    with FakeLLM({"w": steps}) as model:
        notebook = open_notebook()
        reviewer(notebook.file.parent)
        home = notebook.file.parent / "state"
        notebook.add(f"import os; os.environ.update({environment(model.url, home)!r})", wait=True)
        cell = notebook.add("%coder --agent builtin --agent-def reviewer SCRIPT:w")
        notebook.nbh("approve", cell, READY).first.wait_for()
        band = notebook.nbh("approval", cell)
        expect(band).to_contain_text("agents/reviewer/agent.py")
        expect(band).to_contain_text("You review. The password is xyzzy.")
        assert model.requests == []
        for theme in ("Dark", "Light"):
            notebook.command("apputils:change-theme", theme=f"JupyterLab {theme}")
            notebook.page.wait_for_function(f"document.body.dataset.jpThemeName === 'JupyterLab {theme}'")
            notebook.page.locator("#jupyterlab-splash").wait_for(state="detached")
            picture(notebook, f"declared-{theme.lower()}")
        notebook.nbh("approve", cell, READY).first.click()
        head = notebook.cell(cell).locator(".nbh-head")
        expect(head).to_contain_text("builtinreviewer")
        # Its tool asks like any other.
        expect(notebook.nbh("approval", cell).last).to_contain_text("Use count_lines?")
        head.evaluate("head => head.scrollIntoView({block: 'center'})")
        picture(notebook, "declared-works")
        notebook.nbh("approve", cell, READY).first.click()
        notebook.wait_ran(cell)
        notebook.wait_frozen(cell)
        assert "2 lines, call 1" in str(model.requests[-1].body)
        assert notebook.transcript(cell).definition == "reviewer"
        assert "builtin · reviewer" in " ".join(notebook.text(cell).split())
        picture(notebook, "declared-saved")
