"""Pages come and go while a turn runs: it goes on, its view comes back, and nothing is lost or doubled."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from support.notebook_page import Open

from nbharness.state import MessageItem, TurnState, fold_all

pytestmark = [pytest.mark.browser, pytest.mark.kernel, pytest.mark.slow]

BACK_WITHIN_MS = 10_000
"""How long after an approval was asked the view of a reloaded page may take to be back."""


@pytest.mark.parametrize(
    ("app", "kernel"), [("lab", "nbh-k6"), ("lab", "nbh-k73"), ("lab", "python3"), ("notebook", "python3")]
)
def test_a_saved_notebook_reloaded_while_its_cell_waits(open_notebook: Open, app: str, kernel: str) -> None:
    page = open_notebook(kernel, app)
    cell = page.add(f"%coder --agent scripted later {page.file.stem}.txt")
    page.nbh("message", cell).get_by_text("waiting for").wait_for()
    page.save()
    page.reload()
    (page.lab.root / f"{page.file.stem}.txt").touch()
    page.nbh("approve", cell).wait_for(timeout=BACK_WITHIN_MS)
    expect(page.nbh("status", cell)).to_contain_text("Runs without this cell")
    page.approve(cell)
    expect(page.nbh("status", cell)).to_contain_text("Done")
    events = page.stored(cell)
    assert [event.seq for event in events] == list(range(len(events)))
    told = fold_all(events)
    assert page.nbh("message", cell).all_inner_texts() == said(told)
    page.save()
    page.reload()
    saved = page.transcript(cell)
    assert (said(saved), saved.response) == (said(told), "approved")


def said(turn: TurnState) -> list[str]:
    return [item.text for item in turn.items if isinstance(item, MessageItem)]


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_view_that_jupyterlab_gave_up_for_lost(open_notebook: Open, app: str) -> None:
    page = open_notebook(app=app)
    cell = page.add("%coder --bg --agent scripted ask", wait=True)
    page.nbh("approve", cell).wait_for()
    page.save()
    page.page.add_init_script(_SEARCH_WITHOUT_A_LAST_LOOK)
    with page.page.expect_console_message(lambda message: "widget model not found" in message.text):
        page.reload()
    page.approve(cell)
    expect(page.nbh("status", cell)).to_contain_text("Done")
    expect(page.nbh("turn", cell)).to_have_count(1)


# JupyterLab looks for an output's model for 2 s, every 100 ms, but not again after the last pause. A pause that takes
# longer than the whole search makes every model come in it.
_SEARCH_WITHOUT_A_LAST_LOOK = """
  const pause = window.setTimeout;
  window.setTimeout = (then, ms, ...rest) =>
    pause(then, ms === 100 && new Error().stack.includes('get_model') ? 2100 : ms, ...rest);
"""


def test_a_notebook_that_was_never_saved(open_notebook: Open) -> None:
    page = open_notebook()
    cell = page.add("%coder --agent scripted ask")
    page.nbh("approve", cell).wait_for()
    page.reload()
    attached = page.add("%coder --attach")
    page.approve(attached)
    page.wait_ran(attached)
    assert page.transcript(attached).response == "approved"


def test_a_page_closed_during_a_background_turn(open_notebook: Open) -> None:
    page = open_notebook()
    cell = page.add("%coder --bg --agent scripted ask", wait=True)
    page.nbh("approve", cell).wait_for()
    page.save()
    page.page.close()
    again = open_notebook(file=page.file)
    again.approve(cell)
    expect(again.nbh("status", cell)).to_contain_text("Done")
    assert fold_all(again.stored(cell)).response == "approved"


def test_of_two_tabs_the_first_answer_counts_and_the_other_is_told(open_notebook: Open) -> None:
    one = open_notebook()
    cell = one.add("%coder --bg --agent scripted ask 2", wait=True)
    one.nbh("approve", cell).wait_for()
    one.save()
    other = open_notebook(file=one.file)
    other.nbh("reject", cell).wait_for()
    other.page.evaluate(_REJECT_BEFORE_IT_HEARS_MORE)
    one.approve(cell)
    expect(one.nbh("approval", cell)).to_contain_text("echo 1")
    (one.lab.root / "told.txt").touch()
    expect(other.nbh("tool", cell)).to_contain_text("approved in another view first")
    expect(other.nbh("approval", cell)).to_contain_text("echo 1")
    other.nbh("reject", cell).click()
    expect(other.nbh("status", cell)).to_contain_text("Done")
    assert one.transcript(cell).response == "approved rejected"


# Nothing reaches a page whose script does not return.
_REJECT_BEFORE_IT_HEARS_MORE = """() => {
  setTimeout(() => {
    const request = new XMLHttpRequest();
    do {
      request.open('GET', '/files/told.txt', false);
      request.send();
    } while (request.status !== 200);
    document.querySelector('[data-nbh="reject"]').click();
  });
}"""
