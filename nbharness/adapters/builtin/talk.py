"""What was said in a session, and the model that it is said to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.adapters.builtin.choices import Choices
from nbharness.adapters.builtin.engine import Engine, History, Message, dumped, loaded
from nbharness.adapters.builtin.faults import Patience
from nbharness.adapters.builtin.history import SessionFile
from nbharness.adapters.builtin.instructions import system_prompt_of
from nbharness.adapters.builtin.record import Record
from nbharness.adapters.builtin.turn import BuiltinTurn
from nbharness.errors import AdapterError
from nbharness.process import agent_environment

__all__ = ["Talk"]


class Talk:
    """Runs the turns of one session. Belongs to the session's loop.

    Args:
        file: Where the session is kept.
        lines: The messages that it begins with, as JSON.
        patience: How long to wait for the provider.

    Raises:
        AdapterError: The messages cannot be read.
    """

    def __init__(self, file: SessionFile, lines: Sequence[bytes], patience: Patience) -> None:
        try:
            self._history: History = loaded(lines)
        except ValueError as error:
            message = f"the session {file.session_id!r} of the built-in agent cannot be read: {error}"
            raise AdapterError(message) from error
        self._session_id = file.session_id
        self._record: Record[Message] = Record(file, dumped)
        self._patience = patience
        self._engine: Engine | None = None

    async def run_turn(self, request: TurnRequest, port: TurnPort, choices: Choices) -> None:
        """Run one turn; see :meth:`BuiltinTurn.run`."""
        engine = await self._ready(choices.model)
        turn = BuiltinTurn(
            engine,
            self._history,
            self._record,
            request,
            port,
            choices,
            environment=agent_environment(os.environ, request.environment),
            instructions=await asyncio.to_thread(system_prompt_of, request),
            patience=self._patience,
            sleep=asyncio.sleep,
        )
        await turn.run(self._session_id)

    async def close(self) -> None:
        """Close the connections to the provider."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.close()

    async def _ready(self, model: str) -> Engine:
        if self._engine is None or self._engine.name != model:
            await self.close()
            self._engine = await Engine.open(model)
        return self._engine
