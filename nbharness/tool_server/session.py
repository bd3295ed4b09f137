"""An agent's session that is given tools of this process, over MCP."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from nbharness.adapters.base import AgentSession, Capabilities, TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest, Decision, PlanAnswer, QuestionReply
from nbharness.errors import AdapterError
from nbharness.events import Event, Question, Unknown
from nbharness.inputs import Message
from nbharness.process import agent_environment
from nbharness.tool_server.offer import Offer

if TYPE_CHECKING:
    from nbharness.tool_server.server import ToolServer

__all__ = ["SERVER", "ServedSession", "is_served"]

SERVER = "nbharness"
"""What agents call the server."""


def is_served(capabilities: Capabilities) -> bool:
    """True for agents that get tools of this process over MCP, since they cannot be handed them."""
    return capabilities.mcp_servers and not capabilities.tools


class ServedSession:
    """The session of an agent that is told of a server when a turn brings tools.

    The server lives as long as the session, with one address and token, so that a further turn starts nothing anew.

    Args:
        session: The agent's own.
    """

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._server: ToolServer | None = None

    @property
    def session_id(self) -> str:
        """The agent's id of the session."""
        return self._session.session_id

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        """Run one turn.

        Raises:
            AdapterError: As of the agent's session; also when the tools cannot be served.
        """
        if not request.tools:
            return await self._session.run_turn(request, port)
        if any(given.name == SERVER for given in request.mcp_servers):
            raise AdapterError(f"an MCP server of the settings is called {SERVER!r}, as ours is; give it another name")
        server = await self._serving()
        server.offer = offer = Offer(
            request.tools,
            workspace=request.workspace,
            environment=agent_environment(os.environ, request.environment),
            port=port,
        )
        names = frozenset(f"mcp__{SERVER}__{tool.name}" for tool in request.tools)
        given = msgspec.structs.replace(request, tools=(), mcp_servers=(*request.mcp_servers, server.entry))
        try:
            return await self._session.run_turn(given, _AsksOnce(port, names))
        finally:
            server.offer = None
            await offer.close()

    async def close(self) -> None:
        """Close the agent's session, then the server."""
        try:
            await self._session.close()
        finally:
            if self._server is not None:
                await self._server.close()

    async def _serving(self) -> ToolServer:
        if self._server is None:
            try:
                # Half a second of imports, in which the loop has other turns to serve.
                module = await asyncio.to_thread(importlib.import_module, "nbharness.tool_server.server")
            except ModuleNotFoundError as error:
                message = f"tools of this process need {error.name}: pip install 'nbharness[notebook-tools]'"
                raise AdapterError(message) from error
            self._server = module.ToolServer(SERVER)
            self._server.open()
        return self._server


class _AsksOnce:
    """The turn, for an agent that also asks by itself whether it may call our tools: then the server asks, not both.

    Args:
        port: The turn.
        names: Our tools as agents spell them. Another server's are never among them, unless it has our name.
    """

    def __init__(self, port: TurnPort, names: frozenset[str]) -> None:
        self._port = port
        self._names = names

    def emit(self, event: Event | Unknown) -> None:
        """See `TurnPort`."""
        self._port.emit(event)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """See `TurnPort`."""
        if request.tool_name in self._names:
            return Decision(status="approved", by="rule", args=request.args)
        return await self._port.ask(request)

    async def propose(self, plan: str) -> PlanAnswer:
        """See `TurnPort`."""
        return await self._port.propose(plan)

    async def ask_questions(self, questions: Sequence[Question]) -> QuestionReply:
        """See `TurnPort`."""
        return await self._port.ask_questions(questions)

    async def next_message(self) -> Message:
        """See `TurnPort`."""
        return await self._port.next_message()

    def take_message(self) -> Message | None:
        """See `TurnPort`."""
        return self._port.take_message()
