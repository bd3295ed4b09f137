"""Drives the agent that ships with nbharness: opens its sessions. There is no process; it lives in this one."""

from __future__ import annotations

import importlib.util
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nbharness import config
from nbharness.adapters.base import AgentStatus, Capabilities
from nbharness.adapters.builtin.choices import OPTIONS
from nbharness.adapters.builtin.faults import Patience
from nbharness.adapters.builtin.history import SessionFile, new_session_id
from nbharness.adapters.builtin.models import AGENT, has_key, login
from nbharness.adapters.builtin.session import BuiltinSession
from nbharness.errors import AdapterError, AdapterNotInstalled
from nbharness.redact import Redactor

__all__ = ["BuiltinAdapter", "create"]

_PACKAGE, _MODULE = "pydantic-ai-slim", "pydantic_ai"
_INSTALL = "pip install 'nbharness[agent]'"


def create() -> BuiltinAdapter:
    """Return the adapter; nothing is loaded."""
    return BuiltinAdapter()


class BuiltinAdapter:
    """The built-in agent.

    Args:
        patience: How long to wait for a provider that has no time.
    """

    name = AGENT
    capabilities = Capabilities(
        approvals=True,
        edited_args=True,
        plan=True,
        todos=True,
        questions=True,
        models=True,
        resume=True,
        fork=True,
        steer=True,
        cost=True,
        terminal_output=True,
        tools=True,
        instructions=True,
        prompt_append=True,
        options=OPTIONS,
    )
    unasked = ("It reads and searches files of the workspace without asking.",)

    def __init__(self, patience: Patience | None = None) -> None:
        self._patience = patience or Patience()

    def status(self) -> AgentStatus:
        """Return whether its library is there and a key is set; asks nobody."""
        return AgentStatus(
            installed=importlib.util.find_spec(_MODULE) is not None,
            install=_INSTALL,
            version=_version(),
            logged_in=has_key(os.environ),
            login=login(),
        )

    async def open_session(
        self,
        workspace: Path,  # noqa: ARG002 (each turn names it)
        session_id: str | None = None,
        *,
        fork: bool = False,
    ) -> BuiltinSession:
        """Open a session, or take one up again.

        Raises:
            AdapterNotInstalled: The library that talks to the providers is missing.
            AdapterError: There is no such session.
        """
        if importlib.util.find_spec(_MODULE) is None:
            raise AdapterNotInstalled(AGENT, _INSTALL)
        folder = config.home() / "builtin-sessions"
        mask = Redactor.from_environment(os.environ)
        lines: list[bytes] = []
        if session_id is not None:
            try:
                lines = SessionFile(folder, session_id, mask).load()
            except LookupError as error:
                message = f"the built-in agent has no session {session_id!r} in {folder}; start a new conversation"
                raise AdapterError(message) from error
        own = new_session_id() if session_id is None or fork else session_id
        return BuiltinSession(SessionFile(folder, own, mask), lines, self._patience)


def _version() -> str | None:
    try:
        return f"{_PACKAGE} {version(_PACKAGE)}"
    except PackageNotFoundError:
        return None
