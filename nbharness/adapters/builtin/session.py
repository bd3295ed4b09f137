"""A session of the built-in agent, before and after what talks to the provider is loaded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.adapters.builtin.choices import choices_of
from nbharness.adapters.builtin.faults import Patience
from nbharness.adapters.builtin.history import SessionFile
from nbharness.errors import AdapterError, ConfigError

if TYPE_CHECKING:
    from nbharness.adapters.builtin.talk import Talk

__all__ = ["BuiltinSession"]


class BuiltinSession:
    """One session. It holds no process; the connections to the provider are opened with its first turn.

    Args:
        file: Where it is kept.
        lines: The messages that it begins with, as JSON.
        patience: How long to wait for the provider.
    """

    def __init__(self, file: SessionFile, lines: Sequence[bytes], patience: Patience) -> None:
        self._file = file
        self._lines = lines
        self._patience = patience
        self._talk: Talk | None = None

    @property
    def session_id(self) -> str:
        """Our id of the session, ``""`` until it has something to remember: one without a key never has."""
        return self._file.session_id if self._file.is_there else ""

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        """Run one turn to its end.

        Raises:
            AdapterError: No model can be used, an option has a wrong value, or the provider refuses.
        """
        try:
            choices = choices_of(request, os.environ)
        except ConfigError as error:
            raise AdapterError(str(error)) from error
        if self._talk is None:
            # It takes seconds, in which the loop has other turns to serve.
            talk = await asyncio.to_thread(_load)
            self._talk = talk(self._file, self._lines, self._patience)
        await self._talk.run_turn(request, port, choices)

    async def close(self) -> None:
        """Close the connections to the provider."""
        if self._talk is not None:
            await self._talk.close()


def _load() -> type[Talk]:
    # The engine comes with it.
    from nbharness.adapters.builtin.talk import Talk  # noqa: PLC0415

    return Talk
