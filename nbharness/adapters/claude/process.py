"""One process of Claude Code: messages in lines both ways, and a control protocol among them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from nbharness.adapters.program import MessageLink, Unreadable
from nbharness.errors import AdapterProcessError
from nbharness.process import AgentProcess
from nbharness.tasks import TaskOwner

__all__ = ["Ask", "ClaudeProcess", "Incoming", "Withdrawn"]

_CONTROL_S = 60.0
_decoder = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Ask:
    """Claude asks something and waits for the answer with the same id."""

    id: str
    request: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Claude no longer waits for the answer with this id."""

    id: str


Incoming: TypeAlias = dict[str, Any] | Ask | Withdrawn | Unreadable
"""A dictionary is a message as it came."""


class ClaudeProcess:
    """The conversation with one process. It reads from the beginning until the process ends.

    Args:
        process: The process; closed by :meth:`aclose`, and by its own end.
        spawn: Starts the task that reads.

    Attributes:
        on_batch: Takes the messages of one read (64 KiB at most), in order, answers to control requests left out.
        on_end: Told once that the process is gone.
    """

    def __init__(self, process: AgentProcess, spawn: TaskOwner) -> None:
        self.on_batch: Callable[[list[Incoming]], None] = lambda _batch: None
        self.on_end: Callable[[AdapterProcessError], None] = lambda _error: None
        self._pid = process.pid
        self._ids = itertools.count(1)
        self._link: MessageLink[dict[str, Any], Incoming] = MessageLink(
            "claude",
            process,
            spawn,
            decoder=_decoder,
            sort=self._sorted,
            on_batch=self._hear,
            on_end=self._end,
        )

    @property
    def alive(self) -> bool:
        """True while the process can be talked to."""
        return self._link.alive

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._pid

    async def control(self, subtype: str, timeout_s: float = _CONTROL_S, **fields: Any) -> None:
        """Send a control request and wait until it is carried out.

        Raises:
            Refused: Claude refuses it.
            AdapterProtocolError: It does not answer within `timeout_s` seconds.
            AdapterProcessError: It ended.
        """
        id_ = f"nbharness-{next(self._ids)}"
        message = {"type": "control_request", "request_id": id_, "request": {"subtype": subtype, **fields}}
        await self._link.request(id_, subtype, message, timeout_s)

    async def say(self, text: str) -> None:
        """Send a message of the user.

        Raises:
            AdapterProcessError: The process has ended.
        """
        message = {"role": "user", "content": text}
        await self._link.send({"type": "user", "message": message, "parent_tool_use_id": None, "session_id": "default"})

    async def answer(self, id_: str, response: dict[str, Any]) -> None:
        """Answer what Claude asks; without effect when the process has ended."""
        body = {"subtype": "success", "request_id": id_, "response": response}
        await self._link.send_answer({"type": "control_response", "response": body})

    async def refuse(self, id_: str, why: str) -> None:
        """Answer what Claude asks with an error; without effect when the process has ended."""
        body = {"subtype": "error", "request_id": id_, "error": why}
        await self._link.send_answer({"type": "control_response", "response": body})

    async def aclose(self, grace_s: float) -> None:
        """End the process and all it started; return when nothing of it is left.

        Args:
            grace_s: Seconds between SIGTERM and SIGKILL.
        """
        await self._link.aclose(grace_s)

    def _hear(self, batch: list[Incoming]) -> None:
        self.on_batch(batch)

    def _end(self, error: AdapterProcessError) -> None:
        self.on_end(error)

    def _sorted(self, message: dict[str, Any]) -> Incoming | None:
        id_, request = message.get("request_id"), message.get("request")
        match message.get("type"):
            case "control_response":
                self._answered(message.get("response"))
                return None
            case "control_request" if isinstance(id_, str) and isinstance(request, dict):
                return Ask(id_, request)
            case "control_cancel_request" if isinstance(id_, str):
                return Withdrawn(id_)
            case "keep_alive":
                return None
            case _:
                return message

    def _answered(self, response: Any) -> None:
        fields = response if isinstance(response, dict) else {}
        id_ = str(fields.get("request_id"))
        if fields.get("subtype") == "error":
            self._link.reject(id_, str(fields.get("error")))
        else:
            self._link.accept(id_, None)
