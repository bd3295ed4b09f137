"""What the README says is run, so that it stays true."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.alone import stranger
from support.kernels import start_kernel

from nbharness.adapters.demo import SCENARIOS
from nbharness.adapters.registry import adapter_names
from nbharness.config import SETTING_NAMES, load, variable
from nbharness.notebook.options import option_names, parse
from nbharness.policy import parse_rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCKS if name == language]


def commands(program: str) -> list[str]:
    lines = [line.split("#")[0].strip() for text in blocks("console") for line in text.splitlines()]
    return [line for line in lines if line.split()[:1] == [program]]


def test_there_is_something_to_run() -> None:
    assert len(blocks("python")) >= 2
    assert len(commands("nbharness")) >= 4
    assert commands("make") == ["make demo", "make test"]


@pytest.mark.parametrize("code", [text for text in blocks("python") if "%" not in text])
def test_the_python_runs(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_first_cell_runs(tmp_path: Path) -> None:
    (cell,) = [text for text in blocks("python") if text.startswith("%load_ext")]
    variables = stranger(os.environ, tmp_path / "user")
    with start_kernel("python3", tmp_path) as kernel:
        kernel.run(f"import os; os.environ.pop('NBHARNESS_AGENT'); os.environ.update({variables!r})")
        printed = kernel.run(cell.replace("%coder", "%coder --approval auto"))
        assert "waits for the agent" in printed
        assert "completed" in kernel.run("print(_.result().status)")
        assert kernel.run("print(_.agent, any('No agent' in str(e.event) for e in _.feed.since()))") == "demo True\n"


@pytest.mark.parametrize("command", commands("nbharness"))
def test_the_commands_run(command: str, tmp_path: Path) -> None:
    environment = stranger(os.environ, tmp_path / "user")
    program, *arguments = shlex.split(command)
    assert program == "nbharness"
    done = subprocess.run(
        [sys.executable, "-m", "nbharness", *arguments],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_make_targets_exist() -> None:
    for command in commands("make"):
        tried = subprocess.run(["make", "-n", command.split()[1]], cwd=ROOT, capture_output=True, check=False)
        assert tried.returncode == 0


def test_the_options_and_settings_it_names_exist() -> None:
    table = README[README.index("## In a notebook") : README.index("## Agents")]
    named = set(re.findall(r"--[a-z][a-z-]+", re.sub(r"`nbharness [^`]*`", "", table)))
    assert named <= set(option_names())
    for line in re.findall(r"`%coder ([^`…]*)…?`", table):
        parse(line.replace("ID", "x").strip() + (" x" if line.strip().startswith("--") else ""))
    for name in re.findall(r"NBHARNESS_[A-Z_]+", README):
        assert name in {"NBHARNESS_HOME", *map(variable, SETTING_NAMES)}


def test_the_agents_it_lists_are_all() -> None:
    table = README[README.index("## Agents") : README.index("## In Python")]
    named = set(re.findall(r"`([a-z-]+)`", "".join(re.findall(r"(?m)^\| (`.*?) \|", table))))
    assert named == set(adapter_names()) - {"mock"} - {"scripted", "obeys"}


def test_the_settings_file_it_shows_is_read(tmp_path: Path) -> None:
    (shown,) = blocks("toml")
    file = tmp_path / "nbharness.toml"
    file.write_text(shown)
    settings = load({}, file)
    assert settings.pass_env == ("MY_TOKEN",)
    everybody, claude = settings.policy[""], settings.policy["claude"]
    read = [*parse_rules("deny", everybody.deny), *parse_rules("allow", [*everybody.allow, *claude.allow])]
    assert len(read) == 5
    assert settings.mcp_servers["docs"].command == "docs-server"


def test_the_scenarios_it_lists_are_all() -> None:
    assert "scenario: help`" in README
    assert {name for name in SCENARIOS if f"`{name}`" not in README} == {"help"}


def test_files_it_links_exist() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
