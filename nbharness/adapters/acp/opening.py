"""The first words with an agent: what it is, and which session to work in."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from nbharness.adapters.acp.faults import login_words
from nbharness.adapters.acp.launch import Launch, mcp_servers
from nbharness.adapters.acp.link import AgentLink
from nbharness.adapters.acp.presets import Preset
from nbharness.adapters.acp.values import mapping, name_of
from nbharness.errors import AdapterError, AdapterProtocolError

__all__ = ["Opened", "can_do", "introduce", "take_up"]

_PROTOCOL = 1


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A session that can be worked in.

    Attributes:
        session_id: Its id.
        said: The agent's answer, which tells of modes and models.
        is_new: It remembers nothing.
    """

    session_id: str
    said: dict[str, Any]
    is_new: bool


async def introduce(link: AgentLink, preset: Preset, launch: Launch) -> dict[str, Any]:
    """Say who we are and return what the agent can do.

    We offer neither files nor terminals: agents then work on the workspace themselves, where what they change is seen.

    Raises:
        AdapterError: It speaks another version of the protocol, or cannot sign in.
    """
    link.login = preset.login
    hello = await link.request(
        "initialize",
        {
            "protocolVersion": _PROTOCOL,
            "clientInfo": {"name": "nbharness", "title": "nbharness", "version": version("nbharness")},
            "clientCapabilities": {
                "fs": {"readTextFile": False, "writeTextFile": False},
                "terminal": False,
                "elicitation": {"form": {}},
                # Not in the protocol, and what some agents need to tell the exit codes of their own commands.
                "_meta": {"terminal_output": True},
            },
        },
    )
    spoken = hello.get("protocolVersion", _PROTOCOL)
    if spoken != _PROTOCOL:
        message = f"the agent {preset.name!r} speaks version {spoken!r} of ACP; this library speaks {_PROTOCOL}"
        raise AdapterProtocolError(message, str(hello))
    if words := login_words(hello.get("authMethods")):
        link.login = f"{preset.login}; it offers {words}"
    if launch.auth_method:
        await link.request("authenticate", {"methodId": launch.auth_method})
    return mapping(hello.get("agentCapabilities"))


async def take_up(
    link: AgentLink,
    preset: Preset,
    launch: Launch,
    *,
    can: dict[str, Any],
    workspace: Path,
    session_id: str,
    fork: bool,
) -> Opened:
    """Open a session, or take one up.

    Args:
        link: The agent.
        preset: Its facts.
        launch: How it was started.
        can: What it can do.
        workspace: Directory to work in.
        session_id: The session to take up; ``""`` for a new one.
        fork: Leave that session as it is and work in a copy.

    Returns:
        The session. An agent that cannot take one up gives a new one.

    Raises:
        AdapterError: It has no such session, cannot copy one, or nobody is signed in.
    """
    params: dict[str, Any] = {
        "cwd": str(workspace),
        "mcpServers": mcp_servers(preset.name, launch.mcp_servers, can),
    }
    sessions = mapping(can.get("sessionCapabilities"))
    if session_id and fork:
        if not can_do(sessions, "fork"):
            message = f"the agent {preset.name!r} cannot copy a session; continue it without --fork"
            raise AdapterError(message)
        return _opened(preset, await link.request("session/fork", {**params, "sessionId": session_id}), is_new=False)
    if session_id and (can_do(sessions, "resume") or can.get("loadSession") is True):
        method = "session/resume" if can_do(sessions, "resume") else "session/load"
        said = await link.request(method, {**params, "sessionId": session_id})
        return Opened(session_id=session_id, said=said, is_new=False)
    return _opened(preset, await link.request("session/new", params), is_new=True)


def can_do(capabilities: dict[str, Any], name: str) -> bool:
    """Tell whether an agent says that it can do something: with an object, or with ``true``."""
    return isinstance(capabilities.get(name), dict) or capabilities.get(name) is True


def _opened(preset: Preset, said: dict[str, Any], *, is_new: bool) -> Opened:
    session_id = name_of(said.get("sessionId"))
    if not session_id:
        raise AdapterProtocolError(f"the agent {preset.name!r} opened a session without an id", str(said))
    return Opened(session_id=session_id, said=said, is_new=is_new)
