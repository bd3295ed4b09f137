"""Drives Codex through its app-server."""

from __future__ import annotations

import os
from pathlib import Path

from nbharness.adapters.base import AgentStatus, Capabilities
from nbharness.adapters.codex import install
from nbharness.adapters.codex.session import CodexSession

__all__ = ["CodexAdapter", "create"]


def create() -> CodexAdapter:
    """Return the adapter; nothing is started and nothing is looked for."""
    return CodexAdapter()


class CodexAdapter:
    """OpenAI's Codex: its app-server, one process a session.

    In every approval mode every command and patch comes to the approval desk, so that rules hold and what ran is on
    record; the mode decides there. An approved command runs in Codex's sandbox first and, when the
    sandbox is what made it fail, again outside of it without a further question.

    Args:
        program: Path of Codex, instead of the packaged one or the one on PATH.
    """

    name = "codex"
    capabilities = Capabilities(
        approvals=True,
        plan=True,
        todos=True,
        questions=True,
        models=True,
        resume=True,
        fork=True,
        steer=True,
        terminal_output=True,
        mcp_servers=True,
        prompt_append=True,
        project_config=True,
        options=frozenset({"effort", "sandbox"}),
    )
    unasked = (
        "Commands of plain words that only read in the workspace (ls, cat, rg and the like) are let through unasked.",
        "While Codex plans, any command runs unasked, in a sandbox that cannot write and has no network.",
        "An approved command that the sandbox stops is run again outside of the sandbox without a further question.",
        "Rules in Codex's own configuration (rules, hooks, permission profiles) may let commands run unasked.",
        "Web searches run at the model's provider unasked; pictures are looked at unasked.",
        "MCP tools that say they only read are called unasked.",
        "What is typed into a command that runs already is asked about only where Codex asks itself.",
    )

    def __init__(self, program: Path | None = None) -> None:
        self._program = program

    def status(self) -> AgentStatus:
        """Return whether Codex can be used here."""
        return install.status(os.environ)

    async def open_session(
        self,
        workspace: Path,  # noqa: ARG002 (each turn names it)
        session_id: str | None = None,
        *,
        fork: bool = False,
    ) -> CodexSession:
        """Open a session, or take one up again; nothing is started before its first turn.

        Raises:
            AdapterNotInstalled: Codex is not there.
        """
        program = self._program or install.find_program()
        return CodexSession(
            program, lambda: install.own_variables(os.environ), session_id or "", fork=fork and bool(session_id)
        )
