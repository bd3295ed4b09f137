"""Reading and writing in the workspace, and nowhere else."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ToolError", "read_text", "write_text"]

_MAX_BYTES = 1024 * 1024


class ToolError(Exception):
    """A tool cannot do what it was told; the message is for the agent and the user."""


def read_text(workspace: Path, name: str) -> str | None:
    """Return the text of a file, or ``None`` when there is no such file.

    Raises:
        ToolError: It lies outside the workspace, is no regular file, larger than 1 MiB, or no UTF-8 text.
    """
    path = _inside(workspace, name)
    try:
        if not path.exists():
            return None
        # Opening a named pipe would wait for ever.
        if not path.is_file():
            raise ToolError(f"{name} is not a regular file")
        if path.stat().st_size > _MAX_BYTES:
            raise ToolError(f"{name} is larger than 1 MiB")
        return path.read_bytes().decode()
    except OSError as error:
        raise ToolError(f"{name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ToolError(f"{name} is not UTF-8 text") from error


def write_text(workspace: Path, name: str, text: str) -> None:
    """Write a file; its folders are made when missing.

    Raises:
        ToolError: It lies outside the workspace or cannot be written.
    """
    path = _inside(workspace, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    except OSError as error:
        raise ToolError(f"{name} cannot be written: {error.strerror}") from error


def _inside(workspace: Path, name: str) -> Path:
    try:
        root = workspace.resolve()
        path = (root / name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ToolError(f"{name!r} is not a usable path: {error}") from error
    if path == root or not path.is_relative_to(root):
        raise ToolError(f"{name} lies outside the workspace")
    return path
