"""JSON-RPC messages over the streams of an agent process, for the connection of the official package."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from nbharness.adapters.acp.faults import INTERNAL_ERROR
from nbharness.adapters.program import Unreadable, read_message
from nbharness.errors import AdapterProcessError
from nbharness.process import AgentProcess, Line, LineSplitter

__all__ = ["ProcessTransport"]

_decoder = msgspec.json.Decoder(dict[str, Any])


class ProcessTransport:
    """What the package's connection sends through and receives from.

    The package runs a task for each message, so that nothing but luck keeps their order. What must stay in order is
    therefore taken here, before the connection sees the message.

    Args:
        process: The agent.
        intake: Given each message as it comes; returns what the connection is to get, or ``None`` for nothing.
        on_fault: Told what could not be read: a short name of the kind, and a sentence.
    """

    def __init__(
        self,
        process: AgentProcess,
        intake: Callable[[dict[str, Any]], dict[str, Any] | None],
        on_fault: Callable[[str, str], None],
    ) -> None:
        self._process = process
        self._intake = intake
        self._on_fault = on_fault
        self._splitter = LineSplitter()
        self._lines: deque[Line] = deque()
        self.ended = False
        """True when the agent says no more."""

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises:
            ProcessGoneError: The agent is gone; answers to what it asked are then dropped.
        """
        try:
            await self._process.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except AdapterProcessError:
            if "method" in message:
                raise

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message for the connection, or ``None`` at the end."""
        while True:
            while self._lines:
                message = self._read(self._lines.popleft())
                taken = None if message is None else self._intake(message)
                if taken is not None:
                    return taken
            block = await self._process.stdout.read()
            if not block:
                break
            self._lines.extend(self._splitter.feed(block))
        self.ended = True
        for line in self._splitter.end():
            self._read(line)
        return None

    async def close(self) -> None:
        """Do nothing: whoever started the process ends it."""

    def _read(self, line: Line) -> dict[str, Any] | None:
        message = read_message("the agent", line, _decoder)
        if isinstance(message, Unreadable):
            self._on_fault(message.code, message.why)
            return None
        return None if message is None else _sane(message)


def _sane(message: dict[str, Any]) -> dict[str, Any] | None:
    """The message with the parts on which the connection relies; ``None`` when it lacks them."""
    if "id" in message and not isinstance(message["id"], int | str):
        return None
    if not isinstance(message.get("method", ""), str):
        return None
    error = message.get("error")
    if error is not None and not isinstance(error, dict):
        message["error"] = {"code": INTERNAL_ERROR, "message": str(error)}
    elif isinstance(error, dict) and not isinstance(error.get("message"), str):
        error["message"] = str(error.get("message"))
    if error is None and "result" not in message:
        message.pop("error", None)
    return message
