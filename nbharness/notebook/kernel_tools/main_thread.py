"""Jobs for the kernel's main thread: the only one that may run the user's code.

A cell that waits for its turn does them while it waits, so an agent can use the kernel whose cell waits for it. At
other times the kernel does them between two cells.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from nbharness.tools.base import ToolError

__all__ = ["MainThread"]

_BUSY_S = 60.0
_TOLD_S = 2.0

Result = TypeVar("Result")


class MainThread:
    """The queue of jobs of one kernel.

    Args:
        kernel: The kernel; its loop runs on the main thread.
        busy_s: Seconds that a job waits for its turn.
    """

    def __init__(self, kernel: Any, busy_s: float = _BUSY_S) -> None:
        self._kernel = kernel
        self._busy_s = busy_s
        self._jobs: deque[tuple[concurrent.futures.Future[Any], Callable[[], Any]]] = deque()

    async def run(self, job: Callable[[], Result]) -> tuple[Result, float]:
        """Run a job and return its result, and how many seconds it waited, 0 for a moment. On any loop.

        A job that has begun is not stopped by a cancelled caller; the person can interrupt the kernel.

        Raises:
            ToolError: The kernel was busy for too long; the job will not run.
            Exception: What the job raises.
        """
        asked = time.monotonic()
        began = asyncio.Event()
        loop = asyncio.get_running_loop()

        def timed() -> tuple[Result, float]:
            waited = time.monotonic() - asked
            loop.call_soon_threadsafe(began.set)
            return job(), waited if waited > _TOLD_S else 0.0

        future: concurrent.futures.Future[tuple[Result, float]] = concurrent.futures.Future()
        self._jobs.append((future, timed))
        self._kernel.io_loop.add_callback(self.work)
        try:
            async with asyncio.timeout(self._busy_s):
                await began.wait()
        except TimeoutError:
            if future.cancel():
                message = f"the kernel has been busy with the user's own code for {self._busy_s:g} s; try again later"
                raise ToolError(message) from None
        except asyncio.CancelledError:
            future.cancel()
            raise
        return await asyncio.shield(asyncio.wrap_future(future))

    def work(self) -> None:
        """Do what waits. On the kernel's main thread.

        Raises:
            KeyboardInterrupt: The person interrupted the kernel.
        """
        while self._jobs:
            future, job = self._jobs.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(job())
            except KeyboardInterrupt as error:
                future.set_exception(ToolError("the user interrupted the kernel"))
                raise KeyboardInterrupt from error
            except BaseException as error:  # noqa: BLE001 (code of the user's, which may also want to exit)
                ends = not isinstance(error, Exception)
                future.set_exception(ToolError(f"it raised {type(error).__name__}") if ends else error)
