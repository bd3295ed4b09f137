"""The command line's frame: names, help, settings, wrong use."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import Home, one_line

import nbharness
from nbharness.cli import main
from nbharness.cli.commands import COMMANDS


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize("argument", ["version", "--version", "-V"])
def test_the_version(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([argument]) == 0
    assert capsys.readouterr().out == f"nbharness {nbharness.__version__}\n"


def test_the_version_costs_no_more_than_the_interpreter() -> None:
    program = (
        "import sys; from nbharness.cli import main; main(['version']);"
        "print(*{'argparse', 'asyncio', 'msgspec', 'nbharness.runtime'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == [""]


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"], ["-h"]])
def test_help_names_every_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert all(f"\n  {command} " in said for command in COMMANDS)


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"help"}))
def test_every_command_tells_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", command]) == 0
    by_help = capsys.readouterr().out
    assert by_help.startswith(f"usage: nbharness {command}")
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out == by_help


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"help"}))
def test_an_unknown_option_is_one_line_and_exit_code_2(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--bogus"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("nbharness: ")
    assert "--bogus" in said.err or "required" in said.err
    assert f"nbharness {command} --help" in said.err
    assert said.err.count("\n") == 1


def test_an_unknown_command_names_the_valid_ones(home: Home) -> None:
    done = home.nbharness("rum")
    assert done.returncode == 2
    said = one_line(done)
    assert "'rum'" in said
    assert all(command in said for command in COMMANDS)


def test_config_tells_each_value_and_where_it_comes_from(home: Home) -> None:
    file = home.folder / "settings.toml"
    file.write_text('max_turns = 7\nmodels = { claude = "opus" }\n')
    env = {"NBHARNESS_CONFIG": str(file), "NBHARNESS_PLAN_MODE": "yes"}
    done = home.nbharness("config", "--json", env=env)
    assert done.returncode == 0
    settings = json.loads(done.stdout)
    assert settings["max_turns"] == {"value": 7, "source": "file", "variable": "NBHARNESS_MAX_TURNS"}
    assert settings["plan_mode"] == {"value": True, "source": "environment", "variable": "NBHARNESS_PLAN_MODE"}
    assert settings["database"]["value"] == str(home.state / "nbharness.db")
    rows = home.nbharness("config", env=env).stdout.splitlines()
    assert ["max_turns", "7", "file"] in [row.split() for row in rows]
    assert ["models", "claude=opus", "file"] in [row.split() for row in rows]
    assert ["plan_mode", "true", "NBHARNESS_PLAN_MODE"] in [row.split() for row in rows]
    assert rows[-1] == f"settings file: {file}"


def test_config_shows_names_of_what_a_server_is_given_and_no_value(home: Home) -> None:
    file = home.folder / "settings.toml"
    file.write_text('[mcp_servers.docs]\ncommand = "x"\nenv = { TOKEN = "s3cret" }\n[policy]\nallow = ["read"]\n')
    for arguments in (["config"], ["config", "--json"]):
        done = home.nbharness(*arguments, env={"NBHARNESS_CONFIG": str(file)})
        assert done.returncode == 0, done.stderr
        assert "docs" in done.stdout
        assert "s3cret" not in done.stdout


def test_a_wrong_setting_is_one_line_and_exit_code_2(home: Home) -> None:
    done = home.nbharness("config", env={"NBHARNESS_MAX_TURNS": "many"})
    assert done.returncode == 2
    assert "NBHARNESS_MAX_TURNS: 'many'" in one_line(done)


def test_looking_creates_nothing(home: Home) -> None:
    assert home.nbharness("config").returncode == 0
    done = home.nbharness("sessions", "--json")
    assert json.loads(done.stdout) == []
    assert not home.state.exists()
