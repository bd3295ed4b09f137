"""Skills of an agent: ``skills/NAME/SKILL.md``. Their names stand in the prompt; the agent reads the rest on demand."""

from __future__ import annotations

import re

from nbharness.agents.definition import Skill, SourceFile
from nbharness.agents.front_matter import read_front_matter
from nbharness.agents.reading import names_in, read_source
from nbharness.errors import BrokenDefinition
from nbharness.tools.tree import Tree

__all__ = ["read_skills"]

# Other programs know further keys of the same file; these mean nothing here.
_KEYS = ("name", "description", "license", "allowed-tools", "version")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def read_skills(tree: Tree, folder: str) -> list[tuple[Skill, SourceFile]]:
    """Return the skills below the folder of an agent, by name.

    Raises:
        BrokenDefinition: One cannot be read, or does not say when it is of use.
    """
    found: list[tuple[Skill, SourceFile]] = []
    for name in names_in(tree, f"{folder}/skills"):
        path = f"{folder}/skills/{name}/SKILL.md"
        source = read_source(tree, path) if _NAME.fullmatch(name) else None
        if source is not None:
            found.append((_skill(name, source), source))
    return found


def _skill(folder: str, source: SourceFile) -> Skill:
    head = read_front_matter(source.path, source.text, _KEYS)
    description = head.text("description")
    if description is None:
        raise BrokenDefinition(source.path, 1, "lacks a description, which says when the skill is of use")
    return Skill(head.text("name") or folder, description, source.path)
