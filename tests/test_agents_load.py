"""The Python of a declared agent: what becomes a tool, and that what fails is named with file and line."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from support.declared import put, reviewer

from nbharness.agents import Loaded, load_definition, select
from nbharness.errors import BrokenDefinition
from nbharness.tools.base import ToolContext

GOOD = "def good(a: int) -> int:\n    return a + 1\n"


def loaded(workspace: Path, name: str = "x", **more: Any) -> Loaded:
    return load_definition(select(workspace, name), workspace, **more)


def declare(workspace: Path, code: str, head: str = "") -> None:
    put(workspace / "agents/x/instructions.md", f"---\n{head}\n---\nHi.")
    put(workspace / "agents/x/agent.py", code)


def ran(workspace: Path, found: Loaded, name: str, **args: Any) -> str:
    (tool,) = [tool for tool in found.tools if tool.name == name]
    context = ToolContext(workspace=workspace, write=lambda _text: None, environment={})

    async def run() -> str:
        return (await tool.run(context, args)).text

    return asyncio.run(run())


def test_public_functions_become_tools_and_keep_what_they_know(tmp_path: Path) -> None:
    reviewer(tmp_path)
    first = loaded(tmp_path, "reviewer")
    (tool,) = first.tools
    assert (tool.name, tool.description, tool.asks, first.only) == (
        "count_lines",
        "Count the lines of a text.",
        True,
        None,
    )
    assert ran(tmp_path, first, "count_lines", text="a\nb") == "2 lines, call 1"
    assert ran(tmp_path, loaded(tmp_path, "reviewer"), "count_lines", text="a") == "1 lines, call 2"
    assert list(tmp_path.rglob("__pycache__")) == []


def test_what_was_read_runs_and_not_what_the_file_became(tmp_path: Path) -> None:
    declare(tmp_path, GOOD)
    definition = select(tmp_path, "x")
    put(tmp_path / "agents/x/agent.py", "raise RuntimeError('changed after the yes')")
    assert ran(tmp_path, load_definition(definition, tmp_path), "good", a=1) == "2"


def test_the_module_says_what_it_offers(tmp_path: Path) -> None:
    code = (
        "from dataclasses import dataclass\nfrom nbharness.tools import from_callable\n__all__ = ['look', 'good']\n"
        f"@dataclass\nclass Thing:\n    size: int\n{GOOD}"
        "def hidden() -> None: ...\nlook = from_callable(lambda: 'seen', name='look', kind='read', asks=False)\n"
    )
    declare(tmp_path, code)
    found = loaded(tmp_path)
    assert [(tool.name, tool.asks) for tool in found.tools] == [("look", False), ("good", True)]
    assert ran(tmp_path, found, "look") == "seen"


def test_the_tools_that_it_names_are_all_besides_its_own(tmp_path: Path) -> None:
    declare(tmp_path, GOOD, "tools: [read, one]")
    put(tmp_path / "agents/shared/tools/some.py", "def one() -> str:\n    'x'\n\ndef two() -> str:\n    'x'\n")
    found = loaded(tmp_path, taken=["theirs"])
    assert [tool.name for tool in found.tools] == ["one", "good"]
    assert found.only == ("read", "one", "good", "theirs")
    put(tmp_path / "agents/x/instructions.md", "Hi.")
    assert [tool.name for tool in loaded(tmp_path).tools] == ["one", "two", "good"]


BROKEN = [
    ("\n\nraise ValueError('no')", "agents/x/agent.py:3: ValueError: no"),
    ("def f(:\n", "agents/x/agent.py:1: SyntaxError: "),
    ("x = 1\nimport no_such_module_at_all\n", "agents/x/agent.py:2: ModuleNotFoundError: "),
    ("import json\ndef f():\n    json.loads('{')\nf()\n", "agents/x/agent.py:3: JSONDecodeError: "),
    ("import sys\nsys.exit(3)\n", "agents/x/agent.py:2: SystemExit: 3"),
    ("\ndef f(*rest: int) -> int: ...\n", "agents/x/agent.py:2: the tool 'f': its parameter"),
    ("__all__ = ['gone']\n", "agents/x/agent.py: __all__ has 'gone'"),
    ("__all__ = 3\n", "agents/x/agent.py: __all__ has 3"),
    ("def bash() -> str: ...\n", "agents/x/agent.py:1: there is another tool 'bash'; call it otherwise"),
    ("def theirs() -> str: ...\n", "agents/x/agent.py:1: there is another tool 'theirs'"),
    ("class E(Exception):\n    def __str__(self): raise E\nraise E", "agents/x/agent.py:"),
    ("def f() -> None:\n    f()\nf()", "agents/x/agent.py:2: RecursionError: "),
]


@pytest.mark.parametrize(("code", "says"), BROKEN)
def test_what_fails_is_named_with_file_and_line(code: str, says: str, tmp_path: Path) -> None:
    declare(tmp_path, code)
    modules = set(sys.modules)
    with pytest.raises(BrokenDefinition) as raised:
        loaded(tmp_path, taken=["theirs"])
    assert str(raised.value).startswith(says)
    left = {name for name in set(sys.modules) - modules if name.startswith("nbharness_agents_")}
    assert all(sys.modules[name].__file__ for name in left)
    declare(tmp_path, GOOD)
    assert [tool.name for tool in loaded(tmp_path).tools] == ["good"]


def test_a_tool_that_nobody_has_is_named_with_its_line(tmp_path: Path) -> None:
    declare(tmp_path, GOOD, "description: x\ntools: [read, raed]")
    with pytest.raises(BrokenDefinition, match=r"^agents/x/instructions\.md:3: unknown tool 'raed'\. Valid: .*read"):
        loaded(tmp_path)
