"""``nbharness agents``: what is there, what it can do, what it does unasked; and nothing foreign spoils the list."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.command import Home, one_line

from nbharness.adapters.base import Capabilities

PACKAGE = """
from nbharness.adapters.base import AgentStatus, Capabilities

class Adapter:
    name = "foreign"
    capabilities = Capabilities(approvals=True)
    unasked = ("It hums.",)

    def status(self):
        return AgentStatus(installed=True, version="1.2\\x1b[31m", logged_in=False, login="hum")

    def compiled(self, rule):
        return f"NO:{rule.command}" if rule.effect == "deny" else None

class Impostor(Adapter):
    name = "demo"

def explode():
    raise RuntimeError("kaput")
"""
ENTRIES = """
[nbharness.adapters]
foreign = foreign_agents:Adapter
demo = foreign_agents:Impostor
explodes = foreign_agents:explode
lacking = foreign_lacking:Adapter
nothing = foreign_agents:nothing
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    place = tmp_path / "packages"
    info = place / "foreign_agents-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-agents\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    (place / "foreign_agents.py").write_text(PACKAGE)
    (place / "foreign_lacking.py").write_text("import no_such_module_at_all\n")
    made.env |= {"PYTHONPATH": str(place), "NBHARNESS_CONFIG": str(tmp_path / "nbharness.toml")}
    (tmp_path / "nbharness.toml").write_text(
        '[policy]\ndeny = ["bash(rm *)"]\nallow = ["read"]\n[policy.demo]\nask = ["edit"]\n'
    )
    return made


def listed(home: Home, *arguments: str) -> dict[str, dict[str, Any]]:
    done = home.nbharness("agents", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return {agent["name"]: agent for agent in json.loads(done.stdout)}


def test_every_agent_is_listed_and_a_broken_one_hides_no_other(home: Home) -> None:
    agents = listed(home)
    assert {"demo", "mock", "claude", "codex", "acp", "copilot", "foreign", "explodes", "lacking"} <= set(agents)
    assert agents["explodes"]["problem"] == "cannot be loaded from foreign-agents: RuntimeError: kaput"
    assert "AttributeError" in agents["nothing"]["problem"]
    assert agents["lacking"]["installed"] is False
    assert agents["lacking"]["install"].startswith("pip install --force-reinstall foreign-agents")
    assert "no_such_module_at_all" in agents["lacking"]["install"]
    foreign = agents["foreign"]
    assert (foreign["package"], foreign["loggedIn"], foreign["login"]) == ("foreign-agents", False, "hum")
    assert foreign["capabilities"] == ["approvals"]


def test_nobody_takes_the_place_of_one_of_ours(home: Home) -> None:
    assert listed(home, "demo")["demo"]["package"] == "nbharness"


def test_what_each_can_do_is_told_in_known_words(home: Home) -> None:
    for agent in listed(home).values():
        assert set(agent["capabilities"]) <= set(Capabilities.__struct_fields__)
        if agent["problem"] is None:
            assert agent["installed"] or agent["install"]


def test_the_list_fits_a_terminal_and_shows_no_control_character(home: Home) -> None:
    done = home.nbharness("agents")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout
    assert "kaput" in done.stdout


def test_the_policy_tells_what_is_unasked_and_where_each_rule_holds(home: Home) -> None:
    done = home.nbharness("agents", "--policy", "foreign", "demo")
    foreign, demo = done.stdout.split("\n\n")
    assert "It hums." in foreign
    lines = [line.strip() for line in foreign.splitlines()]
    assert "- deny bash(rm *) (also where it would not ask, as its own rule NO:rm *)" in lines
    assert "- allow read (where it asks)" in lines
    assert "ask edit" in demo
    assert "ask edit" not in foreign
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_an_unknown_agent_is_one_line(home: Home) -> None:
    done = home.nbharness("agents", "nobody")
    assert done.returncode == 2
    assert "unknown agent: 'nobody'. Valid: acp, " in one_line(done)


def test_no_sdk_is_imported_and_no_process_started() -> None:
    program = (
        "import sys, subprocess;"
        "subprocess.Popen.__init__ = None;"
        "from nbharness.cli import main; main(['agents', '--json']);"
        "print({'claude_agent_sdk', 'acp', 'codex_cli_bin', 'pydantic_ai', 'mcp'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
