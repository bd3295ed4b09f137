"""The saved form in a real JupyterLab and Notebook 7, with no kernel: it looks as meant and nothing in it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect
from support.lab import Lab
from support.notebook_page import NotebookPage
from support.transcripts import hostile_turn, state, whole_turn
from test_transcript_hostile import CORPUS

from nbharness.transcript import transcript_bundle

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FORMS = ("text/html", "text/markdown", "text/plain")
OUTPUT = ".jp-OutputArea-output"


@pytest.fixture(scope="module")
def saved(lab: Lab) -> Path:
    """A notebook with the saved forms of a usual and a hostile turn, each form alone in a cell; then a formula."""
    bundles = [transcript_bundle(state(*whole_turn())), transcript_bundle(hostile_turn(CORPUS), cap=1_000_000)]
    data = [{form: bundle[form]} for bundle in bundles for form in FORMS]
    data.append({"text/html": "<p>$x^2$</p>"})
    file = lab.notebook(["# saved"] * len(data))
    book = json.loads(file.read_text())
    for cell, only in zip(book["cells"], data, strict=True):
        cell["execution_count"] = 1
        cell["outputs"] = [{"output_type": "display_data", "data": only, "metadata": {}}]
    file.write_text(json.dumps(book))
    return file


@pytest.fixture(params=["untrusted-lab", "untrusted-notebook", "trusted-lab"])
def opened(request: pytest.FixtureRequest, lab: Lab, profile: BrowserContext, saved: Path) -> Iterator[NotebookPage]:
    """The notebook in a page that does not wait for its kernel."""
    trust, _, app = request.param.partition("-")
    if trust == "trusted":
        environment = {**os.environ, "JUPYTER_DATA_DIR": str(lab.root.parent / "data")}
        subprocess.run([sys.executable, "-m", "nbformat.sign", str(saved)], env=environment, check=True)
    notebook = NotebookPage(lab, profile.new_page(), saved, app).open(with_kernel=False)
    # An output is there before its Markdown is drawn in it.
    for form, count in (("text/html", 3), ("text/markdown", 2)):
        expect(notebook.page.locator(f'{OUTPUT}[data-mime-type="{form}"]:has(*)')).to_have_count(count)
    yield notebook
    notebook.page.close()


def test_nothing_in_it_runs_or_is_fetched(opened: NotebookPage) -> None:
    page = opened.page
    assert page.evaluate("() => window.pwned") is None
    active = "script, img, svg, iframe, style, button, form, object, embed, [onerror]"
    assert page.locator(f":is({active})").and_(page.locator(f"{OUTPUT} *")).count() == 0
    links = page.evaluate(
        f"""() => [...document.querySelectorAll("{OUTPUT} a")]
             .map(a => [a.closest("{OUTPUT}").getAttribute("data-mime-type"), a.href])"""
    )
    # In plain text JupyterLab finds links of its own; it shows that form only where there is no other.
    odd = [mime for mime, link in links if not link.startswith(("http://", "https://", "mailto:"))]
    assert set(odd) <= {"text/plain"}
    assert {mime for mime, _ in links} >= {"text/html", "text/markdown"}
    assert [url for url in opened.requests if not url.startswith((opened.lab.url, "data:", "blob:"))] == []


@pytest.mark.parametrize("opened", ["untrusted-lab"], indirect=True)
def test_it_looks_as_meant(opened: NotebookPage) -> None:
    frozen = opened.page.locator(OUTPUT).first
    steps, diff = frozen.locator("details").first, frozen.locator("details[open]")
    assert steps.evaluate("element => element.open") is False
    assert diff.locator("summary").inner_text() == "shop/cart.py +1 \N{MINUS SIGN}1"
    look = "element => { const s = getComputedStyle(element); return [s.backgroundColor, s.display]; }"
    assert diff.get_by_text("+    return x.quantize").evaluate(look) == ["rgba(56, 142, 60, 0.18)", "block"]
    assert frozen.locator("p code").first.evaluate(look)[0] == "rgba(0, 0, 0, 0)"
    border = "element => { const s = getComputedStyle(element); return [s.borderTopWidth, s.borderRadius]; }"
    assert frozen.locator(".mathjax_ignore").evaluate(border) == ["1px", "6px"]
    steps.locator("summary").first.click()
    assert "✗ Failed pytest -q · exit 1 · 2.4 s" in steps.inner_text()
    # Two prices in one sentence are no formula, once formulas are drawn.
    formula = opened.page.locator(OUTPUT).last
    formula.scroll_into_view_if_needed()
    formula.locator("mjx-container").wait_for()
    for form in (0, 1):
        shown = opened.page.locator(OUTPUT).nth(form)
        shown.scroll_into_view_if_needed()
        assert "it costs $5 here and $6 there" in shown.inner_text()
