"""The notebook about the built-in agent, as a person goes through it: no key, real edits, real tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.lab import Lab
from support.notebook_page import Open, picture

from nbharness.sample.files import FAULTS, FILES
from nbharness.sample.project import fixed

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow]

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "03-default-agent.ipynb"
BEFORE, TURN, SECOND = (1, 3), 5, 7
"""Its cells of code; the agent works in the last two."""


def test_the_notebook_shows_the_agent_without_a_key(open_notebook: Open, lab: Lab) -> None:
    file = lab.root / NOTEBOOK.name
    shutil.copyfile(NOTEBOOK, file)
    page = open_notebook(file=file)
    for cell in BEFORE:
        page.run(cell)
    page.run(TURN, wait=False)
    for number, asked in enumerate(("run_tests.main()", "shop/refund.py", "run_tests.main()")):
        expect(page.nbh("approval", TURN)).to_contain_text(asked)
        picture(page, f"default-agent-{number}")
        page.approve(TURN)
    page.wait_frozen(TURN)
    picture(page, "default-agent-done")
    shop = lab.root / "shop"
    for name in FAULTS:
        assert (shop / name).read_text() == fixed(name, FILES[name])
    subprocess.run([sys.executable, "-m", "unittest"], cwd=shop, capture_output=True, check=True)
    assert "1 failed" in (page.cell(TURN).text_content() or "")
    expect(page.nbh("undo", TURN)).to_be_visible()
    page.run(SECOND)
    page.wait_frozen(SECOND)
    assert "completed" in page.text(SECOND)
    assert "ROUND_HALF_UP" in page.text(SECOND)
