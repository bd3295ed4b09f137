"""The demo agent's tools: they really read, run and write."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nbharness.adapters.demo.agent.files import ToolError, read_text, write_text
from nbharness.adapters.demo.agent.patch import FileChange, PatchError, patched
from nbharness.adapters.demo.agent.stage import Outcome, Stage
from nbharness.errors import AdapterProcessError
from nbharness.process import agent_environment, run_command

__all__ = ["PYTHON", "apply_patch", "read", "shell"]

_BIN = Path(sys.executable).parent

PYTHON = "python" if (_BIN / "python").exists() else Path(sys.executable).name
"""How this Python is called on the PATH that commands get."""

_COMMAND_TIMEOUT_S = 120.0
_READ_CHARS = 20_000
_TESTS_PAUSE_WORDS = 4

Args = TypeVar("Args", bound=msgspec.Struct)


class _Command(msgspec.Struct, forbid_unknown_fields=True):
    command: str


class _Patch(msgspec.Struct, forbid_unknown_fields=True):
    paths: list[str]
    patch: str


async def shell(stage: Stage, command: str, *, changes: bool, why: str = "", inside: str = "") -> Outcome:
    """Run a shell command in the workspace; its output is shown as it comes."""

    async def work(args: Any, show: Callable[[str], None]) -> Outcome:
        line = _checked(args, _Command, "{command}").command
        try:
            done = await run_command(
                line,
                cwd=stage.workspace,
                env=_environment(stage.delay_s),
                on_output=show,
                timeout_s=_COMMAND_TIMEOUT_S,
            )
        except AdapterProcessError as error:
            raise ToolError(str(error)) from error
        text = f"stopped after {_COMMAND_TIMEOUT_S:g} s" if done.is_timed_out else None
        return Outcome(ok=done.exit_code == 0, text=text, exit=done.exit_code)

    return await stage.use("shell", {"command": command}, work, changes=changes, why=why, inside=inside)


async def read(stage: Stage, path: str, *, inside: str = "") -> Outcome:
    """Read a file of the workspace."""

    async def work(_args: Any, _show: Callable[[str], None]) -> Outcome:
        text = read_text(stage.workspace, path)
        if text is None:
            raise ToolError(f"{path} does not exist")
        left_out = len(text) - _READ_CHARS
        return Outcome(ok=True, text=text if left_out <= 0 else f"{text[:_READ_CHARS]}\n({left_out} more characters)")

    return await stage.use("read", {"path": path}, work, changes=False, inside=inside)


async def apply_patch(stage: Stage, changes: Sequence[FileChange], why: str) -> Outcome:
    """Ask for changes to files and apply what was allowed: all of it or, when something does not fit, nothing."""

    async def work(args: Any, _show: Callable[[str], None]) -> Outcome:
        wanted = _checked(args, _Patch, "{paths, patch}")
        try:
            made = patched(wanted.patch, lambda path: read_text(stage.workspace, path))
        except PatchError as error:
            raise ToolError(str(error)) from error
        for change in made:
            # Rules speak about `paths`, so the patch may not reach beyond them.
            if change.path not in wanted.paths:
                raise ToolError(f"the patch changes {change.path}, which is not among paths: {', '.join(wanted.paths)}")
        for change in made:
            write_text(stage.workspace, change.path, change.after)
        files = [change.delta() for change in made]
        return Outcome(ok=True, text="\n".join(f"{f.path} +{f.added} -{f.removed}" for f in files), files=tuple(files))

    deltas = [change.delta() for change in changes]
    args = {"paths": [delta.path for delta in deltas], "patch": "".join(delta.diff for delta in deltas)}
    return await stage.use("apply_patch", args, work, changes=True, why=why, files=deltas)


def _checked(args: Any, kind: type[Args], shape: str) -> Args:
    try:
        return msgspec.convert(args, kind)
    except msgspec.ValidationError as error:
        raise ToolError(f"the arguments must be {shape}: {error}") from error


def _environment(delay_s: float) -> dict[str, str]:
    return agent_environment(
        os.environ,
        {
            "PATH": os.pathsep.join([str(_BIN), os.environ.get("PATH", os.defpath)]),
            "LC_ALL": "C.UTF-8",  # Listings in the same order everywhere.
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
            "SHOP_PAUSE_S": f"{delay_s * _TESTS_PAUSE_WORDS:g}",
        },
    )
