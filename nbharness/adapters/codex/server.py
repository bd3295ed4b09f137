"""One running app-server of Codex, with one thread open on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Protocol

import msgspec

from nbharness.adapters.base import McpServer, TurnRequest
from nbharness.adapters.codex.rpc import Incoming, RpcClient
from nbharness.adapters.program import Refused
from nbharness.errors import AdapterError, AdapterProcessError, AdapterProtocolError, ConfigError
from nbharness.process import spawn
from nbharness.tasks import TaskOwner

__all__ = ["AppServer", "Listener", "settings_of"]

SANDBOXES = ("workspace-write", "read-only", "danger-full-access")
_MCP_NAME = re.compile(r"[A-Za-z0-9_-]+")
_CLOSE_GRACE_S = 0.5


class Listener(Protocol):
    """Whoever runs a turn on the app-server."""

    def on_batch(self, batch: list[Incoming]) -> None:
        """Take what Codex says, in order."""

    def on_end(self, error: AdapterProcessError) -> None:
        """The app-server is gone."""


class AppServer:
    """A process of Codex. Made by :meth:`start`; whoever started it closes it.

    Attributes:
        settings: What it was started with; another turn that wants other settings needs another one.
        listener: Told what Codex says; without one it is dropped.
        thread_id: The open thread, ``""`` until there is one.
        model: Model of the thread.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.listener: Listener | None = None
        self.thread_id = ""
        self.model = ""
        self._sandbox: Any = None
        self._rpc: RpcClient

    @classmethod
    async def start(
        cls, program: str, request: TurnRequest, environment: Mapping[str, str], tasks: TaskOwner
    ) -> AppServer:
        """Start the program and greet it.

        Args:
            program: Path of Codex.
            request: The turn that needs it.
            environment: All of its environment.
            tasks: Owns the task that reads.

        Raises:
            AdapterProcessError: It cannot be started, or ended.
            AdapterProtocolError: It is no app-server that we can talk to.
        """
        server = cls(settings_of(request))
        process = await spawn([program, "app-server"], cwd=request.workspace, env=environment)
        server._rpc = RpcClient(process, tasks, server._on_batch, server._on_end)
        try:
            client = {"name": "nbharness", "title": "nbharness", "version": version("nbharness")}
            capabilities = {"experimentalApi": True, "requestAttestation": False}
            await server.request("initialize", {"clientInfo": client, "capabilities": capabilities})
            await server._rpc.notify("initialized")
        except BaseException:
            await server.aclose()
            raise
        return server

    @property
    def alive(self) -> bool:
        """True while it can be talked to."""
        return self._rpc.alive

    async def open_thread(self, request: TurnRequest, thread_id: str, *, fork: bool) -> None:
        """Open a new thread, or take one up again.

        Args:
            request: The turn that needs it.
            thread_id: The thread to take up; ``""`` for a new one.
            fork: Leave that thread as it is and go on in a copy.

        Raises:
            AdapterError: There is no such thread, or Codex refuses a setting.
        """
        params = _thread_params(request)
        if not thread_id:
            method = "thread/start"
        else:
            method = "thread/fork" if fork else "thread/resume"
            params |= {"threadId": thread_id, "excludeTurns": True}
        try:
            result = await self.request(method, params)
            opened = msgspec.convert(result, _Opened)
        except Refused as error:
            if not thread_id:
                raise
            text = f"codex cannot take up session {thread_id}: {error.reason}. Start a new conversation"
            raise AdapterError(text) from error
        except msgspec.ValidationError as error:
            raise AdapterProtocolError(f"codex answered {method} with something else: {error}") from error
        self.thread_id, self.model, self._sandbox = opened.thread.id, opened.model, opened.sandbox

    async def start_turn(self, request: TurnRequest, text: str, *, plan: bool, after_plan: bool) -> str:
        """Start a turn on the thread; return Codex's id of it.

        Args:
            request: The turn of ours.
            text: What Codex is told.
            plan: Codex is to propose a plan and change nothing.
            after_plan: The thread was in plan mode before.
        """
        params: dict[str, Any] = {
            "threadId": self.thread_id,
            "input": [{"type": "text", "text": text, "text_elements": []}],
            "approvalPolicy": "on-request" if plan else "untrusted",
            "approvalsReviewer": "user",
            # While it plans, a command runs without a question, where it cannot write.
            "sandboxPolicy": {"type": "readOnly", "networkAccess": False} if plan else self._sandbox,
        }
        if request.model:
            params["model"] = self.model = request.model
        if effort := request.options.get("effort"):
            params["effort"] = effort
        if plan or after_plan:
            settings = {"model": self.model, "reasoning_effort": effort, "developer_instructions": None}
            params["collaborationMode"] = {"mode": "plan" if plan else "default", "settings": settings}
        result = await self.request("turn/start", params)
        try:
            return msgspec.convert(result, _Started).turn.id
        except msgspec.ValidationError as error:
            raise AdapterProtocolError(f"codex answered turn/start with something else: {error}") from error

    async def request(self, method: str, params: Any, timeout_s: float = 60.0) -> dict[str, Any]:
        """Send any request; see :meth:`RpcClient.request`."""
        return await self._rpc.request(method, params, timeout_s)

    async def answer(self, id_: int | str, result: Any) -> None:
        """Answer what Codex asked."""
        await self._rpc.answer(id_, result)

    async def refuse(self, id_: int | str, why: str) -> None:
        """Say that what Codex asked cannot be answered."""
        await self._rpc.refuse(id_, why)

    async def aclose(self) -> None:
        """End it and everything that it started; return when nothing of it is left."""
        await self._rpc.aclose(_CLOSE_GRACE_S)

    def _on_batch(self, batch: list[Incoming]) -> None:
        if self.listener is not None:
            self.listener.on_batch(batch)

    def _on_end(self, error: AdapterProcessError) -> None:
        if self.listener is not None:
            self.listener.on_end(error)


