"""How an agent is started for a turn: its command, its environment, the servers it is given."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Any

import msgspec

from nbharness.adapters.acp.presets import PRESETS, Preset
from nbharness.adapters.acp.rules import options_of
from nbharness.adapters.acp.status import find_program
from nbharness.adapters.acp.values import mapping
from nbharness.adapters.base import McpServer, TurnRequest
from nbharness.errors import AdapterError, AdapterNotInstalled
from nbharness.process import agent_environment

__all__ = ["Launch", "facts_for", "launch_for", "mcp_servers"]


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is started. A turn that wants another one than runs gets it: the agent is started anew.

    Attributes:
        argv: Its command.
        environment: All of its environment.
        mcp_servers: Servers that it is given.
        auth_method: Id of the way in which it shall sign in; ``""`` for its own choice.
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    mcp_servers: tuple[McpServer, ...] = ()
    auth_method: str = ""


def facts_for(preset: Preset, request: TurnRequest) -> Preset:
    """Return what holds for a turn: the preset, or that of the program that the turn's command names.

    Raises:
        AdapterError: The command cannot be read.
    """
    given = _given(request)
    if not given:
        return preset
    program = os.path.basename(_split(preset, given)[0])  # noqa: PTH119 (no path of ours)
    known = next((known for known in PRESETS.values() if known.command[:1] == (program,)), preset)
    # Whoever gives the command says in it what is to be said there.
    return msgspec.structs.replace(known, name=preset.name, command=preset.command, model_option="")


def launch_for(preset: Preset, request: TurnRequest, base: Mapping[str, str] = os.environ) -> Launch:
    """Return how a preset is started for a turn.

    Args:
        preset: The program.
        request: The turn.
        base: Where variables are taken from.

    Raises:
        AdapterError: There is no command, or it cannot be read.
        AdapterNotInstalled: The program is not here.
    """
    pattern = re.compile(preset.environment) if preset.environment else None
    own = {name: value for name, value in base.items() if pattern is not None and pattern.fullmatch(name)}
    extra = {**preset.fixed, **own, **request.environment, "NBHARNESS": "1"}
    environment = agent_environment(base, extra)
    return Launch(
        argv=tuple(_argv(preset, request, environment)),
        environment=environment,
        mcp_servers=request.mcp_servers,
        auth_method=str(request.options.get("auth_method", "")),
    )


def mcp_servers(agent: str, servers: tuple[McpServer, ...], capabilities: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return MCP servers as the agent is given them.

    Args:
        agent: Its name, for the error.
        servers: The servers.
        capabilities: What the agent says it can do.

    Raises:
        AdapterError: It cannot reach one of them.
    """
    can = mapping(capabilities.get("mcpCapabilities"))
    return [_mcp_server(agent, server, can) for server in servers]


def _mcp_server(agent: str, server: McpServer, can: Mapping[str, Any]) -> dict[str, Any]:
    if server.command is not None:
        env = [{"name": name, "value": value} for name, value in server.env.items()]
        return {"name": server.name, "command": server.command, "args": list(server.args), "env": env}
    headers = [{"name": name, "value": value} for name, value in server.headers.items()]
    url = server.url or ""
    ways = ("sse", "http") if url.rstrip("/").endswith("/sse") else ("http", "sse")
    for way in ways:
        if can.get(way) is True:
            return {"type": way, "name": server.name, "url": url, "headers": headers}
    raise AdapterError(
        f"the agent {agent!r} cannot reach the MCP server {server.name!r} at {url!r}: "
        "it takes servers that it starts itself only; give a command instead of an address"
    )


def _argv(preset: Preset, request: TurnRequest, environment: Mapping[str, str]) -> list[str]:
    if given := _given(request):
        return _split(preset, given)
    if not preset.command:
        raise AdapterError(f"the agent {preset.name!r} needs a command that speaks ACP: --command 'copilot --acp'")
    program = find_program(preset.command[0], environment)
    if program is None:
        raise AdapterNotInstalled(preset.name, preset.install)
    model = [preset.model_option, request.model] if preset.model_option and request.model else []
    return [program, *preset.command[1:], *model, *options_of(preset, request.rules)]


def _given(request: TurnRequest) -> object:
    return request.command or request.options.get("command")


def _split(preset: Preset, command: object) -> list[str]:
    try:
        argv = shlex.split(command) if isinstance(command, str) else []
    except ValueError as error:
        raise AdapterError(f"the command {command!r} of the agent {preset.name!r} cannot be read: {error}") from error
    if not argv:
        raise AdapterError(f"the command {command!r} of the agent {preset.name!r} is no command line")
    return argv
