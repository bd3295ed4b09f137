"""The sessions that an agent keeps of a workspace."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from nbharness.adapters.acp.faults import METHOD_NOT_FOUND, Refusal
from nbharness.adapters.acp.launch import facts_for, launch_for
from nbharness.adapters.acp.link import AgentLink, Peer
from nbharness.adapters.acp.opening import can_do, introduce
from nbharness.adapters.acp.presets import Preset
from nbharness.adapters.acp.values import mapping, mappings, name_of, text_of
from nbharness.adapters.base import KeptSession, TurnRequest
from nbharness.errors import NotSupported

__all__ = ["sessions_of"]

_MAX_PAGES = 20
_CLOSE_GRACE_S = 0.5


async def sessions_of(preset: Preset, workspace: Path, command: str | None) -> list[KeptSession]:
    """Ask an agent for its sessions in a workspace, in its order, and end it again.

    Args:
        preset: The agent.
        workspace: Whose sessions. The agent is started elsewhere: nothing that lies there runs.
        command: Its command line, or ``None`` for that of the preset.

    Raises:
        NotSupported: It does not list sessions.
        AdapterError: It is not here, cannot start or refuses.
    """
    request = TurnRequest(turn_id="list", task="", workspace=workspace, command=command)
    facts = facts_for(preset, request)
    launch = launch_for(facts, request)
    peer = Peer(lambda message: message, lambda _code, _why: None, _refuse)
    with tempfile.TemporaryDirectory(prefix="nbharness-") as elsewhere:
        link = await AgentLink.open(facts.name, launch.argv, cwd=Path(elsewhere), env=launch.environment, peer=peer)
        try:
            can = await introduce(link, facts, launch)
            if not can_do(mapping(can.get("sessionCapabilities")), "list"):
                raise NotSupported(facts.name, "listing sessions", "continue one that is known by its id")
            return await _pages(link, str(workspace))
        finally:
            await link.aclose(_CLOSE_GRACE_S)


async def _pages(link: AgentLink, workspace: str) -> list[KeptSession]:
    kept: dict[str, KeptSession] = {}
    cursor = ""
    for _page in range(_MAX_PAGES):
        said = await link.request("session/list", {"cwd": workspace, **({"cursor": cursor} if cursor else {})})
        for session in mappings(said.get("sessions")):
            id_ = name_of(session.get("sessionId"))
            # Not every agent looks at the directory that it is asked about.
            if id_ and session.get("cwd", workspace) == workspace:
                title, updated_at = text_of(session.get("title")), text_of(session.get("updatedAt"))
                kept.setdefault(id_, KeptSession(session_id=id_, title=title, updated_at=updated_at))
        cursor = text_of(said.get("nextCursor"))
        if not cursor:
            break
    return list(kept.values())


async def _refuse(method: str, _params: Any) -> dict[str, Any]:
    raise Refusal(METHOD_NOT_FOUND, f"{method}: no turn runs")
