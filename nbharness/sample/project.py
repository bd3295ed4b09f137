"""Writes the sample project, and knows it again."""

from __future__ import annotations

import os
from pathlib import Path

from nbharness.errors import WorkspaceError
from nbharness.sample.files import FAULTS, FILES

__all__ = ["create_sample_project", "fixed", "is_ours"]

_NOT_CODE = {".git", "NOTES.md"}


def create_sample_project(directory: Path) -> Path:
    """Write the sample project into a directory of its own.

    Args:
        directory: A new or empty directory; it is made when missing.

    Returns:
        The directory, absolute.

    Raises:
        WorkspaceError: Something is in the directory already, or it cannot be written.
    """
    directory = directory.absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()):
            message = f"the sample project needs an empty directory, and {directory} is not empty; name another one"
            raise WorkspaceError(message, str(directory))
        for name, text in FILES.items():
            file = directory / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode())
    except OSError as error:
        message = f"the sample project cannot be written to {directory}: {error.strerror}"
        raise WorkspaceError(message, str(directory)) from error
    return directory


def fixed(name: str, text: str) -> str:
    """Return a file's text without the sample's fault; the same text when it is not there.

    Args:
        name: Path in the project, with ``/``.
        text: What the file holds.
    """
    faults = FAULTS.get(name, ())
    if all(text.count(wrong) == 1 for wrong, _ in faults):
        for wrong, right in faults:
            text = text.replace(wrong, right)
    return text


def is_ours(directory: Path) -> bool:
    """Tell whether a directory holds the sample project and no line of code that is not ours.

    Then running its tests changes nothing, and nobody needs to be asked. Stops at the first foreign file.
    """
    if not (directory / "run_tests.py").is_file():
        return False
    for folder, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name not in _NOT_CODE]
        for name in names:
            file = Path(folder) / name
            if name not in _NOT_CODE and not _is_our_text(file, file.relative_to(directory).as_posix()):
                return False
    return True


def _is_our_text(file: Path, name: str) -> bool:
    text = FILES.get(name)
    if text is None or not file.is_file():
        return False
    known = {text.encode(), fixed(name, text).encode()}
    return file.stat().st_size <= max(map(len, known)) and file.read_bytes() in known
