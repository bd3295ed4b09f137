"""A notebook in a real page, with the bench agent in its kernel."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

from bench.agent import install
from playwright.sync_api import BrowserContext, sync_playwright
from support.lab import Lab, chromium, start_lab
from support.notebook_page import NotebookPage

__all__ = ["moments", "notebook_page", "serve"]

_PATIENCE_S = 120.0
_POLL_MS = 250


@contextlib.contextmanager
def serve(place: Path) -> Iterator[tuple[Lab, BrowserContext]]:
    """Run a Jupyter server whose kernels know the agent ``bench``, and a browser, until the block ends."""
    install(place / "agents")
    with start_lab(place) as lab, sync_playwright() as driver:
        browser = chromium(driver)
        yield lab, browser.new_context(viewport={"width": 1100, "height": 900})
        browser.close()


@contextlib.contextmanager
def notebook_page(lab: Lab, context: BrowserContext, app: str, kernel: str) -> Iterator[NotebookPage]:
    """Open a notebook with the extension loaded; its kernel ends with the block."""
    page = NotebookPage(lab, context.new_page(), lab.notebook(["%load_ext nbharness"], kernel), app)
    try:
        page.open().run(0)
        yield page
    finally:
        page.page.close()
        for session in lab.call("api/sessions"):
            lab.call(f"api/sessions/{session['id']}", "DELETE")


def moments(page: NotebookPage, file: Path) -> list[float]:
    """Wait for the agent to write its moments, leaving the page alone meanwhile, and return them."""
    deadline = time.monotonic() + _PATIENCE_S
    while not file.exists():
        assert time.monotonic() < deadline, f"the agent wrote no {file.name}: {page.text(page.cell_count() - 1)}"
        page.page.wait_for_timeout(_POLL_MS)
    found: list[float] = json.loads(file.read_text())
    return found
