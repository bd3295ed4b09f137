"""Turns of agents that speak ACP: the fake one of ``fakes/acp_agent.py``, or any other."""

from __future__ import annotations

import base64
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from support.port import Person, RecordingPort, approves

from nbharness.adapters.acp import AcpAdapter, create
from nbharness.adapters.acp.session import AcpSession
from nbharness.adapters.base import TurnRequest
from nbharness.events import Event, Unknown

__all__ = ["FAKE", "NODE", "PNG", "Talk", "claude_environment", "copilot_environment", "opened"]

FAKE = f"{sys.executable} -I -S {Path(__file__).parents[1] / 'fakes' / 'acp_agent.py'}"
"""Command of the fake agent."""

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""An image of one pixel."""


class Talk:
    """One session and its turns.

    Args:
        session: The session.
        workspace: Where it works.
        command: Command of every turn, or ``None`` for that of the adapter.
    """

    def __init__(self, session: AcpSession, workspace: Path, command: str | None) -> None:
        self.session = session
        self.workspace = workspace
        self.command = command

    def port(
        self,
        task: str,
        *,
        person: Person | None = approves,
        on_event: Callable[[Event | Unknown], None] = lambda _event: None,
        **more: Any,
    ) -> tuple[TurnRequest, RecordingPort]:
        """A turn that has not begun."""
        request = TurnRequest(turn_id="turn", task=task, workspace=self.workspace, **{"command": self.command, **more})
        return request, RecordingPort(request, person=person, on_event=on_event)

    async def run(self, task: str, **more: Any) -> RecordingPort:
        """Run a turn and return what passed."""
        request, port = self.port(task, **more)
        await self.session.run_turn(request, port)
        return port

    @property
    def pid(self) -> int:
        """The agent's process id."""
        assert self.session._link is not None
        return self.session._link.process.pid


@contextlib.asynccontextmanager
async def opened(
    workspace: Path,
    arguments: str = "",
    *,
    adapter: AcpAdapter | None = None,
    session_id: str | None = None,
    fork: bool = False,
) -> AsyncIterator[Talk]:
    """A session with the fake agent, or with an adapter's own; closed in the end."""
    command = f"{FAKE} {arguments}" if adapter is None else None
    session = await (adapter or create()).open_session(workspace, session_id, fork=fork)
    try:
        yield Talk(session, workspace, command)
    finally:
        await session.close()


NODE = Path(__file__).parents[2] / ".cache" / "agents"
"""Where the real programs are installed, and what they unpack once and for all."""


def copilot_environment(url: str, home: Path) -> dict[str, str]:
    """Variables with which Copilot talks to a model of ours and to nobody else.

    Args:
        url: The model.
        home: What it keeps goes below.
    """
    return {
        "COPILOT_HOME": str(home / "copilot"),
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
        # It masks its key wherever it reads it, so this must be no word that it says.
        "COPILOT_PROVIDER_API_KEY": "sk-not-a-key-0123456789-copilot",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        **_places(home),
    }


def claude_environment(url: str, home: Path) -> dict[str, str]:
    """Variables with which Claude Code talks to a model of ours and to nobody else."""
    return {
        "ANTHROPIC_API_KEY": "sk-not-a-key-0123456789-claude",
        "ANTHROPIC_BASE_URL": url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "IS_SANDBOX": "1",
        **_places(home),
    }


def _places(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": f"{NODE / 'node_modules' / '.bin'}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(NODE / "unpacked"),
    }
