"""One background thread with one asyncio loop, on which every turn of the process runs.

The kernel's own thread and loop only follow feeds and send inputs through thread-safe calls, so a cell that computes
for an hour stops no agent, no approval and no store.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import logging
import os
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from nbharness.errors import NbHarnessError
from nbharness.feed import HEARTBEAT_S
from nbharness.tasks import TaskOwner

__all__ = ["LoopThread"]

T = TypeVar("T")

_SHUT_DOWN = "nbharness was shut down in this process; restart the kernel to use it again"

_log = logging.getLogger(__name__)


class LoopThread:
    """A daemon thread that runs one asyncio loop.

    Attributes:
        spawn: Owner of the loop's long-lived asyncio tasks.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.spawn = TaskOwner()
        self._forked = False
        self._stopping = self._ending = False
        # An empty context: what runs here must not be taken for a part of the cell that started it.
        self._thread = threading.Thread(
            target=contextvars.Context().run, args=(self._main,), name="nbharness", daemon=True
        )
        os.register_at_fork(after_in_child=self._after_fork)
        self._thread.start()

    @property
    def usable(self) -> bool:
        """True while the loop runs in this process."""
        return not self._forked and self._thread.is_alive()

    def is_current(self) -> bool:
        """True in code that runs on the loop."""
        return threading.current_thread() is self._thread

    def post(self, callback: Callable[[], object]) -> None:
        """Call back on the loop, from any thread.

        Raises:
            NbHarnessError: In a forked child, where the loop's thread does not exist, and after :meth:`stop`.
        """
        self._check_open()
        self.loop.call_soon_threadsafe(callback, context=contextvars.Context())

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run a coroutine on the loop, from any thread."""
        try:
            self._check_open()
        except NbHarnessError:
            coroutine.close()
            raise
        # Run in an empty context, which is then the one that the task copies.
        return contextvars.Context().run(asyncio.run_coroutine_threadsafe, coroutine, self.loop)

    def call(self, coroutine: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """Run a coroutine on the loop and block until it is done.

        It can be interrupted every 0.2 s; ``KeyboardInterrupt`` cancels the coroutine.

        Raises:
            NbHarnessError: If called on the loop itself, or the loop ends.
            TimeoutError: If it is not done within `timeout_s`; it goes on.
        """
        if self.is_current():
            coroutine.close()
            message = "this blocks, so it cannot be called on nbharness's own loop; await it there"
            raise NbHarnessError(message)
        future = self.submit(coroutine)
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        try:
            while True:
                try:
                    return future.result(HEARTBEAT_S)
                except concurrent.futures.TimeoutError:
                    if future.done():  # the error is the coroutine's own, or it was done in this very moment
                        return future.result()
                    if deadline is not None and time.monotonic() >= deadline:
                        raise
                    self.check()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def stop(self, timeout_s: float) -> None:
        """Cancel the loop's tasks and end the thread, within `timeout_s` seconds."""
        if self._forked or not self._thread.is_alive() or self.is_current():
            return
        self._stopping = True  # what is posted from now on might never run
        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(self._finish(timeout_s)))
        self._thread.join(timeout_s)

    def _main(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not self._ending:
            try:
                self.loop.run_forever()
            except (SystemExit, KeyboardInterrupt):
                # asyncio lets these through; but what one agent's code raises must not stop everybody's turns.
                _log.exception("code on nbharness's loop tried to end the process")
        self.loop.close()

    async def _finish(self, timeout_s: float) -> None:
        await self.spawn.close(timeout_s)
        self._ending = True
        self.loop.stop()

    def _after_fork(self) -> None:
        self._forked = True

    def _check_open(self) -> None:
        if self._stopping and not self._forked:
            raise NbHarnessError(_SHUT_DOWN)
        self.check()

    def check(self) -> None:
        """Raise when nothing can run on the loop.

        Raises:
            NbHarnessError: In a forked child, where the loop's thread does not exist, and when :meth:`stop` is through.
        """
        if not self._forked and not self._thread.is_alive():
            raise NbHarnessError(_SHUT_DOWN)
        if self._forked:
            message = (
                "nbharness was started before this process was forked and cannot be used in the child; "
                "start the child with the 'spawn' method, or use nbharness in the parent"
            )
            raise NbHarnessError(message)
