"""Finding the files of a workspace that can make an agent run things before, or without, asking anybody."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from nbharness.trust.look import files_below, is_inside, look_at
from nbharness.trust.runs import runs_of_env, runs_of_json, runs_of_mcp, runs_of_text, runs_of_toml, runs_of_yarn

__all__ = ["ProjectFile", "digest_of", "find"]

_Reader = Callable[[str], list[str]]

_FILES: dict[str, _Reader] = {
    ".mcp.json": runs_of_mcp,
    ".vscode/mcp.json": runs_of_mcp,
    ".cursor/mcp.json": runs_of_mcp,
    ".cursor/hooks.json": runs_of_json,
    ".cursor/cli.json": runs_of_json,
    ".claude/settings.json": runs_of_json,
    ".claude/settings.local.json": runs_of_json,
    ".codex/config.toml": runs_of_toml,
    ".codex/hooks.json": runs_of_json,
    "opencode.json": runs_of_json,
    "opencode.jsonc": runs_of_json,
    ".opencode/opencode.json": runs_of_json,
    ".opencode/opencode.jsonc": runs_of_json,
    ".gemini/settings.json": runs_of_json,
    ".gemini/.env": runs_of_env,
    ".qwen/settings.json": runs_of_json,
    ".qwen/.env": runs_of_env,
    ".env": runs_of_env,
    ".yarnrc.yml": runs_of_yarn,
}
"""Files that say what runs; one that says nothing of the kind does not matter."""

_FOLDERS = (
    ".claude/agents", ".claude/commands", ".claude/hooks", ".claude/skills", ".claude/plugins", ".codex/rules",
    ".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools", ".opencode/agent",
    ".opencode/command", ".gemini/extensions", ".gemini/commands", ".qwen/extensions", ".qwen/commands",
    ".github/hooks",
)  # fmt: skip
"""Folders in which every file matters."""

_AGENT_FOLDERS = ("agents", "app/agents")
_USERS_OWN = (".claude/", ".codex/", ".gemini/", ".qwen/", ".cursor/", ".opencode/", ".vscode/")


class ProjectFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that can make an agent run things.

    Attributes:
        path: Relative to the workspace, with ``/``; it may begin with ``../``.
        kind: What it is: the name in the list above, or its folder.
        sha256: Of its content, hex; ``""`` when that cannot be told, so that it is asked about each time.
        runs: What it runs, sets or permits, one sentence or command each. Text of a stranger.
    """

    path: str
    kind: str
    sha256: str
    runs: tuple[str, ...]


def find(workspace: Path) -> tuple[ProjectFile, ...]:
    """Return the files that matter, from the workspace up to the root of its git repository.

    Nothing is run, no link is followed out of the repository, and the time is bounded. The user's home directory does
    not count as a project: what is there is the user's own.

    Args:
        workspace: Directory in which an agent is to work.
    """
    workspace = workspace.resolve()
    root = _git_root(workspace)
    found: list[ProjectFile] = []
    for directory in _upwards(workspace, root):
        found += _in_directory(directory, workspace, root)
    found += _agents(workspace, root)
    return tuple(found)


def digest_of(files: Iterable[ProjectFile]) -> str:
    """Return one SHA-256, in hex, over the paths and contents of all."""
    lines = sorted(f"{file.sha256} {file.path}" for file in files)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _git_root(workspace: Path) -> Path:
    for directory in (workspace, *workspace.parents):
        if os.path.lexists(directory / ".git"):
            return directory
    return workspace


def _upwards(workspace: Path, root: Path) -> Iterator[Path]:
    for directory in (workspace, *workspace.parents):
        yield directory
        if directory == root:
            return


def _in_directory(directory: Path, workspace: Path, root: Path) -> Iterator[ProjectFile]:
    at_home = directory == _home()
    for name, read in _FILES.items():
        path = directory / name
        if os.path.lexists(path) and not (at_home and name.startswith(_USERS_OWN)):
            yield from _file(path, name, read, workspace, root)
    for name in _FOLDERS:
        folder = directory / name
        if os.path.lexists(folder) and not (at_home and name.startswith(_USERS_OWN)):
            yield from _folder(folder, name, workspace, root)


def _file(path: Path, kind: str, read: _Reader, workspace: Path, root: Path) -> Iterator[ProjectFile]:
    seen = look_at(path, root)
    runs = [seen.why] if seen.text is None else read(seen.text)
    if runs:
        sha256 = seen.sha256
        if read is runs_of_env:
            # Its other lines hold secrets and change for reasons of their own.
            sha256 = hashlib.sha256("\n".join(runs).encode("utf-8", "surrogateescape")).hexdigest()
        yield ProjectFile(path=_relative(path, workspace), kind=kind, sha256=sha256, runs=tuple(runs))


def _folder(folder: Path, kind: str, workspace: Path, root: Path) -> Iterator[ProjectFile]:
    paths = files_below(folder) if _is_folder(folder, root) else [folder]
    if paths is None:
        yield _too_many(folder, kind, workspace)
        return
    for path in paths:
        seen = look_at(path, root)
        runs = [seen.why] if seen.text is None else runs_of_text(seen.text)
        yield ProjectFile(path=_relative(path, workspace), kind=kind, sha256=seen.sha256, runs=tuple(runs))


def _agents(workspace: Path, root: Path) -> Iterator[ProjectFile]:
    for name in _AGENT_FOLDERS:
        folder = workspace / name
        paths = files_below(folder) if _is_folder(folder, root) else []
        if paths is None:
            yield _too_many(folder, name, workspace)
        for path in paths or []:
            if path.suffix == ".py" and path.parent != folder:
                seen = look_at(path, root)
                runs = ("Python of an agent of this project",) if seen.text is not None else (seen.why,)
                yield ProjectFile(path=_relative(path, workspace), kind=name, sha256=seen.sha256, runs=runs)


def _too_many(folder: Path, kind: str, workspace: Path) -> ProjectFile:
    runs = ("holds too many files to be looked at",)
    return ProjectFile(path=_relative(folder, workspace), kind=kind, sha256="", runs=runs)


def _is_folder(folder: Path, root: Path) -> bool:
    return os.path.isdir(folder) and is_inside(folder, root)  # noqa: PTH112 (takes what cannot be looked at for no folder)


def _relative(path: Path, workspace: Path) -> str:
    return Path(os.path.relpath(path, workspace)).as_posix()


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):  # no home
        return None
