"""Agents that a project declares: ``agents/NAME/`` or ``app/agents/NAME/`` with an ``instructions.md``.

``discover`` reads them and imports nothing; ``definition`` says what one is; ``front_matter`` and ``skills`` read its
files; ``load`` imports the Python of one that was chosen and trusted.
"""

from __future__ import annotations

from nbharness.agents.definition import Definition, Skill, SourceFile, stricter
from nbharness.agents.discover import FOLDERS, Found, definition_names, discover, select
from nbharness.agents.load import Loaded, load_definition
from nbharness.agents.prompt import prompt_of

__all__ = [
    "FOLDERS",
    "Definition",
    "Found",
    "Loaded",
    "Skill",
    "SourceFile",
    "definition_names",
    "discover",
    "load_definition",
    "prompt_of",
    "select",
    "stricter",
]
