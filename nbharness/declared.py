"""The agent of the workspace that a cell or a command line names, and what it wants where nobody says otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbharness.agents import Definition, select

__all__ = ["definition_for", "wanted_by"]


def definition_for(options: Any, workspace: Path) -> Definition | None:
    """Return the agent of a workspace that ``--agent-def`` names, ``None`` when it is not given.

    Args:
        options: Has an attribute for each option of a turn.
        workspace: Where it is looked for.

    Raises:
        ConfigError: There is none of that name, or it cannot be used.
        WorkspaceError: The workspace cannot be opened.
    """
    return None if options.agent_def is None else select(workspace, options.agent_def)


def wanted_by(options: Any, definition: Definition | None, before: str | None) -> tuple[str | None, str | None]:
    """Return the agent and the model that options name, else those of the definition.

    Args:
        options: Has an attribute for each option of a turn.
        definition: The agent of the workspace that is to work, if any.
        before: The agent of the conversation that goes on, which comes last.
    """
    agent = options.agent or (definition and definition.agent) or before
    return agent, options.model or (definition and definition.model) or None
