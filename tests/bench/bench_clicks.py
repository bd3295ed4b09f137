"""CLICK: how long a click needs to the turn that waits for it, while the kernel's main thread is busy.

A real page, a real mouse; the page notes when the click happened and the agent when its question was answered.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.measure import percentile, weather
from bench.page import moments, notebook_page, serve
from bench.table import Row
from support.kernels import KERNELS
from support.notebook_page import READY, NotebookPage

__all__ = ["run"]

CLICKS = 20
GOAL_MS = 250

BUSY = {
    "sleeps": "import time\nwhile not h.done: time.sleep(.5)",
    "spins": "while not h.done: sum(range(1000))",
    "awaits": "import asyncio\nwhile not h.done: await asyncio.sleep(.5)",
}
_PLACES = [("lab", kernel) for kernel in KERNELS] + [("notebook", "python3")]
_NAMES = {"lab": "JupyterLab", "notebook": "Notebook 7"}

_NOTE_CLICKS = """() => {
  window.nbhClicks = [];
  addEventListener("click", (event) => {
    if (event.target.closest("[data-nbh=approve]")) window.nbhClicks.push(Date.now() / 1000);
  }, true);
}"""


def run() -> list[Row]:
    """Measure in JupyterLab on every kernel, and in Notebook 7 on the newest."""
    rows = []
    with tempfile.TemporaryDirectory() as place, serve(Path(place)) as (lab, context):
        for app, kernel in _PLACES:
            with notebook_page(lab, context, app, kernel) as page, weather() as seen:
                page.page.evaluate(_NOTE_CLICKS)
                waits = [1000 * percentile(_click(page, busy, Path(place)), 95) for busy in BUSY]
            each = ", ".join(f"{busy} {wait:.0f}" for busy, wait in zip(BUSY, waits, strict=True))
            rows.append(
                Row(
                    bar="CLICK",
                    what=f"click to handler, p95 of {CLICKS}: {_NAMES[app]}, {kernel}",
                    goal=GOAL_MS,
                    result=max(waits),
                    unit="ms",
                    is_disturbed=seen.is_bad,
                    yardstick=f"main thread {each}",
                )
            )
    return rows


def _click(page: NotebookPage, busy: str, place: Path) -> list[float]:
    """Approve twenty times while a later cell is busy; return the seconds that each took."""
    file = place / f"{page.file.stem}-{busy}.json"
    page.page.evaluate("() => window.nbhClicks.splice(0)")
    cell = page.add(f"h = %coder --bg --new --agent bench ask {CLICKS} {file}", wait=True)
    busy_cell = page.add(BUSY[busy])
    for _ in range(CLICKS):
        page.nbh("approve", cell, READY).click()
    answered = moments(page, file)
    page.wait_ran(busy_cell)
    clicked = page.page.evaluate("() => window.nbhClicks")
    assert len(clicked) == len(answered) == CLICKS, (len(clicked), len(answered))
    return [after - before for before, after in zip(clicked, answered, strict=True)]
