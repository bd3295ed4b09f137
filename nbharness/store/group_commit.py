"""Writes in groups: what comes within 50 ms, or 256 events, shares one transaction.

Nothing is forgotten before its transaction is committed. When the database cannot be written (a full disk, another
program that holds it) everything waits here and is tried again, and nobody else waits with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nbharness.errors import StoreError
from nbharness.events import Envelope
from nbharness.store.database import Database, Statement
from nbharness.store.failures import Rejected

__all__ = ["GroupCommit"]

_log = logging.getLogger(__name__)

_GROUP_S = 0.05
_GROUP_EVENTS = 256
_BATCH_EVENTS = 4096
"""Events in one transaction at most, so that reads get a turn while much is written."""

_PATIENCE_S = 5.0
"""Seconds the database may be held by others before it is said."""

_COMMIT_WAIT_S = 2.0
"""Seconds a caller waits for its commit; a turn must go on even if the disk does not."""

_RETRY_S = 1.0


class _Entry(NamedTuple):
    """What is written in one transaction."""

    statements: Sequence[Statement]
    events: Sequence[Envelope] = ()
    written: asyncio.Future[None] | None = None


class GroupCommit:
    """The queue of writes and the one asyncio task that empties it. Belongs to the loop that made it.

    Args:
        database: Where to write; open.
        append: Returns the statements that write envelopes.
        trouble: Called with the reason when writing begins to fail, and with ``None`` when it works again.
    """

    def __init__(
        self,
        database: Database,
        append: Callable[[Sequence[Envelope]], Sequence[Statement]],
        trouble: Callable[[str | None], None],
    ) -> None:
        self._database = database
        self._append = append
        self._say_trouble = trouble
        self._troubled = False
        self._entries: deque[_Entry] = deque()
        # Events that came since the last entry; they become one when something follows them or they are due.
        self._loose: list[Envelope] = []
        self._some, self._hurry = asyncio.Event(), asyncio.Event()
        self._give_up_at: float | None = None
        # The store's own task, from open to close; nobody else can know when it must end.
        self._task = asyncio.create_task(self._run(), name="store: group commit")  # noqa: TID251

    def put(self, envelopes: Sequence[Envelope]) -> None:
        """Queue events; they are written soon.

        Raises:
            StoreError: It was closed.
        """
        self._check_open()
        self._loose.extend(envelopes)
        self._some.set()
        if len(self._loose) >= _GROUP_EVENTS and not self._troubled:
            self._hurry.set()
            if len(self._loose) >= _BATCH_EVENTS:
                self._close_loose()

    async def commit(self, *statements: Statement) -> None:
        """Queue statements for one transaction and return when they, and all before them, are durable.

        When the database cannot be written, or not within two seconds, this returns too, and it is tried again.

        Args:
            statements: What to run, in order. Running them twice must be the same as once.

        Raises:
            StoreError: It was closed.
        """
        self._check_open()
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._close_loose()
        self._entries.append(_Entry(statements, written=written))
        self._some.set()
        self._hurry.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_COMMIT_WAIT_S):
                await written

    async def close(self, timeout_s: float) -> int:
        """Write what waits, within `timeout_s` seconds, and stop.

        Returns:
            How many events could not be written.
        """
        self._give_up_at = time.monotonic() + timeout_s
        self._some.set()
        self._hurry.set()
        _, running = await asyncio.wait({self._task}, timeout=timeout_s + 0.1)
        if running:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._stop_waiting()
        return sum(len(entry.events) for entry in self._entries)

    def _check_open(self) -> None:
        if self._give_up_at is not None or self._task.done():
            raise StoreError("the store is closed")

    def _close_loose(self) -> None:
        if self._loose:
            self._entries.append(self._entry(self._loose))
            self._loose = []

    def _entry(self, events: Sequence[Envelope]) -> _Entry:
        return _Entry(self._append(events), events)

    async def _run(self) -> None:
        try:
            while self._give_up_at is None or (self._waits and not self._troubled):
                await self._some.wait()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_RETRY_S if self._troubled else _GROUP_S):
                        await self._hurry.wait()
                self._some.clear()
                self._hurry.clear()
                await self._write_due()
        finally:
            self._close_loose()
            self._stop_waiting()

    @property
    def _waits(self) -> bool:
        return bool(self._entries or self._loose)

    async def _write_due(self) -> None:
        # Only what waits now: what comes meanwhile makes the next group.
        self._close_loose()
        due = len(self._entries)
        while due > 0:
            batch = self._next_batch(due)
            due -= len(batch)
            try:
                await self._write(batch)
            except StoreError as error:
                self._some.set()
                self._set_trouble(str(error))
                self._stop_waiting()
                return
            self._forget(batch)
            self._set_trouble(None)

    async def _write(self, batch: list[_Entry]) -> None:
        patience_s = 0.0 if self._troubled else _PATIENCE_S
        if self._give_up_at is not None:
            patience_s = min(patience_s, self._give_up_at - time.monotonic())
        try:
            statements = list(itertools.chain.from_iterable(entry.statements for entry in batch))
            await self._database.write(statements, patience_s)
        except Rejected as error:
            # It would be refused for ever, and hold up everything behind it.
            halves = self._halves(batch)
            if not halves:
                _log.error("left out of the stored conversation: %s", error)
            for half in halves:
                await self._write(half)

    def _halves(self, batch: list[_Entry]) -> list[list[_Entry]]:
        if (middle := len(batch) // 2) > 0:
            return [batch[:middle], batch[middle:]]
        events = batch[0].events
        if (middle := len(events) // 2) > 0:
            return [[self._entry(events[:middle])], [self._entry(events[middle:])]]
        return []

    def _next_batch(self, at_most: int) -> list[_Entry]:
        events = 0
        batch: list[_Entry] = []
        for entry in itertools.islice(self._entries, at_most):
            events += len(entry.events)
            if batch and events > _BATCH_EVENTS:
                break
            batch.append(entry)
        return batch

    def _forget(self, batch: list[_Entry]) -> None:
        for _ in batch:
            written = self._entries.popleft().written
            if written is not None and not written.done():
                written.set_result(None)

    def _stop_waiting(self) -> None:
        for entry in self._entries:
            if entry.written is not None and not entry.written.done():
                entry.written.set_result(None)

    def _set_trouble(self, text: str | None) -> None:
        if self._troubled != (text is not None):
            self._troubled = text is not None
            self._say_trouble(text)
