"""What the page does when its kernel is flooded, killed or restarted, and when an output is gone."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import expect
from support.notebook_page import Open

from nbharness.state import MessageItem

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DELTAS = 20_000
PER_SECOND = 4_000
GONE_WITHIN_MS = 30_000


def test_a_flood_of_deltas_arrives_whole(open_notebook: Open) -> None:
    page = open_notebook()
    cell = page.add(f"%coder --agent scripted stream {DELTAS} 4 {PER_SECOND} ask")
    page.nbh("approve", cell).wait_for(timeout=60_000)
    expected = "".join(f"{index:04d}"[-4:] for index in range(DELTAS))
    assert page.nbh("message", cell).inner_text().strip() == expected
    page.approve(cell)
    page.wait_ran(cell)
    kept = [item.text for item in page.transcript(cell).items if isinstance(item, MessageItem)]
    assert expected.startswith(kept[0][:1000])


def test_a_killed_kernel_is_said_and_nothing_can_be_answered(open_notebook: Open) -> None:
    page = open_notebook()
    asks_pid = page.add("import os; print(os.getpid())", wait=True)
    pid = int(page.text(asks_pid))
    cell = page.add("%coder --bg --agent scripted ask", wait=True)
    page.nbh("approve", cell).wait_for()
    os.kill(pid, signal.SIGKILL)
    expect(page.nbh("status", cell)).to_contain_text("Kernel gone", timeout=GONE_WITHIN_MS)
    expect(page.nbh("approve", cell)).to_be_disabled()


def test_a_cleared_output_is_shown_again_by_attach(open_notebook: Open) -> None:
    page = open_notebook()
    cell = page.add("%coder --bg --agent scripted ask", wait=True)
    page.nbh("approve", cell).wait_for()
    page.select(cell)
    page.command("notebook:clear-cell-output")
    expect(page.nbh("turn", cell)).to_have_count(0)
    attached = page.add("%coder --attach")
    page.approve(attached)
    page.wait_ran(attached)
    assert page.transcript(attached).response == "approved"
