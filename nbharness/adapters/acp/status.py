"""Whether a program is here, found out by looking at files."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from nbharness.adapters.acp.presets import Preset
from nbharness.adapters.acp.values import mapping, text_of
from nbharness.adapters.base import AgentStatus

__all__ = ["find_program", "status_of"]

_LIBRARY = "pip install 'nbharness[acp]'"


def find_program(name: str, environment: Mapping[str, str]) -> str | None:
    """Return the path of a program, from the ``PATH`` or the packages in the user's home directory.

    Never from the workspace: what lies there may be anybody's.
    """
    home = environment.get("HOME", "")
    places = [environment.get("PATH", ""), *([str(Path(home, "node_modules", ".bin"))] if home else [])]
    return shutil.which(name, path=os.pathsep.join(places))


def status_of(preset: Preset, environment: Mapping[str, str]) -> AgentStatus:
    """Return whether a preset can be used here."""
    has_library = importlib.util.find_spec("acp") is not None
    wanted = [step for step in ("" if has_library and preset.install else _LIBRARY, preset.install) if step]
    install = " && ".join(wanted)
    if not preset.command:
        return AgentStatus(installed=has_library, install=install, login=preset.login)
    program = find_program(preset.command[0], environment)
    return AgentStatus(
        installed=has_library and program is not None,
        install=install,
        version=None if program is None else _version(program, preset.package),
        program=program,
        logged_in=_logged_in(preset, environment),
        login=preset.login,
    )


def _version(program: str, package: str) -> str | None:
    """The version in the nearest package description around a program, if it is of that package."""
    for folder in list(Path(program).resolve().parents)[:4]:
        try:
            said = mapping(json.loads((folder / "package.json").read_bytes()))
        except (OSError, ValueError):
            continue
        if said.get("name") == package:
            return text_of(said.get("version")) or None
    return None


def _logged_in(preset: Preset, environment: Mapping[str, str]) -> bool | None:
    if any(environment.get(key) for key in preset.keys):
        return True
    home = environment.get("HOME")
    moved = environment.get(preset.home_variable) if preset.home_variable else None
    if not preset.login_files or not (home or moved):
        return None
    for name in preset.login_files:
        path = Path(moved, *Path(name).parts[1:]) if moved else Path(home or "", name)
        if path.is_file():
            return True
    # It may keep what it knows in the system's keyring, where we do not look.
    return None
