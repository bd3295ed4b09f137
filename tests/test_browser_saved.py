"""What stays in a notebook reads with no kernel and no widget, and nothing that an agent says comes to life."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from playwright.sync_api import BrowserContext
from support.lab import Lab, start_lab
from support.notebook_page import READY, NotebookPage, Open, picture

from nbharness.transcript import TRANSCRIPT_MIME

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDGET = "application/vnd.jupyter.widget-view+json"
KEPT = {"text/html", "text/markdown", "text/plain", TRANSCRIPT_MIME}
NO_KERNEL = "--KernelSpecManager.allowed_kernelspecs=none"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A server that has no kernel to offer, and has never seen our notebooks."""
    with start_lab(tmp_path_factory.mktemp("bare") / "server", options=[NO_KERNEL]) as started:
        yield started


@pytest.fixture(scope="module")
def worked(lab: Lab, profile: BrowserContext) -> Path:
    """A notebook with a turn of the demo agent, approved and saved."""
    page = NotebookPage(lab, profile.new_page(), lab.notebook(["%load_ext nbharness"])).open()
    page.run(0)
    cell = page.add("%coder --agent demo fix the failing test")
    page.approve(cell)
    page.wait_ran(cell)
    page.wait_frozen(cell)
    picture(page, "frozen")
    page.save()
    page.close()
    return page.file


def data_of(file: Path) -> list[dict[str, Any]]:
    """Return the data of the outputs that show a turn."""
    book = nbformat.from_dict(json.loads(file.read_text()))  # type: ignore[no-untyped-call]
    nbformat.validate(book)
    return [out["data"] for cell in book.cells for out in cell.outputs if "nbharness" in out.get("metadata", {})]


def test_the_file_holds_the_transcript_and_no_widget(worked: Path) -> None:
    (data,) = data_of(worked)
    assert set(data) == KEPT


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_it_reads_without_a_kernel(
    bare: Lab, profile: BrowserContext, worked: Path, app: str, *, trusted: bool
) -> None:
    page = reopen(bare, profile, worked, app, trusted=trusted)
    text = page.cell(1).inner_text()
    picture(page, f"saved-{app}-{'trusted' if trusted else 'untrusted'}")
    page.close()
    for words in ("demo", "fix the failing test", "shop/cart.py", "Done"):
        assert words in text
    assert "model not found" not in text
    assert page.errors == []


def reopen(bare: Lab, profile: BrowserContext, file: Path, app: str, *, trusted: bool) -> NotebookPage:
    """Open a copy of a notebook where there is no kernel."""
    copy = bare.root / f"{app}-{trusted}-{file.name}"
    book = json.loads(file.read_text())
    # Trust goes with the content, so that an untrusted copy must differ.
    book["metadata"]["trusted_copy"] = trusted
    copy.write_text(json.dumps(book))
    if trusted:
        notary: Any = NotebookNotary(data_dir=str(bare.root.parent / "data"))  # type: ignore[no-untyped-call]
        notary.sign(nbformat.from_dict(book))  # type: ignore[no-untyped-call]
    page = NotebookPage(bare, profile.new_page(), copy, app).open(with_kernel=False)
    page.choose_no_kernel()
    assert page.is_trusted(1) == trusted
    return page


def test_a_file_that_was_saved_too_early_is_frozen_by_the_command(open_notebook: Open) -> None:
    page = open_notebook()
    cell = page.add("%coder --bg --agent scripted ask", wait=True)
    page.nbh("approve", cell).wait_for()
    page.save()
    page.approve(cell)
    page.wait_frozen(cell)
    assert [set(data) for data in data_of(page.file)] == [{"text/plain", WIDGET}]
    environment = {**os.environ, "NBHARNESS_HOME": str(page.lab.home), "NBHARNESS_CONFIG": os.devnull}
    command = [sys.executable, "-m", "nbharness", "freeze", str(page.file)]
    subprocess.run(command, env=environment, check=True, timeout=60)
    (data,) = data_of(page.file)
    assert set(data) == KEPT
    assert "approved" in "".join(data["text/markdown"])


@pytest.fixture(scope="module")
def tainted(lab: Lab, profile: BrowserContext) -> Path:
    """A notebook with a turn of an agent that means harm, saved; while it ran nothing of it came to life."""
    page = NotebookPage(lab, profile.new_page(), lab.notebook(["%load_ext nbharness"])).open()
    page.run(0)
    cell = page.add("%coder --agent scripted hostile")
    page.nbh("approve", cell, READY).wait_for()
    picture(page, "hostile-live")
    assert page.nbh("approval").count() == page.nbh("approve").count() == 1
    nothing_came_to_life(page, cell)
    page.nbh("reject", cell).click()
    page.wait_ran(cell)
    page.wait_frozen(cell)
    nothing_came_to_life(page, cell)
    page.save()
    page.close()
    return page.file


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_nothing_an_agent_said_comes_to_life(
    bare: Lab, profile: BrowserContext, tainted: Path, app: str, *, trusted: bool
) -> None:
    page = reopen(bare, profile, tainted, app, trusted=trusted)
    picture(page, f"hostile-{app}-{'trusted' if trusted else 'untrusted'}")
    assert page.nbh("approval").count() == 0
    nothing_came_to_life(page, 1)
    page.close()


def nothing_came_to_life(page: NotebookPage, cell: int) -> None:
    """Look for what would run, load, or be something else than it is."""
    page.page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert page.page.evaluate("() => window.pwned") is None
    assert [url for url in page.requests if "leak.invalid" in url] == []
    assert page.cell(cell).locator(".jp-Cell-outputArea").evaluate(_LIVING) == []


# Elements and attributes that text must not become.
_LIVING = """node => [...node.querySelectorAll('*')].flatMap(element => {
  const found = [];
  if (element.matches('script, style, iframe, object, embed, img, form, base, link, meta, foreignObject'))
    found.push(element.outerHTML.slice(0, 200));
  for (const { name, value } of element.attributes) {
    if (name.startsWith('on') || name === 'srcdoc' || /^\\s*(javascript|data|vbscript):/i.test(value))
      found.push(`${name}=${value}`.slice(0, 200));
  }
  return found;
})"""
