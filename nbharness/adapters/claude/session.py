"""A session of Claude Code, and the process that holds it while there is one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.adapters.claude.command import Start, mcp_configuration, mode_of, start_of
from nbharness.adapters.claude.process import ClaudeProcess
from nbharness.adapters.claude.turn import ClaudeTurn
from nbharness.errors import AdapterError, AdapterProcessError
from nbharness.process import agent_environment, spawn
from nbharness.tasks import TaskOwner

__all__ = ["ClaudeSession"]

_CLOSE_S = 2.0
_ABORT_S = 0.5
_UNSURE = "?"
_UNKNOWN = "No conversation found"
_OURS = {
    "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
    # What goes on in the background when a turn has ended would ask when nobody listens.
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
}


class ClaudeSession:
    """One session. The process starts with the first turn, serves the next ones, and is started again when it died.

    Args:
        program: Path of Claude Code.
        own_variables: Returns the variables of ours that it needs.
        session_id: The session to take up; ``""`` for a new one.
        fork: Leave that session as it is and go on in a copy.
    """

    def __init__(
        self,
        program: Path,
        own_variables: Callable[[], Mapping[str, str]],
        session_id: str = "",
        *,
        fork: bool = False,
    ) -> None:
        self._program = program
        self._own_variables = own_variables
        self._session_id = session_id
        self._fork = fork
        self._process: ClaudeProcess | None = None
        self._start: Start | None = None
        self._model: str | None = None
        self._mode = "default"
        self._tasks = TaskOwner()

    @property
    def session_id(self) -> str:
        """Claude's id of the session, ``""`` while it cannot be taken up again."""
        return "" if self._fork else self._session_id

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        """Run one turn to its end.

        Raises:
            AdapterError: Claude Code cannot start, ended, or cannot be understood.
            ConfigError: The mode is none of Claude's.
        """
        held, turn = self._process, None
        try:
            turn = ClaudeTurn(await self._ready(request), request, port, self._tasks)
            await turn.run()
        except AdapterProcessError:
            if held is None or held is not self._process or (turn is not None and turn.began):
                raise
            # It had died since the last turn, and that was not known yet.
            turn = ClaudeTurn(await self._ready(request), request, port, self._tasks)
            await turn.run()
        finally:
            if turn is not None and turn.session_id:
                self._session_id, self._fork = turn.session_id, False

    async def close(self) -> None:
        """End Claude Code and all that it started."""
        await self._drop()
        await self._tasks.close(_CLOSE_S)

    async def _ready(self, request: TurnRequest) -> ClaudeProcess:
        """Return a process that fits the turn, in the session."""
        start, mode, process = start_of(request), mode_of(request), self._process
        if process is None or not process.alive or start != self._start or start.max_cost_usd is not None:
            await self._drop()
            return await self._started(start, request.model, mode)
        # Exit from a plan changes the mode without our doing, so it is set each time that a plan may have been.
        if mode != self._mode or mode == "plan" or self._mode == "plan":
            self._mode = _UNSURE  # until it is carried out: we may be cancelled meanwhile
            await process.control("set_permission_mode", mode=mode)
            self._mode = mode
        if request.model != self._model:
            self._model = _UNSURE
            await process.control("set_model", model=request.model or "default")
            self._model = request.model
        return process

    async def _started(self, start: Start, model: str | None, mode: str) -> ClaudeProcess:
        variables = {**self._own_variables(), **dict(start.environment), "NBHARNESS": "1"}
        with _mcp_file(start) as mcp_file:
            arguments = start.arguments(
                model=model, mode=mode, session_id=self._session_id, fork=self._fork, mcp_file=mcp_file
            )
            environment = agent_environment(os.environ, {**variables, **_OURS})
            spawned = await spawn([str(self._program), *arguments], cwd=start.workspace, env=environment)
            process = ClaudeProcess(spawned, self._tasks)
            try:
                await process.control("initialize", hooks=None)
            except AdapterProcessError as error:
                if self._session_id and _UNKNOWN in error.stderr:
                    message = f"claude has no session {self._session_id!r} in this workspace; start a new conversation"
                    raise AdapterError(message) from error
                raise
            except BaseException:
                await process.aclose(_ABORT_S)
                raise
        self._process, self._start, self._model, self._mode = process, start, model, mode
        return process

    async def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.aclose(_CLOSE_S)


@contextlib.contextmanager
def _mcp_file(start: Start) -> Iterator[Path | None]:
    """Give the MCP servers in a file that only its owner reads: arguments can be read by everybody."""
    if not start.mcp_servers:
        yield None
        return
    descriptor, name = tempfile.mkstemp(prefix="nbharness-mcp-", suffix=".json")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(mcp_configuration(start.mcp_servers))
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
