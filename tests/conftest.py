"""What the browser tests share: one Jupyter server and one Chromium a module, and pages that are closed again."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright
from support.alone import without_accounts
from support.lab import Lab, chromium, start_lab
from support.notebook_page import NotebookPage, Open, picture

# Whose machine this is changes nothing: no key and no setting of theirs is seen, and a turn that names no agent gets
# the demo agent, but for the tests that are about that choice.
_clean = without_accounts(os.environ) | {"NBHARNESS_AGENT": "demo"}
os.environ.clear()
os.environ.update(_clean)

# A shell that starts a job in the background lets it ignore Ctrl-C, and every kernel below it would too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A page may wait for a kernel that shares the machine with other tests.
expect.set_options(timeout=20_000)

# A gate must say the same twice: its examples are fixed. `make fuzz` looks for new ones.
settings.register_profile("fixed", derandomize=True)
settings.register_profile("search", max_examples=1000)
settings.load_profile("fixed")

_FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="module", autouse=True)
def _same_variables() -> Iterator[None]:
    """What the tests of a module do to this process's variables ends with them."""
    with mock.patch.dict(os.environ):
        yield


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A Jupyter server."""
    with start_lab(tmp_path_factory.mktemp("lab") / "server") as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium. Its driver holds this thread's event loop, so it must end with the module."""
    with sync_playwright() as driver:
        started = chromium(driver)
        yield started
        started.close()


@pytest.fixture(scope="module")
def profile(browser: Browser) -> BrowserContext:
    """A person's browser profile; its pages share cookies and the cache."""
    return browser.new_context(viewport={"width": 1100, "height": 900})


class Desk:
    """One notebook that several tests use, a cell each; it is opened anew after a test that failed.

    Args:
        lab: The server.
        profile: The browser.
        app: ``lab`` or ``notebook``.
        kernel: Name of the kernel.
    """

    def __init__(self, lab: Lab, profile: BrowserContext, app: str, kernel: str) -> None:
        self._lab, self._profile, self._app, self._kernel = lab, profile, app, kernel
        self._open: NotebookPage | None = None

    def page(self) -> NotebookPage:
        """Return the page, with the extension loaded."""
        if self._open is None:
            file = self._lab.notebook(["%load_ext nbharness"], self._kernel)
            self._open = NotebookPage(self._lab, self._profile.new_page(), file, self._app)
            self._open.open().run(0)
            assert self._open.outputs(0) == []
        return self._open

    def leave(self) -> None:
        """Close the page and end its kernel."""
        if self._open is not None:
            self._open.close()
            self._open = None


@pytest.fixture(scope="module", params=["lab-python3"])
def desk(request: pytest.FixtureRequest, lab: Lab, profile: BrowserContext) -> Iterator[Desk]:
    """A shared notebook; a module chooses others with ``desks``."""
    app, _, kernel = request.param.partition("-")
    shared = Desk(lab, profile, app, kernel)
    yield shared
    shared.leave()


@pytest.fixture
def notebook(request: pytest.FixtureRequest, desk: Desk) -> Iterator[NotebookPage]:
    """The shared notebook's page."""
    page = desk.page()
    yield page
    if request.node.stash[_FAILED]:
        picture(page, request.node.name)
        desk.leave()
    assert page.errors == []


@pytest.fixture
def open_notebook(request: pytest.FixtureRequest, lab: Lab, profile: BrowserContext) -> Iterator[Open]:
    """Opens a notebook of its own, with the extension loaded; its kernel ends with the test."""
    opened: list[NotebookPage] = []

    def open_one(kernel: str = "python3", app: str = "lab", file: Path | None = None) -> NotebookPage:
        page = NotebookPage(lab, profile.new_page(), file or lab.notebook(["%load_ext nbharness"], kernel), app)
        opened.append(page)
        page.open()
        if file is None:
            page.run(0)
        return page

    yield open_one
    for number, page in enumerate(opened):
        if request.node.stash[_FAILED]:
            picture(page, f"{request.node.name}-{number}")
        page.close()
    assert [error for page in opened for error in page.errors] == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let fixtures know whether their test failed."""
    report = yield
    item.stash[_FAILED] = report.failed or item.stash.get(_FAILED, False)
    return report
