"""Drives any agent that speaks the Agent Client Protocol."""

from __future__ import annotations

import os
from pathlib import Path

from nbharness.adapters.acp.listing import sessions_of
from nbharness.adapters.acp.presets import Preset
from nbharness.adapters.acp.rules import compiled
from nbharness.adapters.acp.session import AcpSession
from nbharness.adapters.acp.status import status_of
from nbharness.adapters.base import AgentStatus, Capabilities, KeptSession
from nbharness.policy import Rule

__all__ = ["AcpAdapter"]


class AcpAdapter:
    """The adapter of one program.

    Args:
        preset: What is known of it.
    """

    def __init__(self, preset: Preset) -> None:
        self._preset = preset

    @property
    def name(self) -> str:
        """The name users give to ``--agent``."""
        return self._preset.name

    @property
    def capabilities(self) -> Capabilities:
        """What the program can do."""
        return self._preset.capabilities

    @property
    def unasked(self) -> tuple[str, ...]:
        """What the program does without asking."""
        return self._preset.unasked

    def status(self) -> AgentStatus:
        """Return whether the program is here; runs nothing."""
        return status_of(self._preset, os.environ)

    def compiled(self, rule: Rule) -> str | None:
        """Return a rule in the program's own words, which it obeys also where it would not ask.

        Only the command that we know is given them, and not one that the user wrote.
        """
        return compiled(self._preset, rule)

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> AcpSession:
        """Open a session, or take one up again. The program is started by its first turn."""
        return AcpSession(self._preset, workspace, session_id or "", fork=fork)

    async def list_sessions(self, workspace: Path, *, command: str | None = None) -> list[KeptSession]:
        """Return the sessions that the program keeps of a workspace, in its order.

        Raises:
            NotSupported: It does not list sessions.
            AdapterError: It is not here, cannot start or refuses.
        """
        return await sessions_of(self._preset, workspace, command)
