"""Commands that an agent has us run (``terminal/*``)."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nbharness.adapters.acp.faults import INVALID_PARAMS, RESOURCE_NOT_FOUND, Refusal
from nbharness.adapters.acp.values import count_of, mapping, text_of
from nbharness.errors import AdapterProcessError
from nbharness.process import AgentProcess, ExitStatus, spawn
from nbharness.tasks import TaskOwner

__all__ = ["Terminals", "command_in"]

_MAX_OUTPUT_BYTES = 1024 * 1024
_MAX_TERMINALS = 64
_GRACE_S = 0.5


class Terminals:
    """The commands of one session. Belongs to the runtime's loop.

    Args:
        tasks: Owns the tasks that read their output.
        on_output: Told the id of a terminal and what it wrote.
    """

    def __init__(self, tasks: TaskOwner, on_output: Callable[[str, str], None]) -> None:
        self._tasks = tasks
        self._on_output = on_output
        self._terminals: dict[str, _Terminal] = {}
        self._made = 0

    async def create(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], params: object) -> dict[str, Any]:
        """Run a command.

        Raises:
            Refusal: It cannot be run, or too many run.
        """
        if len(self._terminals) >= _MAX_TERMINALS:
            raise Refusal(INVALID_PARAMS, f"{_MAX_TERMINALS} terminals are open; release some first")
        try:
            process = await spawn(argv, cwd=cwd, env=env, stdin=False, merge_stderr=True)
        except AdapterProcessError as error:
            raise Refusal(INVALID_PARAMS, str(error)) from error
        self._made += 1
        id_ = f"terminal-{self._made}"
        limit = count_of(mapping(params).get("outputByteLimit"))
        terminal = _Terminal(process, _MAX_OUTPUT_BYTES if limit is None else min(limit, _MAX_OUTPUT_BYTES))
        self._terminals[id_] = terminal
        self._tasks(terminal.read(lambda text: self._on_output(id_, text)), f"output of {id_}")
        return {"terminalId": id_}

    async def answer(self, method: str, params: object) -> dict[str, Any]:
        """Answer a request about a terminal.

        Raises:
            Refusal: There is no such terminal.
        """
        id_ = text_of(mapping(params).get("terminalId"))
        terminal = self._terminals.get(id_)
        if terminal is None:
            raise Refusal(RESOURCE_NOT_FOUND, f"there is no terminal {id_!r}")
        match method:
            case "terminal/output":
                return terminal.output()
            case "terminal/wait_for_exit":
                await terminal.done.wait()
                return _status(terminal.process.status)
            case "terminal/release":
                del self._terminals[id_]
                await terminal.process.aclose(_GRACE_S)
            case _:
                await terminal.process.terminate(_GRACE_S)
        return {}

    async def aclose(self) -> None:
        """End all commands."""
        terminals, self._terminals = list(self._terminals.values()), {}
        for terminal in terminals:
            await terminal.process.aclose(_GRACE_S)


class _Terminal:
    def __init__(self, process: AgentProcess, limit: int) -> None:
        self.process = process
        self.done = asyncio.Event()
        self._limit = limit
        self._kept = ""
        self._truncated = False

    async def read(self, on_output: Callable[[str], None]) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            while block := await self.process.stdout.read():
                self._take(decoder.decode(block), on_output)
            self._take(decoder.decode(b"", final=True), on_output)
            await self.process.wait()
        finally:
            self.done.set()

    def output(self) -> dict[str, Any]:
        """The answer to ``terminal/output``."""
        known: dict[str, Any] = {"output": self._kept, "truncated": self._truncated}
        status = self.process.status
        return known if status is None else {**known, "exitStatus": _status(status)}

    def _take(self, text: str, on_output: Callable[[str], None]) -> None:
        self._kept += text
        if len(self._kept) > self._limit:
            self._kept, self._truncated = self._kept[len(self._kept) - self._limit :], True
        if text:
            on_output(text)


def command_in(params: object) -> list[str]:
    """Return the command of a ``terminal/create``.

    Raises:
        Refusal: It names none.
    """
    said = mapping(params)
    command, args = text_of(said.get("command")), said.get("args")
    if not command:
        raise Refusal(INVALID_PARAMS, "terminal/create needs a command")
    if args is None:
        # Agents that mean a shell's line send it whole.
        return ["/bin/sh", "-c", command] if " " in command else [command]
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise Refusal(INVALID_PARAMS, "args must be a list of texts")
    return [command, *args]


def _status(status: ExitStatus | None) -> dict[str, Any]:
    if status is None:
        return {}
    return {"exitCode": status.code, "signal": None if status.signal is None else str(status.signal)}
