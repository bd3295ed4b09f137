"""A workspace that declares agents."""

from __future__ import annotations

from pathlib import Path

__all__ = ["REVIEWER", "TOOLS", "put", "reviewer"]

REVIEWER = """\
---
description: Reads a change and says what is wrong with it.
model: openai-chat:my-model
approval: require
---
You review. The password is xyzzy.
"""

TOOLS = '''\
"""Tools of the reviewer."""

calls = 0


def count_lines(text: str) -> str:
    """Count the lines of a text.

    Args:
        text: The text.
    """
    global calls
    calls += 1
    return f"{len(text.splitlines())} lines, call {calls}"


def _helper() -> None:
    """No tool."""
'''


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def reviewer(workspace: Path) -> Path:
    """Declare an agent with instructions, a tool and a skill; return its folder."""
    folder = workspace / "agents" / "reviewer"
    put(folder / "instructions.md", REVIEWER)
    put(folder / "agent.py", TOOLS)
    put(folder / "skills" / "naming" / "SKILL.md", "---\ndescription: How names are chosen here.\n---\nShort ones.\n")
    return folder
