"""The agent of the workspace that a cell or a command line names, and what it wants where nobody says otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbharness.agents import Definition, select
from nbharness.store import ConversationRecord

__all__ = ["definition_for", "wanted_by"]


def definition_for(name: str | None, workspace: Path, stored: ConversationRecord | None = None) -> Definition | None:
    """Return the agent of a workspace that a turn is to be, ``None`` when it is none of them.

    Args:
        name: What ``--agent-def`` names, if it is given.
        workspace: Where it is looked for.
        stored: The conversation that goes on, which keeps the one that it was begun with.

    Raises:
        ConfigError: There is none of that name, or it cannot be used.
        WorkspaceError: The workspace cannot be opened.
    """
    if name is None:
        name = stored.definition or None if stored is not None else None
    return None if name is None else select(workspace, name)


def wanted_by(
    options: Any, definition: Definition | None, stored: ConversationRecord | None
) -> tuple[str | None, str | None]:
    """Return the agent and the model that options name, else those of the conversation and of the definition.

    Args:
        options: Has an attribute for each option of a turn.
        definition: The agent of the workspace that is to work, if any.
        stored: The conversation that goes on, if any.
    """
    agent = options.agent or (stored and stored.agent) or (definition and definition.agent)
    return agent or None, options.model or (definition and definition.model) or None
