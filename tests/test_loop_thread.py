"""The loop's thread takes nothing that it would not run."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from nbharness.errors import NbHarnessError
from nbharness.loop_thread import LoopThread


async def nothing() -> None:
    return


def test_a_loop_that_stops_takes_nothing_more() -> None:
    thread, release, held = LoopThread(), threading.Event(), threading.Event()

    async def stubborn() -> None:
        held.set()
        while not release.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    async def begin() -> None:
        thread.spawn(stubborn(), "stubborn")

    thread.call(begin(), 10)
    assert held.wait(10)
    thread.stop(0.05)
    assert thread.usable
    with pytest.raises(NbHarnessError, match="shut down"):
        thread.call(nothing())
    with pytest.raises(NbHarnessError, match="shut down"):
        thread.post(lambda: None)
    release.set()
    while thread.usable:
        threading.Event().wait(0.01)
    with pytest.raises(NbHarnessError, match="shut down"):
        thread.check()


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_callback_that_tries_to_end_the_process_does_not_end_the_loop(error: type[BaseException]) -> None:
    thread = LoopThread()

    def exits() -> None:
        raise error

    thread.post(exits)
    thread.call(nothing(), 10)
    thread.stop(5)
    assert not thread.usable


class DoneTooLate(concurrent.futures.Future[str]):
    """Is done in the moment in which a wait for it was given up."""

    def result(self, timeout: float | None = None) -> str:
        if self.done():
            return super().result(timeout)
        self.set_result("done")
        raise concurrent.futures.TimeoutError


def test_what_is_done_as_a_wait_runs_out_is_no_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    thread = LoopThread()

    def submit(coroutine: Coroutine[Any, Any, None]) -> DoneTooLate:
        coroutine.close()
        return DoneTooLate()

    monkeypatch.setattr(thread, "submit", submit)
    assert thread.call(nothing(), 0) == "done"
    thread.stop(5)


def test_a_timeout_of_the_coroutines_own_is_raised() -> None:
    thread = LoopThread()

    async def fails() -> None:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        thread.call(fails(), 10)
    thread.stop(5)
