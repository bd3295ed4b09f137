"""The sample project: real, small, and broken in one place."""

import subprocess
import sys
from pathlib import Path

import pytest

from nbharness.errors import WorkspaceError
from nbharness.sample import create_sample_project, fixed, is_ours, sample_workspace
from nbharness.sample import workspace as workspace_module
from nbharness.sample.files import FAULTS, FILES


def run_tests(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", *(arguments or ("-m", "unittest"))]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return create_sample_project(tmp_path / "shop")


def test_one_test_fails_and_the_fix_repairs_it(project: Path) -> None:
    before = run_tests(project)
    assert before.returncode == 1
    assert "test_half_a_cent_is_rounded_up" in before.stderr
    assert "FAILED (failures=1)" in before.stderr
    for name in FAULTS:
        file = project / name
        file.write_text(fixed(name, file.read_text()))
    after = run_tests(project)
    assert after.returncode == 0, after.stderr
    assert after.stderr.rstrip().endswith("OK")


def test_own_runner_says_the_same_with_colours_and_a_bar(project: Path) -> None:
    done = run_tests(project, "run_tests.py")
    assert done.returncode == 1
    assert "\x1b[31m1 failed" in done.stdout
    assert done.stdout.count("━") >= 24


def test_it_is_pretty_python(project: Path) -> None:
    check = ["ruff", "check", "--isolated", "--select", "E,F,I,UP,B,SIM", "--line-length", "120", "."]
    for command in (check, ["ruff", "format", "--isolated", "--check", "--line-length", "120", "."]):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=project, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_every_fault_is_there_once() -> None:
    for name, faults in FAULTS.items():
        assert all(FILES[name].count(wrong) == 1 for wrong, _ in faults)
        assert fixed(name, FILES[name]) != FILES[name]
        assert fixed(name, fixed(name, FILES[name])) == fixed(name, FILES[name])


def test_directory_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(WorkspaceError, match=r"needs an empty directory.*is not empty"):
        create_sample_project(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_unwritable_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="cannot be written"):
        create_sample_project(tmp_path / "file" / "shop")


@pytest.mark.parametrize("name", ["shop/cart.py", "tests/test_cart.py", "tests/sitecustomize.py", "unittest.py"])
def test_foreign_code_is_noticed(project: Path, name: str) -> None:
    assert is_ours(project)
    (project / "NOTES.md").write_text("a note is no code")
    assert is_ours(project)
    with (project / name).open("a") as file:
        file.write("import os\n")
    assert not is_ours(project)


def test_other_directories_are_not_ours(tmp_path: Path) -> None:
    assert not is_ours(tmp_path)


def test_private_copy_stays_the_same_until_it_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path))
    monkeypatch.setattr(workspace_module, "_made", [])
    first = sample_workspace()
    assert sample_workspace() == first
    assert first.is_relative_to(tmp_path)
    first.rename(tmp_path / "elsewhere")
    second = sample_workspace()
    assert second != first
    assert is_ours(second)


def test_old_copies_are_removed_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path))
    monkeypatch.setattr(workspace_module, "_made", [])
    samples = tmp_path / "samples"
    old = [samples / f"20200101-0000{n:02}-abcd" for n in range(30)]
    for folder in [*old, samples / "mine"]:
        folder.mkdir(parents=True)
    new = sample_workspace().parent
    assert {folder.name for folder in samples.iterdir()} == {new.name, "mine", *(folder.name for folder in old[11:])}


def test_without_a_writable_home_it_is_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("a file")
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(workspace_module, "_made", [])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert is_ours(sample_workspace())
