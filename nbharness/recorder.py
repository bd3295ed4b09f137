"""Keeps turns in the store. A store that fails never stops a turn; it is said once."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from nbharness.errors import ConfigError, StoreError
from nbharness.events import Envelope
from nbharness.redact import Redactor
from nbharness.results import CodingResult
from nbharness.store import Store, TurnRecord

__all__ = ["KeptTurn", "NotKept", "Recorder"]

_log = logging.getLogger(__name__)


class Recorder:
    """The runtime's way to the store; opened by the first turn that is kept. Belongs to the runtime's loop.

    Args:
        database: File of the store; ``None`` for the configured one.
        tell: Takes what the user should know of the store.
    """

    def __init__(self, database: Path | None, tell: Callable[[str], None]) -> None:
        self._database = database
        self._tell = tell
        self._store: Store | None = None
        self._opening = asyncio.Lock()
        self._closed = False
        self._failed = False
        self._redactor = Redactor.from_environment(os.environ)

    def keeper(self, record: TurnRecord) -> KeptTurn:
        """Return what keeps one turn; a key that came into the environment meanwhile is masked from now on."""
        self._redactor = Redactor.from_environment(os.environ)
        return KeptTurn(self, record)

    async def store(self) -> Store:
        """Return the store, opening it if need be.

        Raises:
            StoreError: If it cannot be opened (nothing was changed), or was closed.
        """
        async with self._opening:
            if self._closed:
                raise StoreError("the store is closed")
            if self._store is None:
                self._store = await Store.open(self._database, redactor=self._redact, on_notice=self._tell)
            return self._store

    def _redact(self, text: str) -> str:
        return self._redactor.redact(text)

    async def session(self, conversation_id: str, session_id: str) -> None:
        """Note the agent's session of a conversation."""
        try:
            await (await self.store()).set_session(conversation_id, session_id)
        except (ConfigError, StoreError) as error:
            self.say(error)

    async def append(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Take envelopes; they become durable soon."""
        try:
            await (await self.store()).append(turn_id, envelopes)
        except (ConfigError, StoreError) as error:
            self.say(error)

    async def commit(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Take envelopes and return when they are durable."""
        try:
            await (await self.store()).commit(turn_id, envelopes)
        except (ConfigError, StoreError) as error:
            self.say(error)

    async def close(self) -> None:
        """Write what waits and close the store."""
        async with self._opening:
            self._closed = True
            if self._store is not None:
                await self._store.close()

    def say(self, error: ConfigError | StoreError) -> None:
        """Tell, once, that the store failed."""
        if not self._failed:
            self._failed = True
            _log.error("the conversation is not kept: %s", error)
            self._tell(f"This conversation is not kept: {error}")


class KeptTurn:
    """A turn that is kept in the store."""

    def __init__(self, recorder: Recorder, record: TurnRecord) -> None:
        self._recorder = recorder
        self._record = record

    async def begin(self) -> None:
        """Note that it begins."""
        try:
            await (await self._recorder.store()).begin_turn(self._record)
        except (ConfigError, StoreError) as error:
            self._recorder.say(error)

    async def end(self, result: CodingResult) -> None:
        """Note how it ended."""
        try:
            store = await self._recorder.store()
            await store.end_turn(self._record.id, result.status, msgspec.json.encode(result).decode())
        except (ConfigError, StoreError) as error:
            self._recorder.say(error)


class NotKept:
    """A turn that is not kept."""

    async def begin(self) -> None:
        """Do nothing."""

    async def end(self, result: CodingResult) -> None:
        """Do nothing."""
