"""The parts of the kernel's tools that need no kernel."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbharness.notebook.host import Host
from nbharness.notebook.kernel_tools import MainThread
from nbharness.notebook.kernel_tools.cells import read_tool
from nbharness.notebook.kernel_tools.time_limit import TooSlow, time_limit
from nbharness.notebook.kernel_tools.variables import list_tool
from nbharness.tasks import TaskOwner
from nbharness.tools.base import Tool, ToolContext, ToolError


class Kernel:
    """A kernel whose main thread does nothing until it is told to."""

    def __init__(self) -> None:
        self.io_loop = self
        self.asked = threading.Event()

    def add_callback(self, _callback: Callable[[], None]) -> None:
        self.asked.set()


async def use(tool: Tool, **args: Any) -> str:
    context = ToolContext(workspace=Path.cwd(), write=lambda _text: None, environment={})
    return (await tool.run(context, args)).text


def shell(**variables: Any) -> Any:
    hidden = {"quit": 1}
    history = types.SimpleNamespace(input_hist_raw=["", "a = 1", "%coder hello"])
    return types.SimpleNamespace(
        user_ns={**hidden, "_private": 1, "os": os, **variables}, user_ns_hidden=hidden, history_manager=history
    )


async def test_variables_are_listed_by_kind_and_never_by_value() -> None:
    array = type("ndarray", (), {"__module__": "numpy", "shape": (5, 2), "dtype": "float64"})()
    own = type("Own", (), {"__module__": "__main__", "shape": property(lambda _self: pytest.fail("ran"))})()
    listed = await use(list_tool(shell(word="secret", array=array, own=own, quit=2)))
    assert listed.splitlines() == [
        "array: numpy.ndarray, shape (5, 2), dtype float64",
        "own: Own",
        "quit: int",
        "word: str, length 6",
    ]


async def test_a_broken_array_hides_no_other() -> None:
    members = {"__module__": "torch", "shape": property(lambda self: self.nothing), "dtype": "f4"}
    listed = await use(list_tool(shell(broken=type("Tensor", (), members)(), word="x")))
    assert listed.splitlines() == [
        "broken: torch.Tensor, shape unknown (AttributeError), dtype f4",
        "word: str, length 1",
    ]


def for_ever() -> None:
    """Go on as code does that catches everything once."""
    with contextlib.suppress(TooSlow):
        threading.Event().wait()
    threading.Event().wait()


def test_what_takes_for_ever_is_stopped_though_it_ignores_that_once() -> None:
    rang: list[int] = []
    own = signal.signal(signal.SIGALRM, lambda number, _frame: rang.append(number))
    timer = signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        with pytest.raises(TooSlow), time_limit(0.01):
            for_ever()
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        assert left > 900  # the user's own alarm is still set,
        signal.raise_signal(signal.SIGALRM)
        assert rang == [signal.SIGALRM]  # and theirs
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, own)


async def test_many_variables_are_counted() -> None:
    listed = await use(list_tool(shell(**{f"v{number:03}": number for number in range(250)})))
    assert listed.splitlines()[-1] == "… and 50 more"
    assert await use(list_tool(shell())) == "(no variables)"


async def asking(main: MainThread, job: Callable[[], None]) -> None:
    await main.run(job)


async def test_a_kernel_that_stays_busy_is_an_answer_and_the_job_never_runs() -> None:
    kernel, ran = Kernel(), threading.Event()
    main = MainThread(kernel, busy_s=0.01)
    with pytest.raises(ToolError, match=r"busy with the user's own code for 0\.01 s"):
        await main.run(ran.set)
    main.work()
    assert not ran.is_set()


async def test_an_aborted_turn_takes_its_job_back() -> None:
    kernel, ran = Kernel(), threading.Event()
    main = MainThread(kernel)
    waiting = TaskOwner()(asking(main, ran.set), "job")
    await asyncio.to_thread(kernel.asked.wait, 5)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    main.work()
    assert not ran.is_set()


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (SystemExit(3), "it raised SystemExit"),
        (KeyboardInterrupt(), "interrupted"),
        (ToolError("no such thing"), "no such"),
    ],
)
async def test_what_a_job_raises_reaches_who_asked(raised: BaseException, told: str) -> None:
    kernel = Kernel()
    main = MainThread(kernel)

    def job() -> None:
        raise raised

    waiting = TaskOwner()(asking(main, job), "job")
    await asyncio.to_thread(kernel.asked.wait, 5)
    if isinstance(raised, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            main.work()
    else:
        main.work()
    with pytest.raises(ToolError, match=told):
        await waiting


def host(notebook: Path | None, monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setenv("JPY_SESSION_NAME", str(notebook or ""))
    return Host(shell())


async def test_cells_are_read_as_they_were_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = {"output_type": "display_data", "data": {"image/png": "AAAA"}}
    outputs = [
        {"output_type": "stream", "text": ["one\n", "two\n"]},
        {"output_type": "error", "ename": "ValueError", "evalue": "no"},
        {"output_type": "execute_result", "data": {"text/plain": "x" * 3000}},
        image,
    ]
    cells = [
        {"cell_type": "markdown", "source": "# Title"},
        {"cell_type": "code", "source": ["a = 1\n", "a"], "outputs": outputs},
    ]
    file = tmp_path / "book.ipynb"
    file.write_text(json.dumps({"cells": cells}))
    tool = read_tool(host(file, monkeypatch))
    text = await use(tool)
    for part in (
        "book.ipynb, 2 cells, saved ",
        "[1] markdown\n# Title",
        "[2] code\na = 1\na",
        "→ one\ntwo",
        "ValueError: no",
    ):
        assert part in text
    assert "(1000 characters left out)" in text
    assert "→ [image/png]" in text
    assert "# Title" not in await use(tool, first=2, count=1)


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"cells": 1}', '{"cells": [{"cell_type": "code"}]}', '{"cells": [7]}']
)
async def test_what_is_no_notebook_is_an_answer(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "book.ipynb"
    file.write_text(content)
    with pytest.raises(ToolError, match=r"book\.ipynb cannot be read as a notebook"):
        await use(read_tool(host(file, monkeypatch)))


async def test_without_a_file_the_history_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = await use(read_tool(host(None, monkeypatch)))
    assert text == "The notebook has no file; this was run in its kernel, 2 cells.\n\n[1]\na = 1\n\n[2]\n%coder hello"
