"""A session of Codex: one thread, and the app-server that holds it while there is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.adapters.codex.server import AppServer, settings_of
from nbharness.adapters.codex.turn import CodexTurn
from nbharness.errors import AdapterProcessError
from nbharness.events import SessionStarted
from nbharness.process import agent_environment
from nbharness.tasks import TaskOwner

__all__ = ["CodexSession"]

_CLOSE_S = 2.0


class CodexSession:
    """One session. The app-server starts with the first turn, serves the next ones, and is started again when it died.

    Args:
        program: Path of Codex.
        own_variables: Returns the variables of ours that Codex needs.
        thread_id: The thread to take up; ``""`` for a new one.
        fork: Leave that thread as it is and go on in a copy.
    """

    def __init__(
        self,
        program: Path,
        own_variables: Callable[[], Mapping[str, str]],
        thread_id: str = "",
        *,
        fork: bool = False,
    ) -> None:
        self._program = program
        self._own_variables = own_variables
        self._thread_id = thread_id
        self._fork = fork
        self._server: AppServer | None = None
        self._planning = False
        self._began = False
        self._tasks = TaskOwner()

    @property
    def session_id(self) -> str:
        """Codex's id of the thread, ``""`` while it cannot be taken up again."""
        return "" if self._fork else self._thread_id

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        """Run one turn to its end.

        Raises:
            AdapterError: Codex is not installed, cannot start, ended, or cannot be understood.
            ConfigError: An option has a value that Codex cannot take.
        """
        reused = self._server
        server = await self._ready(request)
        port.emit(SessionStarted(session_id=server.thread_id, model=request.model or server.model))
        try:
            await self._run_on(server, request, port)
        except AdapterProcessError:
            if self._began or server is not reused:
                raise
            # It had died since the last turn, and that was not known yet.
            await self._run_on(await self._ready(request), request, port)

    async def close(self) -> None:
        """End Codex and all that it started."""
        await self._drop_server()
        await self._tasks.close(_CLOSE_S)

    async def _run_on(self, server: AppServer, request: TurnRequest, port: TurnPort) -> None:
        turn = CodexTurn(server, request, port, self._tasks, after_plan=self._planning)
        try:
            await turn.run()
        finally:
            self._planning, self._began = turn.planning, turn.began
            if turn.began:
                self._thread_id, self._fork = server.thread_id, False

    async def _ready(self, request: TurnRequest) -> AppServer:
        """Return an app-server that fits the turn, with the thread open."""
        server = self._server
        if server is not None and server.alive and server.settings == settings_of(request):
            return server
        await self._drop_server()
        environment = agent_environment(os.environ, {**self._own_variables(), **request.environment, "NBHARNESS": "1"})
        server = await AppServer.start(str(self._program), request, environment, self._tasks)
        try:
            await server.open_thread(request, self._thread_id, fork=self._fork)
        except BaseException:
            await server.aclose()
            raise
        self._server = server
        return server

    async def _drop_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.aclose()
