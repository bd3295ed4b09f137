"""Settings: where values come from, and what a wrong one says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nbharness.config import SETTING_NAMES, RuleTexts, Settings, home, load, rules_path, variable
from nbharness.errors import ConfigError

FILE = """
agent = "claude"
model = "opus"
approval_mode = "auto"
plan_mode = true
max_turns = 7
turn_timeout_s = 30
approval_timeout_s = "off"
system_prompt_append = "Write tests."

[models]
codex = "gpt-5"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "nbharness.toml"
    path.write_text(FILE)
    return path


def test_defaults(tmp_path: Path) -> None:
    settings = load({"NBHARNESS_HOME": str(tmp_path), "NBHARNESS_CONFIG": ""}, file=_write(tmp_path, ""))
    assert settings == Settings(database=tmp_path / "nbharness.db", sources=dict.fromkeys(SETTING_NAMES, "default"))
    assert (settings.max_turns, settings.turn_timeout_s, settings.approval_timeout_s) == (25, 600, None)


def test_environment_comes_before_file_and_file_before_default(file: Path) -> None:
    settings = load({"NBHARNESS_AGENT": "codex", "NBHARNESS_MAX_TURNS": " 9 "}, file)
    assert (settings.agent, settings.max_turns) == ("codex", 9)
    assert (settings.approval_mode, settings.plan_mode, settings.turn_timeout_s) == ("auto", True, 30.0)
    assert settings.todos is True
    assert {settings.sources[name] for name in ("agent", "max_turns")} == {"environment"}
    assert {settings.sources[name] for name in ("model", "models", "approval_timeout_s")} == {"file"}
    assert {settings.sources[name] for name in ("todos", "database")} == {"default"}


def test_a_model_belongs_to_its_agent(file: Path) -> None:
    settings = load({}, file)
    assert [settings.model_for(agent) for agent in ("claude", "codex", "demo")] == ["opus", "gpt-5", None]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("plan_mode", "On", True),
        ("todos", "0", False),
        ("kernel_tools", "on", True),
        ("models", "claude=opus, codex = gpt-5", {"claude": "opus", "codex": "gpt-5"}),
        ("approval_timeout_s", "2.5", 2.5),
        ("approval_timeout_s", "off", None),
        ("database", "~/x.db", Path.home() / "x.db"),
        ("system_prompt_append", " two\nlines ", " two\nlines "),
        ("pass_env", "MY_TOKEN, OTHER", ("MY_TOKEN", "OTHER")),
        ("policy", "allow", {}),
        ("mcp_servers", "docs", {}),
    ],
)
def test_environment_values(tmp_path: Path, name: str, text: str, value: Any) -> None:
    assert getattr(load({variable(name): text}, _write(tmp_path, "")), name) == value


@pytest.mark.parametrize(
    ("name", "text", "valid"),
    [
        ("approval_mode", "ask", "require, auto or off"),
        ("plan_mode", "maybe", "true or false"),
        ("max_turns", "0", "from 1 to 100000"),
        ("max_turns", "2.5", "whole number"),
        ("turn_timeout_s", "nan", "number of seconds"),
        ("turn_timeout_s", "off", "number of seconds"),
        ("approval_timeout_s", "-1", "or off"),
        ("models", "opus", "agent=model"),
        ("database", "here.db", "absolute path"),
        ("agent", " ", "name of an agent"),
        ("pass_env", "MY TOKEN", "names of variables"),
        ("pass_env", "A=b", "names of variables"),
    ],
)
def test_a_wrong_variable_is_named_with_its_value_and_what_is_valid(
    tmp_path: Path, name: str, text: str, valid: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load({variable(name): text}, _write(tmp_path, ""))
    assert str(caught.value).startswith(f"{variable(name)}: {text!r} is not valid. Valid: ")
    assert valid in str(caught.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("max_turns = 'many'", ["nbharness.toml: max_turns", "'many'", "from 1 to 100000"]),
        ("plan_mode = 1", ["nbharness.toml: plan_mode", "true or false"]),
        ("database = 7", ["nbharness.toml: database", "absolute path"]),
        ("models = {claude = 3}", ["nbharness.toml: models", "agent=model"]),
        ("aproval_mode = 'auto'", ["unknown setting 'aproval_mode'", "Valid: agent, ", "approval_mode"]),
        ("agent = \n", ["is not TOML", "line 1"]),
        ("[policy]\nalow = ['read']", ["nbharness.toml: policy", "[policy.claude]"]),
        ("[policy.claude]\nallow = 'read'", ["nbharness.toml: policy", "allow, ask and deny"]),
        ("[mcp_servers.x]\nargs = []", ["nbharness.toml: mcp_servers", "command, args and env"]),
        ("[mcp_servers.x]\ncommand = 'a'\nurl = 'b'", ["nbharness.toml: mcp_servers"]),
        ("[mcp_servers.x]\ncommand = 'a'\ntypo = 1", ["nbharness.toml: mcp_servers"]),
    ],
)
def test_a_wrong_file_is_named_with_key_value_and_what_is_valid(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load({}, _write(tmp_path, text))
    assert [part for part in parts if part not in str(caught.value)] == []


def test_rules_variables_and_servers(tmp_path: Path) -> None:
    text = """
pass_env = ["MY_TOKEN"]
[policy]
deny = ["bash(rm *)"]
[policy.claude]
allow = ["read"]
[mcp_servers.docs]
command = "docs-server"
args = ["--stdio"]
env = { KEY = "k" }
[mcp_servers.far]
url = "https://example.org/mcp"
headers = { Authorization = "Bearer t" }
"""
    settings = load({}, _write(tmp_path, text))
    assert settings.pass_env == ("MY_TOKEN",)
    assert settings.policy == {"": RuleTexts(deny=("bash(rm *)",)), "claude": RuleTexts(allow=("read",))}
    assert settings.mcp_servers["docs"].args == ("--stdio",)
    assert settings.mcp_servers["far"].url == "https://example.org/mcp"


def test_a_file_that_was_named_must_be_readable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml does not exist"):
        load({}, tmp_path / "none.toml")
    with pytest.raises(ConfigError, match=r"none\.toml does not exist"):
        load({"NBHARNESS_CONFIG": str(tmp_path / "none.toml")})
    with pytest.raises(ConfigError, match="cannot be read"):
        load({}, tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"agent = '\xe9'")
    with pytest.raises(ConfigError, match="cannot be read"):
        load({}, tmp_path / "latin.toml")


def test_home(tmp_path: Path) -> None:
    assert home({"NBHARNESS_HOME": str(tmp_path)}) == tmp_path
    assert rules_path({"NBHARNESS_HOME": str(tmp_path)}) == tmp_path / "rules.json"
    assert home({}).name == "nbharness"
    with pytest.raises(ConfigError, match="NBHARNESS_HOME: 'relative' is not valid"):
        home({"NBHARNESS_HOME": "relative"})


def test_loading_writes_nothing_and_stays_light(tmp_path: Path) -> None:
    script = (
        "import sys; from nbharness.config import load; load();"
        "print({'tomllib', 'sqlite3', 'asyncio', 'ipykernel'} & set(sys.modules))"
    )
    environ = os.environ | {
        "HOME": str(tmp_path),
        "NBHARNESS_HOME": str(tmp_path / "state"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert list(tmp_path.iterdir()) == []


def _write(directory: Path, text: str) -> Path:
    path = directory / "nbharness.toml"
    path.write_text(text)
    return path
