"""In JupyterLab and Notebook 7, on kernels of three versions: an answer given in the page always arrives."""

from __future__ import annotations

import pytest
from support.kernels import KERNELS
from support.notebook_page import NotebookPage

pytestmark = [
    pytest.mark.browser,
    pytest.mark.kernel,
    pytest.mark.slow,
    pytest.mark.parametrize("desk", [f"{app}-{k}" for app in ("lab", "notebook") for k in KERNELS], indirect=True),
]

# Each ends by itself only long after the answer should have come.
BUSY = {
    "sleeps": "import time\nfor _ in range(300):\n    time.sleep(.1)\n    if h.done: break",
    "spins": "import time\nend = time.time() + 30\nwhile time.time() < end and not h.done: sum(range(1000))",
    "awaits": "import asyncio\nfor _ in range(300):\n    await asyncio.sleep(.1)\n    if h.done: break",
}


def test_the_cell_that_waits(notebook: NotebookPage) -> None:
    cell = notebook.add("%coder --agent scripted ask 2")
    notebook.approve(cell)
    notebook.nbh("approval", cell).get_by_text("echo 1").wait_for()
    assert notebook.is_running(cell)
    notebook.approve(cell)
    notebook.wait_ran(cell)
    notebook.wait_frozen(cell)
    assert "approved approved" in notebook.text(cell)


@pytest.mark.parametrize("busy", BUSY)
def test_while_another_cell(notebook: NotebookPage, busy: str) -> None:
    cell = notebook.add("h = %coder --bg --agent scripted ask", wait=True)
    notebook.nbh("approve", cell).wait_for()
    other = notebook.add(f"{BUSY[busy]}\nprint('it came' if h.done else 'it is late')")
    assert notebook.is_running(other)
    notebook.approve(cell)
    notebook.wait_ran(other)
    assert notebook.text(other).strip().endswith("it came")
