"""An MCP server on the loopback interface, for one agent session: streamable HTTP, without sessions of its own.

Who wants in needs the bearer token, which only the agent is told, and never on a command line. A request that a web
page makes is refused by its Host or Origin.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from nbharness.adapters.base import McpServer
from nbharness.tasks import TaskOwner
from nbharness.tool_server.offer import Offer
from nbharness.tools.base import ToolError

__all__ = ["ToolServer"]

_PATH = "/mcp"
_GRACE_S = 1

_Scope = MutableMapping[str, Any]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


class ToolServer:
    """Serves what is offered, from :meth:`open` until :meth:`close`. Belongs to one loop.

    Args:
        name: What the agent calls it.

    Attributes:
        offer: Tools of the turn that runs; ``None`` between turns, when there are none.
        entry: What the agent is told.
    """

    def __init__(self, name: str) -> None:
        self.offer: Offer | None = None
        self._tasks = TaskOwner()
        self._token = secrets.token_urlsafe(32)
        # With its protocol named, asyncio sends small answers at once instead of 40 ms later.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen()
        address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self.entry = McpServer(
            name=name, url=f"http://{address}{_PATH}", headers={"Authorization": f"Bearer {self._token}"}, eager=True
        )
        server: Server[Any] = Server(name, on_list_tools=self._list, on_call_tool=self._call)
        app = server.streamable_http_app(
            streamable_http_path=_PATH,
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(
                enable_dns_rebinding_protection=True, allowed_hosts=[address], allowed_origins=[]
            ),
        )
        config = uvicorn.Config(
            self._guarded(app),
            log_config=None,
            log_level=logging.CRITICAL,
            access_log=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        self._server = _Server(config)

    def open(self) -> None:
        """Begin to serve; requests that come before it is ready wait."""
        self._tasks(self._server.serve(sockets=[self._socket]), "tool server")

    async def close(self) -> None:
        """Stop serving."""
        self.offer = None
        self._server.should_exit = True
        await self._tasks.close(_GRACE_S)
        self._socket.close()

    def _guarded(self, app: _App) -> _App:
        expected = f"Bearer {self._token}".encode()

        async def guarded(scope: _Scope, receive: _Receive, send: _Send) -> None:
            if scope["type"] == "http":
                given = dict(scope["headers"]).get(b"authorization", b"")
                if not hmac.compare_digest(given, expected):
                    await send({"type": "http.response.start", "status": 401, "headers": []})
                    await send({"type": "http.response.body", "body": b""})
                    return
            await app(scope, receive, send)

        return guarded

    async def _list(self, _context: Any, _params: Any) -> types.ListToolsResult:
        tools = [] if self.offer is None else list(self.offer.tools.values())
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.parameters,
                    annotations=types.ToolAnnotations(read_only_hint=not tool.asks, destructive_hint=tool.asks),
                )
                for tool in tools
            ]
        )

    async def _call(self, _context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if self.offer is None:
            return _result("no turn runs, so there is nothing to call", failed=True)
        try:
            return _result(await self.offer.call(params.name, params.arguments or {}))
        except ToolError as error:
            return _result(str(error), failed=True)


def _result(text: str, *, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)


class _Server(uvicorn.Server):
    """One that leaves the process's signals alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
