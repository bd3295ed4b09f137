"""How Claude Code is started for a turn."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from nbharness.adapters.base import McpServer, TurnRequest
from nbharness.adapters.claude.rules import settings_of
from nbharness.errors import ConfigError

__all__ = ["MODES", "Start", "mcp_configuration", "mode_of", "start_of"]

MODES = ("default", "acceptEdits", "dontAsk")
"""Permission modes of Claude's own that a user may choose. Those that ask nothing at all are not among them."""

_ALWAYS = (
    "--output-format=stream-json",
    "--input-format=stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-prompt-tool=stdio",
    "--setting-sources=user,project,local",
)


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What a process is started with and keeps; a turn that needs something else needs another process.

    Attributes:
        workspace: Its directory.
        append: Text after its system prompt.
        max_cost_usd: Cost at which it stops by itself; such a process serves one turn, since it counts all of them.
        environment: Variables that the user lets through.
        mcp_servers: MCP servers.
        settings: Rules of ours that it obeys too, as its settings in JSON.
    """

    workspace: Path
    append: str
    max_cost_usd: float | None
    environment: tuple[tuple[str, str], ...]
    mcp_servers: tuple[McpServer, ...]
    settings: str | None = None

    def arguments(
        self, *, model: str | None, mode: str, session_id: str, fork: bool, mcp_file: Path | None
    ) -> list[str]:
        """Return the arguments of a process that begins with this model and mode, perhaps in an earlier session."""
        # The form with `=` keeps a value that begins with a dash from becoming an option.
        optional = {
            "--model": model,
            "--append-system-prompt": self.append or None,
            "--max-budget-usd": None if self.max_cost_usd is None else f"{self.max_cost_usd:g}",
            "--settings": self.settings,
            "--mcp-config": None if mcp_file is None else str(mcp_file),
            "--resume": session_id or None,
        }
        given = [f"{name}={value}" for name, value in optional.items() if value is not None]
        return [*_ALWAYS, f"--permission-mode={mode}", *given, *(["--fork-session"] if fork else [])]


def start_of(request: TurnRequest) -> Start:
    """Return what a process for a turn must have been started with."""
    return Start(
        workspace=request.workspace,
        append=request.system_prompt_append,
        max_cost_usd=request.budget.max_cost_usd,
        environment=tuple(sorted(request.environment.items())),
        mcp_servers=request.mcp_servers,
        settings=settings_of(request.rules),
    )


def mode_of(request: TurnRequest) -> str:
    """Return the permission mode in which Claude works.

    Raises:
        ConfigError: The user chose one that Claude does not have, or in which it would ask nothing.
    """
    if request.plan_mode:
        return "plan"
    if request.mode is not None and request.mode not in MODES:
        raise ConfigError(f"claude has no mode {request.mode!r} to work in here. Valid: {', '.join(MODES)}")
    return request.mode or "default"


def mcp_configuration(servers: Iterable[McpServer]) -> bytes:
    """Return the configuration file for MCP servers; it may hold secrets."""
    return msgspec.json.encode({"mcpServers": {server.name: _entry(server) for server in servers}})


def _entry(server: McpServer) -> dict[str, Any]:
    loaded = {"alwaysLoad": True} if server.eager else {}
    if server.url is not None:
        return {"type": "http", "url": server.url, "headers": dict(server.headers), **loaded}
    return {"type": "stdio", "command": server.command, "args": list(server.args), "env": dict(server.env), **loaded}
