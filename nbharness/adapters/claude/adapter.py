"""Drives Claude Code."""

from __future__ import annotations

import os
from pathlib import Path

from nbharness.adapters.base import AgentStatus, Capabilities
from nbharness.adapters.claude import install
from nbharness.adapters.claude.command import MODES
from nbharness.adapters.claude.rules import compiled
from nbharness.adapters.claude.session import ClaudeSession
from nbharness.policy import Rule

__all__ = ["ClaudeAdapter", "create"]


def create() -> ClaudeAdapter:
    """Return the adapter; nothing is started and nothing is looked for."""
    return ClaudeAdapter()


class ClaudeAdapter:
    """Anthropic's Claude Code, one process a session.

    In every approval mode Claude works in its default permission mode, so that what it asks comes to the approval desk
    and rules hold; the mode decides there.

    Args:
        program: Path of Claude Code, instead of the packaged one or the one on PATH.
    """

    name = "claude"
    capabilities = Capabilities(
        approvals=True,
        edited_args=True,
        plan=True,
        todos=True,
        questions=True,
        models=True,
        modes=True,
        resume=True,
        fork=True,
        cost=True,
        mcp_servers=True,
        prompt_append=True,
        project_config=True,
    )
    modes = MODES
    unasked = (
        "Commands that Claude Code takes for harmless (ls, cat, echo, git status and the like) run unasked.",
        "Files of the workspace are read and searched unasked.",
        "Allow rules and hooks in Claude Code's own settings may let anything run unasked.",
        "A tool call whose arguments are not valid fails before anybody is asked.",
        "Claude keeps its checklist and starts sub-agents unasked; what those do is asked like the rest.",
    )

    def __init__(self, program: Path | None = None) -> None:
        self._program = program

    def status(self) -> AgentStatus:
        """Return whether Claude Code can be used here."""
        return install.status(os.environ)

    def compiled(self, rule: Rule) -> str | None:
        """Return a rule of ours as Claude Code is told it, or ``None`` when only we enforce it."""
        return compiled(rule)

    async def open_session(
        self,
        workspace: Path,  # noqa: ARG002 (each turn names it)
        session_id: str | None = None,
        *,
        fork: bool = False,
    ) -> ClaudeSession:
        """Open a session, or take one up again; nothing is started before its first turn.

        Raises:
            AdapterNotInstalled: Claude Code is not there.
        """
        program = self._program or install.find_program()
        return ClaudeSession(
            program, lambda: install.own_variables(os.environ), session_id or "", fork=fork and bool(session_id)
        )
