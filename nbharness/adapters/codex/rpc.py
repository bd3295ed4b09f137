"""A small JSON-RPC client for a program that speaks it in lines on its standard streams.

Codex leaves the ``jsonrpc`` field out; otherwise this is JSON-RPC 2.0 in both directions. Everything runs on one loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from nbharness.adapters.program import MessageLink, Unreadable
from nbharness.errors import AdapterProcessError, AdapterProtocolError
from nbharness.process import AgentProcess
from nbharness.tasks import TaskOwner

__all__ = ["Incoming", "Notification", "RpcClient", "ServerRequest"]

METHOD_NOT_FOUND = -32601
_REQUEST_S = 60.0


@dataclass(frozen=True, slots=True)
class Notification:
    """Something the program tells."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """Something the program asks; it waits for the answer with the same id."""

    id: int | str
    method: str
    params: Any


Incoming: TypeAlias = Notification | ServerRequest | Unreadable


class _Message(msgspec.Struct):
    id: int | str | None = None
    method: str | None = None
    params: Any = None
    result: Any = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Message)


class RpcClient:
    """The conversation with one process. It reads from the beginning until the process ends.

    Args:
        process: The process; closed by :meth:`aclose`, and by its own end.
        spawn: Starts the task that reads.
        on_batch: Takes the messages of one read (64 KiB at most), in order, answers to our requests left out.
        on_end: Told once that the process is gone, after every request that waited has failed with the same error.
    """

    def __init__(
        self,
        process: AgentProcess,
        spawn: TaskOwner,
        on_batch: Callable[[list[Incoming]], None],
        on_end: Callable[[AdapterProcessError], None],
    ) -> None:
        self._ids = itertools.count(1)
        self._link: MessageLink[_Message, Incoming] = MessageLink(
            "codex", process, spawn, decoder=_decoder, sort=self._sorted, on_batch=on_batch, on_end=on_end
        )

    @property
    def alive(self) -> bool:
        """True while the process can be talked to."""
        return self._link.alive

    async def request(self, method: str, params: Any, timeout_s: float = _REQUEST_S) -> dict[str, Any]:
        """Send a request and return its result.

        Raises:
            Refused: The program refused it.
            AdapterProtocolError: It answered with something that is no object, or not within `timeout_s` seconds.
            AdapterProcessError: It ended.
        """
        id_ = next(self._ids)
        result = await self._link.request(id_, method, {"id": id_, "method": method, "params": params}, timeout_s)
        if not isinstance(result, dict):
            raise AdapterProtocolError(f"codex answered {method} with no object", str(result))
        return result

    async def notify(self, method: str) -> None:
        """Tell something without parameters.

        Raises:
            AdapterProcessError: The program has ended.
        """
        await self._link.send({"method": method})

    async def answer(self, id_: int | str, result: Any) -> None:
        """Answer a request of the program's; without effect when that has ended."""
        await self._link.send_answer({"id": id_, "result": result})

    async def refuse(self, id_: int | str, why: str) -> None:
        """Answer a request of the program's with an error; without effect when that has ended."""
        await self._link.send_answer({"id": id_, "error": {"code": METHOD_NOT_FOUND, "message": why}})

    async def aclose(self, grace_s: float) -> None:
        """End the process and all it started; return when nothing of it is left.

        Args:
            grace_s: Seconds between SIGTERM and SIGKILL.
        """
        await self._link.aclose(grace_s)

    def _sorted(self, message: _Message) -> Incoming | None:
        if message.method is None:
            return self._answered(message)
        if message.id is None:
            return Notification(message.method, message.params)
        return ServerRequest(message.id, message.method, message.params)

    def _answered(self, message: _Message) -> Unreadable | None:
        if message.id is None:
            return Unreadable("protocol", "codex sent a message without a method")
        error = message.error
        if error is None:
            self._link.accept(message.id, message.result)
        else:
            self._link.reject(message.id, str(error.get("message") if isinstance(error, dict) else error))
        return None
