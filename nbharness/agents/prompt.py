"""What a declarative agent is told first: its instructions, and which skills it has."""

from __future__ import annotations

from nbharness.agents.definition import Definition

__all__ = ["prompt_of"]


def prompt_of(definition: Definition) -> str:
    """Return the text that stands at the beginning of the system prompt."""
    if not definition.skills:
        return definition.instructions
    lines = [f"- {skill.name}: {skill.description} ({skill.path})" for skill in definition.skills]
    head = "# Skills\nBefore you do what one of these is about, read its file:"
    return "\n".join([definition.instructions, "", head, *lines])
