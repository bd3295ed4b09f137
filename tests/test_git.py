"""The branch is read without running git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from nbharness.git import branch_of


def git(directory: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t.invalid", "-c", "init.defaultBranch=trunk"]
    done = subprocess.run(["git", *identity, *arguments], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_branches_of_real_repositories(tmp_path: Path) -> None:
    repository, linked = tmp_path / "repository", tmp_path / "linked"
    (repository / "deep" / "er").mkdir(parents=True)
    assert branch_of(repository) is None
    git(repository, "init")
    assert branch_of(repository / "deep" / "er") == "trunk"
    git(repository, "commit", "--allow-empty", "-m", "x")
    git(repository, "worktree", "add", "-b", "feature/x", str(linked))
    assert branch_of(linked) == "feature/x"
    git(repository, "checkout", "--detach")
    assert branch_of(repository) == git(repository, "rev-parse", "HEAD")[:7]


def test_what_is_broken_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")
    assert branch_of(tmp_path) is None


def test_what_an_agent_may_have_planted_neither_hangs_nor_fails(tmp_path: Path) -> None:
    for name in ("pipe", "endless", "link", "lines"):
        (tmp_path / name / ".git").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe" / ".git" / "HEAD")
    (tmp_path / "endless" / ".git" / "HEAD").symlink_to("/dev/zero")
    (tmp_path / "link" / ".git" / "HEAD").symlink_to("HEAD")
    (tmp_path / "lines" / ".git" / "HEAD").write_text("ref: refs/heads/main\nand more\n" + "x" * 10_000)
    (tmp_path / "marker").mkdir()
    (tmp_path / "marker" / ".git").write_text("gitdir: a\0b")
    assert branch_of(tmp_path / "lines") == "main"
    for name in ("pipe", "endless", "link", "marker"):
        assert branch_of(tmp_path / name) is None
