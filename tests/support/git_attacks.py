"""Programs that an agent could plant in a repository for git to run, and moves that hide changes from git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

Plant = Callable[[Path, Path], None]
"""Plants one: repository, program."""


def git(directory: Path, *arguments: str, check: bool = True) -> str:
    """Run git as a user would, without the settings of whoever runs the test."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@t.invalid", "-c", "init.defaultBranch=trunk"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(directory)}
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        errors="replace",
        check=check,
        env=environment,
    )
    return done.stdout.strip()


def repository(directory: Path) -> Path:
    """Make a repository with two committed files."""
    directory.mkdir(parents=True)
    (directory / "a.txt").write_text("one\ntwo\nthree\n")
    (directory / "sub").mkdir()
    (directory / "sub" / "b.txt").write_text("b\n")
    git(directory, "init", "-q")
    git(directory, "add", "-A")
    git(directory, "commit", "-qm", "first")
    return directory


def _config(*settings: tuple[str, str]) -> Plant:
    def plant(top: Path, program: Path) -> None:
        for name, value in settings:
            git(top, "config", name, value.format(program))

    return plant


def _driver(attribute: str, *settings: tuple[str, str]) -> Plant:
    def plant(top: Path, program: Path) -> None:
        _config(*settings)(top, program)
        (top / ".gitattributes").write_text(f"* {attribute}\n")

    return plant


def _worktree_config(top: Path, program: Path) -> None:
    git(top, "config", "extensions.worktreeConfig", "true")
    git(top, "config", "--worktree", "core.fsmonitor", str(program))


def _included(top: Path, program: Path) -> None:
    (top / "more.conf").write_text(f"[core]\n\tfsmonitor = {program}\n")
    git(top, "config", "include.path", str(top / "more.conf"))


def _hooks(top: Path, program: Path) -> None:
    for name in ("post-index-change", "pre-commit", "post-checkout"):
        (top / ".git" / "hooks").mkdir(exist_ok=True)
        (top / ".git" / "hooks" / name).symlink_to(program)


def _hooks_path(top: Path, program: Path) -> None:
    _hooks(top, program)
    git(top, "config", "core.hooksPath", ".git/hooks")


def _info_attributes(top: Path, program: Path) -> None:
    git(top, "config", "filter.x.clean", str(program))
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "attributes").write_text("* filter=x\n")


def _odd_filter(top: Path, program: Path) -> None:
    with (top / ".git" / "config").open("a") as file:
        file.write(f'[filter "a=b"]\n\tclean = {program}\n')
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".gitattributes").write_text("* filter=a=b\n")


def _worktree_filter(top: Path, program: Path) -> None:
    git(top, "config", "extensions.worktreeConfig", "true")
    git(top, "config", "--worktree", "filter.x.clean", str(program))
    (top / ".gitattributes").write_text("* filter=x\n")


def _nested(top: Path, program: Path) -> None:
    nested = repository(top / "nested")
    git(top, "add", "nested")
    git(top, "commit", "-qm", "nested")
    git(nested, "config", "core.fsmonitor", str(program))
    (nested / "a.txt").write_text("changed\n")


def _swapped(top: Path, program: Path) -> None:
    other = repository(top.parent / "other")
    git(other, "config", "core.fsmonitor", str(program))
    (top / ".git").rename(top.parent / "taken")
    (top / ".git").write_text(f"gitdir: {other / '.git'}\n")


FIRING: dict[str, Plant] = {
    "fsmonitor": _config(("core.fsmonitor", "{}")),
    "fsmonitor in config.worktree": _worktree_config,
    "fsmonitor in an included file": _included,
    "hooks": _hooks,
    "hooksPath": _hooks_path,
    "diff.external": _config(("diff.external", "{}")),
    "diff driver command": _driver("diff=x", ("diff.x.command", "{}")),
    "textconv": _driver("diff=x", ("diff.x.textconv", "{}")),
    "filter clean": _driver("filter=x", ("filter.x.clean", "{}")),
    "filter process": _driver("filter=x", ("filter.x.process", "{}")),
    "filter smudge": _driver("filter=x", ("filter.x.smudge", "{}")),
    "filter with = in its name": _odd_filter,
    "filter in config.worktree": _worktree_filter,
    "filter chosen in info/attributes": _info_attributes,
    "configuration of a nested repository": _nested,
    ".git swapped": _swapped,
    "gpg.program": _config(("gpg.program", "{}"), ("commit.gpgSign", "true")),
}
"""What bare git runs."""

SILENT: dict[str, Plant] = {
    "pager": _config(("core.pager", "{}")),
    "alias": _config(("alias.diff", "!{}")),
}
"""What bare git does not run in a pipe."""


def provoke(top: Path) -> None:
    """Do with bare git what a harness would do."""
    for arguments in (
        ("status",),
        ("diff",),
        ("diff", "HEAD"),
        ("add", "-A"),
        ("commit", "-qm", "x"),
        ("checkout", "HEAD~0", "--", "."),
        ("worktree", "add", str(top.parent / "linked")),
    ):
        git(top, *arguments, check=False)


def marker(directory: Path) -> tuple[Path, Path]:
    """Make a program that leaves a file when it runs; return both."""
    directory.mkdir(parents=True, exist_ok=True)
    ran, program = directory / "ran", directory / "planted"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    program.chmod(0o755)
    return program, ran