class _Thread(msgspec.Struct, frozen=True):
    id: str


class _Opened(msgspec.Struct, frozen=True):
    thread: _Thread
    model: str = ""
    sandbox: Any = None


class _Started(msgspec.Struct, frozen=True):
    turn: _Thread


def settings_of(request: TurnRequest) -> dict[str, Any]:
    """Return what of a turn an app-server and its thread are set up for.

    Raises:
        ConfigError: An option has a value that Codex cannot take.
    """
    sandbox = request.options.get("sandbox", SANDBOXES[0])
    if sandbox not in SANDBOXES:
        raise ConfigError(f"sandbox is {sandbox!r}. Valid: {', '.join(SANDBOXES)}")
    return {
        "environment": dict(request.environment),
        "mcp": dict(map(_mcp_entry, request.mcp_servers)),
        "instructions": request.system_prompt_append,
        "sandbox": sandbox,
        "todos": request.todos,
        "workspace": str(request.workspace),
    }


def _thread_params(request: TurnRequest) -> dict[str, Any]:
    settings = settings_of(request)
    config: dict[str, Any] = {f"mcp_servers.{name}": entry for name, entry in settings["mcp"].items()}
    if request.todos:
        config["tools.update_plan.enabled"] = True
    params: dict[str, Any] = {
        "cwd": str(request.workspace),
        # Every command and patch asks. An approved command runs in the sandbox first.
        "approvalPolicy": "untrusted",
        # Or else a model of Codex's may answer in our place.
        "approvalsReviewer": "user",
        "sandbox": settings["sandbox"],
        "config": config,
    }
    if request.model:
        params["model"] = request.model
    if request.system_prompt_append:
        params["developerInstructions"] = request.system_prompt_append
    return params


def _mcp_entry(server: McpServer) -> tuple[str, dict[str, Any]]:
    if not _MCP_NAME.fullmatch(server.name):
        raise ConfigError(f"MCP server {server.name!r}: codex takes letters, digits, '_' and '-' in a name only")
    if server.command:
        return server.name, {"command": server.command, "args": list(server.args), "env": dict(server.env)}
    if server.url:
        return server.name, {"url": server.url, "http_headers": dict(server.headers)}
    raise ConfigError(f"MCP server {server.name!r} has neither a command nor a url")
