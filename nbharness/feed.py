"""The feed: an append-only log of one turn's envelopes that any number of readers follow with a cursor.

There is one writer. Readers pull, so a slow one holds nobody up, and a late widget, an SSE reconnect, a page reload and
the store's catch-up are all the same call: :meth:`Feed.follow` from the last seq that was seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

from nbharness.events import Envelope

__all__ = ["HEARTBEAT_S", "Feed"]

HEARTBEAT_S = 0.2
"""Longest sleep of a waiting reader. ipykernel cancels a waiting cell from a signal handler that does not wake the
loop's selector, so a reader that never woke would not notice the stop button."""


class Feed:
    """Envelopes of one turn, in order, seq 0 upwards without gaps.

    Every method may be called from any thread; :meth:`follow` from any running loop.
    """

    def __init__(self) -> None:
        self._log: list[Envelope] = []
        self._closed = False
        self._changed = threading.Condition()
        self._wakers: set[Callable[[], None]] = set()

    def __len__(self) -> int:
        return len(self._log)

    @property
    def closed(self) -> bool:
        """True when nothing will be added any more."""
        return self._closed

    def extend(self, envelopes: Sequence[Envelope]) -> None:
        """Add envelopes and wake the readers. For the writer only.

        Raises:
            ValueError: If the feed is closed or a seq is not the next one.
        """
        with self._changed:
            for envelope in envelopes:
                if self._closed or envelope.seq != len(self._log):
                    message = f"seq {envelope.seq} cannot follow {len(self._log) - 1} (closed: {self._closed})"
                    raise ValueError(message)
                self._log.append(envelope)
        self._wake()

    def close(self) -> None:
        """End the log; readers finish after the last envelope."""
        with self._changed:
            self._closed = True
        self._wake()

    def since(self, after: int = -1, limit: int | None = None) -> list[Envelope]:
        """Return what came after seq `after`, at most `limit` envelopes."""
        start = max(after, -1) + 1
        return self._log[start : None if limit is None else start + limit]

    async def follow(self, after: int = -1) -> AsyncIterator[list[Envelope]]:
        """Yield what comes after seq `after`, in batches, until the feed is closed."""
        loop = asyncio.get_running_loop()
        with self._woken_by(loop) as wake:
            while True:
                wake.clear()
                closed = self._closed  # read before the log: what is added later finds us awake
                batch = self.since(after)
                if batch:
                    after = batch[-1].seq
                    yield batch
                elif closed:
                    return
                else:
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(HEARTBEAT_S):
                            await wake.wait()

    def wait(self, after: int = -1, timeout_s: float | None = None) -> bool:
        """Block until something comes after seq `after` or the feed closes.

        Returns:
            False when `timeout_s` passed first.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        with self._changed:
            while len(self._log) <= after + 1 and not self._closed:
                left = HEARTBEAT_S if deadline is None else min(HEARTBEAT_S, deadline - time.monotonic())
                if left <= 0:
                    return False
                self._changed.wait(left)
        return True

    @contextlib.contextmanager
    def _woken_by(self, loop: asyncio.AbstractEventLoop) -> Iterator[asyncio.Event]:
        wake, thread = asyncio.Event(), threading.get_ident()

        def waker() -> None:
            if wake.is_set():
                return
            if threading.get_ident() == thread:
                # A reader on the writer's own loop, as views are: no detour through the loop's socket.
                wake.set()
            else:
                loop.call_soon_threadsafe(wake.set)

        with self._changed:
            self._wakers.add(waker)
        try:
            yield wake
        finally:
            with self._changed:
                self._wakers.discard(waker)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
            wakers = list(self._wakers)
        for waker in wakers:
            try:
                waker()
            except RuntimeError:  # the reader's loop was closed under it
                with self._changed:
                    self._wakers.discard(waker)
