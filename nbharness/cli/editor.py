"""Lets a person edit a text in their own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from nbharness.errors import ConfigError

__all__ = ["edit"]

_COMMON = ("editor", "nano", "vi")


def edit(text: str, suffix: str) -> str:
    """Open a text in ``$VISUAL``, ``$EDITOR`` or what the system has, and return what became of it.

    Args:
        text: The text.
        suffix: Ending of the file's name, such as ``.json``, for the editor's colours.

    Raises:
        ConfigError: There is no editor, or it failed; the text is as it was.
    """
    command = _command()
    with tempfile.TemporaryDirectory(prefix="nbharness-") as folder:
        file = Path(folder) / f"edit{suffix}"
        file.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*command, str(file)], check=True)
            return file.read_text(encoding="utf-8")
        except (OSError, subprocess.CalledProcessError, UnicodeDecodeError) as error:
            raise ConfigError(f"the editor {shlex.join(command)} failed: {error}; set EDITOR to another") from error


def _command() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return shlex.split(named)
    found = next(filter(None, map(shutil.which, _COMMON)), None)
    if found is None:
        raise ConfigError("there is no editor to edit in; set EDITOR to one")
    return [found]
