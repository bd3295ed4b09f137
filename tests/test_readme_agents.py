"""What the README says about agents of a project is tried."""

from __future__ import annotations

import re
from pathlib import Path

from support.declared import put

import nbharness
from nbharness.agents import FOLDERS, load_definition, select
from nbharness.cli.agent_defs import list_definitions

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("### Agents of your project") : README.index("## In Python")]
TOOL = 'def add(a: int, b: int) -> int:\n    """Add two numbers."""\n    return a + b\n'


def test_the_agent_that_it_shows_works(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```markdown\n(.*?)```", SECTION, re.DOTALL)
    put(tmp_path / "agents/reviewer/instructions.md", shown)
    put(tmp_path / "agents/reviewer/agent.py", TOOL)
    put(tmp_path / "agents/shared/tools/more.py", TOOL.replace("add", "also"))
    definition = select(tmp_path, "reviewer")
    assert (definition.model, definition.approval) == ("anthropic:claude-sonnet-5-5", "require")
    assert load_definition(definition, tmp_path).only == ("read", "grep", "bash", "add")
    assert nbharness.agent("builtin", workspace=tmp_path, definition="reviewer").name == "builtin"
    assert list_definitions(tmp_path, ["reviewer"], as_json=False) == 0


def test_the_folders_that_it_names_are_those_that_are_looked_at() -> None:
    assert set(re.findall(r"`([a-z/]+)/reviewer/`", SECTION)) == set(FOLDERS)
