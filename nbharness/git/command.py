"""Runs git where nothing that an agent wrote can run: pinned environment, pinned settings, output into files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from asyncio.subprocess import DEVNULL, STDOUT
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["GitError", "run_git", "run_script"]

_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.untrackedCache": "false",
    "core.splitIndex": "false",
    "core.looseCompression": "0",
    "core.quotePath": "false",
    "core.safecrlf": "false",
    "core.fsync": "none",
    "submodule.recurse": "false",
    "diff.ignoreSubmodules": "all",
    "advice.addEmbeddedRepo": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
}


class GitError(Exception):
    """Git could not be run, or did not do what it was to do. The text is one sentence for people.

    Attributes:
        code: Exit code of the script; -1 when it did not run to its end.
    """

    def __init__(self, message: str, code: int = -1) -> None:
        super().__init__(message)
        self.code = code


async def run_script(
    script: str, *, git_dir: Path, top: Path, cwd: Path, out: Path, variables: Mapping[str, str], timeout_s: float
) -> None:
    """Run a shell script in which ``g`` is git on the shadow repository.

    It has no supervisor, which would cost more time than git takes: what runs here is git alone, and it ends by itself.
    When the caller is cancelled or the time is up, all of it is killed.

    Args:
        script: For ``/bin/sh``; fixed text, what varies is in `variables`.
        git_dir: The shadow repository.
        top: Work tree.
        cwd: Directory in it.
        out: Directory of its output files, ``$OUT`` in the script.
        variables: Further variables.
        timeout_s: Seconds it may take.

    Raises:
        GitError: Git is not installed, the script failed, or its time was up.
        OSError: The shell cannot be run.
    """
    git = _program()
    options = " ".join(f'-c "{name}={value}"' for name, value in _SETTINGS.items())
    head = f'g() {{ "$GIT_PROGRAM" {options} -c "core.excludesFile=$OUT/exclude" "$@"; }}\n'
    said = out / "said"
    try:
        async with asyncio.timeout(timeout_s):
            code = await _run(
                ["/bin/sh", "-c", head + script], cwd, _environment(git, git_dir, top, out) | dict(variables), said
            )
    except TimeoutError:
        raise GitError(f"git took longer than {timeout_s:g} s in {top}") from None
    if code != 0:
        raise GitError(f"git failed in {top}: {_why(said) or f'exit code {code}'}", code if code > 0 else -1)


def run_git(*arguments: str, git_dir: Path, timeout_s: float) -> None:
    """Run git on a shadow repository itself, with the index of its last snapshot and no work tree. Blocks.

    Args:
        arguments: Git's.
        git_dir: The shadow repository.
        timeout_s: Seconds it may take; it is killed then.

    Raises:
        GitError: Git is not installed, failed, or its time was up.
        OSError: It cannot be run.
    """
    git = _program()
    settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
    try:
        subprocess.run(
            [git, *settings, *arguments],
            cwd=git_dir,
            env=_environment(git, git_dir, git_dir, git_dir),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            start_new_session=True,
            timeout=timeout_s,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took longer than {timeout_s:g} s in {git_dir}") from None
    except subprocess.CalledProcessError as error:
        raise GitError(
            f"git {arguments[0]} failed in {git_dir}: exit code {error.returncode}", error.returncode
        ) from None


def _program() -> str:
    git = shutil.which("git")
    if git is None:
        raise GitError("git is not installed, so what a turn changes cannot be shown or undone; install git")
    return git


async def _run(argv: Sequence[str], cwd: Path, env: Mapping[str, str], said: Path) -> int:
    with said.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *argv, cwd=cwd, env=env, stdin=DEVNULL, stdout=output, stderr=STDOUT, start_new_session=True
        )
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def _why(said: Path) -> str:
    with said.open("rb") as file:
        return file.read(2000).decode(errors="replace").strip().replace("\n", "; ")[:400]


def _environment(git: str, git_dir: Path, top: Path, out: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(git_dir),
        "LC_ALL": "C",
        "GIT_PROGRAM": git,
        "OUT": str(out),
        "GIT_DIR": str(git_dir),
        "GIT_WORK_TREE": str(top),
        "GIT_INDEX_FILE": str(out / "index"),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        # The index is a turn's own: what git found out while it looked is worth keeping.
        "GIT_OPTIONAL_LOCKS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_PAGER": "cat",
    }
