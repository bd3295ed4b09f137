"""One notebook in one page of JupyterLab or Notebook 7, driven as a person drives it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Locator, Page
from playwright.sync_api import TimeoutError as PageTimeoutError
from support.lab import Lab

from nbharness.events import Envelope
from nbharness.state import TurnState, fold_all
from nbharness.store.reader import read_turn
from nbharness.transcript import TRANSCRIPT_MIME, read_transcript

__all__ = ["READY", "NotebookPage", "Open", "picture"]

READY = '[aria-disabled="false"]'
"""A button that has armed itself."""

_PICTURES = Path(__file__).parents[2] / "test-results"
_START_S = 30
_PANEL = "window.jupyterapp.shell.currentWidget"
_CELLS = f"{_PANEL}.content.widgets"


class NotebookPage:
    """One notebook in one page.

    Args:
        lab: The server.
        page: A page of the browser.
        file: The notebook.
        app: ``lab`` or ``notebook`` (Notebook 7).

    Attributes:
        errors: What went wrong in our scripts; a page has faults of its own.
        requests: Addresses that the page asked for.
    """

    def __init__(self, lab: Lab, page: Page, file: Path, app: str = "lab") -> None:
        self.lab = lab
        self.page = page
        self.file = file
        self.app = app
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", self._note_error)
        # Leaving a page with changes asks whether that is meant.
        page.on("dialog", lambda dialog: dialog.accept())
        page.on("request", lambda request: self.requests.append(request.url))

    # --- the page -----------------------------------------------------------------------------------

    def open(self, *, with_kernel: bool = True) -> NotebookPage:
        """Load the page and wait for its kernel to be idle, or only for its cells."""
        relative = self.file.relative_to(self.lab.root)
        path = f"doc/tree/{relative}" if self.app == "lab" else f"notebooks/{relative}"
        self.page.goto(f"{self.lab.url}/{path}?token={self.lab.token}")
        self.wait_drawn()
        if with_kernel:
            self.wait_kernel()
            self._wait_answering()
        return self

    def _wait_answering(self) -> None:
        """Wait for a fresh kernel; one whose ports another program took before it could is changed for another."""
        try:
            self.wait_idle(_START_S)
        except PageTimeoutError:
            context = f"{_PANEL}.sessionContext"
            self.page.evaluate(
                f"async () => {{ await {context}.changeKernel({{name: {context}.session.kernel.name}}); }}"
            )
            self.wait_idle()

    def choose_no_kernel(self) -> None:
        """Answer what a page asks that finds no kernel for its notebook."""
        dialog = self.page.locator(".jp-Dialog")
        dialog.get_by_role("button", name="No Kernel").click()
        dialog.wait_for(state="detached")

    def reload(self) -> None:
        """Load the page again and wait until the notebook is drawn; its kernel may be busy."""
        self.page.reload()
        self.wait_drawn()

    def wait_drawn(self) -> None:
        """Wait until the cells are there."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        self.page.wait_for_function(f"() => {_CELLS}?.length > 0 && {_PANEL}.context.isReady", timeout=60_000)

    def wait_kernel(self) -> None:
        """Wait until the page has a kernel."""
        self.page.wait_for_function(f"() => {_PANEL}?.sessionContext?.session?.kernel", timeout=60_000)

    def wait_idle(self, timeout_s: float = 60) -> None:
        """Wait until the kernel has nothing to do."""
        self.page.wait_for_function(
            f"() => {_PANEL}.sessionContext.session?.kernel?.status === 'idle'", timeout=timeout_s * 1000
        )

    @property
    def kernel_id(self) -> str:
        """Id of the page's kernel at the server."""
        return str(self.page.evaluate(f"() => {_PANEL}.sessionContext.session.kernel.id"))

    @property
    def kernel_status(self) -> str:
        """What the page shows of its kernel."""
        return str(self.page.evaluate(f"() => {_PANEL}.sessionContext.session.kernel.status"))

    def command(self, name: str, **args: Any) -> None:
        """Run one of JupyterLab's commands, without waiting for what it starts."""
        self.page.evaluate("([n, a]) => { void window.jupyterapp.commands.execute(n, a); }", [name, args])

    def _note_error(self, error: Error) -> None:
        # Widgets are loaded from blobs, and nothing else is.
        if "blob:" in (error.stack or ""):
            self.errors.append(f"{error}\n{error.stack}")

    def close(self) -> None:
        """Close the page and end the kernel of its notebook."""
        self.page.close()
        path = str(self.file.relative_to(self.lab.root))
        for session in self.lab.call("api/sessions"):
            if session["path"] == path:
                self.lab.call(f"api/sessions/{session['id']}", "DELETE")

    # --- cells --------------------------------------------------------------------------------------

    def run(self, index: int, *, wait: bool = True, timeout_s: float = 90) -> None:
        """Run one cell; wait until its prompt has a number."""
        self.select(index)
        self.command("notebook:run-cell")
        if wait:
            self.wait_ran(index, timeout_s)

    def append(self, source: str) -> int:
        """Append a cell and return its index."""
        index = self.page.evaluate(
            f"source => {{ const m = {_PANEL}.content.model.sharedModel;"
            " m.addCell({cell_type: 'code', source}); return m.cells.length - 1; }",
            source,
        )
        self.page.wait_for_function(f"i => {_CELLS}.length > i", arg=index)
        return int(index)

    def add(self, source: str, *, wait: bool = False) -> int:
        """Append a cell, run it and return its index."""
        index = self.append(source)
        self.run(index, wait=wait)
        return index

    def wait_ran(self, index: int, timeout_s: float = 90) -> None:
        """Wait until a cell has run."""
        self.page.wait_for_function(
            f"i => {_CELLS}[i].model.executionState !== 'running' && {_CELLS}[i].model.executionCount !== null",
            arg=index,
            timeout=timeout_s * 1000,
        )

    def is_running(self, index: int) -> bool:
        """Tell whether a cell runs or waits to run."""
        return bool(self.page.evaluate(f"i => {_CELLS}[i].model.executionState === 'running'", index))

    def select(self, index: int) -> None:
        """Make a cell the active one."""
        self.page.evaluate(f"i => {{ const c = {_PANEL}.content; c.deselectAll(); c.activeCellIndex = i; }}", index)

    def is_trusted(self, index: int) -> bool:
        """Tell whether the page shows a cell's outputs as they are."""
        return bool(self.page.evaluate(f"i => {_CELLS}[i].model.trusted", index))

    def cell_count(self) -> int:
        """Return how many cells there are."""
        return int(self.page.evaluate(f"() => {_CELLS}.length"))

    # --- outputs ------------------------------------------------------------------------------------

    def save(self) -> Any:
        """Save the notebook and return the file's content."""
        self.page.evaluate(f"() => {_PANEL}.context.save()")
        return self.content()

    def content(self) -> Any:
        """Return the notebook as it stands in its file."""
        return json.loads(self.file.read_text())

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """Return the outputs of a cell as the page's model has them."""
        found: list[dict[str, Any]] = self.page.evaluate(f"i => {_CELLS}[i].model.outputs.toJSON()", index)
        return found

    def cell(self, index: int) -> Locator:
        """Return the locator of a cell."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def text(self, index: int) -> str:
        """Return a cell's output as text."""
        return self.cell(index).locator(".jp-Cell-outputArea").inner_text()

    def nbh(self, name: str, index: int | None = None, more: str = "") -> Locator:
        """Return the locator of one of our hooks, perhaps in one cell."""
        scope = self.page if index is None else self.cell(index)
        return scope.locator(f'[data-nbh="{name}"]{more}')

    def approve(self, index: int) -> None:
        """Click Approve in a cell, once it takes clicks."""
        self.nbh("approve", index, READY).click()

    def stored(self, index: int) -> list[Envelope]:
        """Return the events of a cell's turn as the store has them."""
        marks = [output.get("metadata", {}).get("nbharness", {}).get("turn") for output in self.outputs(index)]
        turn = read_turn(self.lab.home / "nbharness.db", next(filter(None, marks)))
        assert turn is not None
        return turn.envelopes

    def transcript(self, index: int) -> TurnState:
        """Return the turn that a cell's transcript tells of."""
        self.wait_frozen(index)
        kept = (output.get("data", {}).get(TRANSCRIPT_MIME) for output in self.outputs(index))
        return fold_all(read_transcript(next(filter(None, kept))))

    def wait_frozen(self, index: int) -> None:
        """Wait until a cell's turn has left its transcript."""
        self.page.wait_for_function(
            f"i => {_CELLS}[i].model.outputs.toJSON().some(o => o.data?.['application/vnd.nbharness.transcript+json'])",
            arg=index,
            timeout=30_000,
        )


def picture(notebook: NotebookPage, name: str) -> None:
    """Take a picture for a person to look at."""
    _PICTURES.mkdir(exist_ok=True)
    notebook.page.screenshot(path=_PICTURES / (re.sub(r"[^\w-]+", "_", name) + ".png"))


Open = Callable[..., NotebookPage]
"""What the fixture ``open_notebook`` is."""
