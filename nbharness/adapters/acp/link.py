"""One running agent and the connection to it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nbharness.adapters.acp.faults import Refusal, adapter_error
from nbharness.adapters.acp.transport import ProcessTransport
from nbharness.adapters.acp.values import mapping
from nbharness.adapters.program import death
from nbharness.errors import AdapterNotInstalled, AdapterProcessError
from nbharness.process import AgentProcess, ExitStatus, ProcessGoneError, spawn

__all__ = ["AgentLink", "Peer"]

_STATUS_WAIT_S = 1.0
"""How long the exit status of an agent that closed its output may take to be known."""


class Peer:
    """Who is at our end of a connection.

    Args:
        intake: Given each message in its order; see ``ProcessTransport``.
        on_fault: Told what could not be read.
        answer: Answers a request, by its method and parameters.
    """

    def __init__(
        self,
        intake: Callable[[dict[str, Any]], dict[str, Any] | None],
        on_fault: Callable[[str, str], None],
        answer: Callable[[str, Any], Awaitable[dict[str, Any]]],
    ) -> None:
        self.intake = intake
        self.on_fault = on_fault
        self.answer = answer


class AgentLink:
    """A connection to an agent process. Made by :meth:`open`; belongs to the runtime's loop.

    Attributes:
        process: The agent.
        login: How to sign in, for the errors that say that nobody is.
    """

    def __init__(self, agent: str, process: AgentProcess, transport: ProcessTransport, connection: Any) -> None:
        self.process = process
        self.login = ""
        self._agent = agent
        self._transport = transport
        self._connection = connection

    @classmethod
    async def open(cls, agent: str, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], peer: Peer) -> AgentLink:
        """Start an agent.

        Args:
            agent: Its name, for errors.
            argv: Its command.
            cwd: Directory that it works in.
            env: All of its environment.
            peer: Who it talks to.

        Raises:
            AdapterNotInstalled: The package that speaks its protocol is missing.
            ProcessStartError: It cannot be run.
        """
        process = await spawn(argv, cwd=cwd, env=env)
        try:
            # Half a second of imports, off the loop, while the agent starts too.
            package = await asyncio.to_thread(importlib.import_module, "acp.connection")
        except ModuleNotFoundError as error:
            await process.aclose(grace_s=0)
            raise AdapterNotInstalled(agent, f"pip install 'nbharness[acp]'  (missing module: {error.name})") from error
        except asyncio.CancelledError:
            await process.aclose(grace_s=0)
            raise
        transport = ProcessTransport(process, peer.intake, peer.on_fault)
        return cls(agent, process, transport, package.Connection(_handler(package, peer), transport))

    @property
    def alive(self) -> bool:
        """True while it can be talked to."""
        return self.process.status is None and not self._transport.ended

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask the agent and return its answer.

        Raises:
            AdapterError: It answered with an error; rate limits, full contexts and missing logins have classes of
                their own.
            ProcessGoneError: It had ended before; nothing was sent.
            AdapterProcessError: It ended instead.
        """
        if self._transport.ended:
            raise ProcessGoneError(f"{self._agent} ended before {method} was sent", stderr=self.process.stderr_tail)
        try:
            answer = mapping(await self._connection.send_request(method, params))
        except ConnectionError as error:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), _STATUS_WAIT_S)
            raise death(self._agent, self.process, method) from error
        except AdapterProcessError:
            raise
        except Exception as error:
            if not isinstance(error, _request_error()):
                raise
            raise adapter_error(self._agent, method, error, self.login) from error
        # A program that is only the starter of another dies, and the other still ends the turn as if nothing was wrong.
        if self.process.status not in (None, ExitStatus(0, None)):
            raise death(self._agent, self.process, method)
        return answer

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Tell the agent something; without effect when it is gone."""
        with contextlib.suppress(ConnectionError, AdapterProcessError):
            await self._connection.send_notification(method, params)

    async def aclose(self, grace_s: float) -> None:
        """End the agent and all that it started; it is gone when this returns or raises."""
        try:
            await self._connection.close()
        finally:
            await self.process.aclose(grace_s)


def _request_error() -> type[Exception]:
    error: type[Exception] = importlib.import_module("acp.exceptions").RequestError
    return error


def _handler(package: Any, peer: Peer) -> Callable[[str, Any, bool], Awaitable[dict[str, Any] | None]]:
    """Return the connection's handler: requests are answered, further notifications are nothing to us."""

    async def handle(method: str, params: Any, is_notification: bool) -> dict[str, Any] | None:  # noqa: FBT001 (theirs)
        if is_notification:
            return None
        try:
            return await peer.answer(method, params)
        except Refusal as refusal:
            raise package.RequestError(refusal.code, refusal.message, refusal.data) from refusal

    return handle
