"""An agent reads and writes files through us: only inside the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbharness.adapters.acp.faults import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, Refusal
from nbharness.adapters.acp.values import count_of, mapping

__all__ = ["file_in", "read_file", "text_before", "write_file"]

_MAX_BYTES = 32 * 1024 * 1024


def file_in(workspace: Path, params: object) -> Path:
    """Return the file that a request names, links followed.

    Raises:
        Refusal: It names none, or one outside the workspace.
    """
    named = mapping(params).get("path")
    if not isinstance(named, str) or not named.startswith("/") or "\0" in named:
        raise Refusal(INVALID_PARAMS, f"path must be absolute, not {named!r}")
    try:
        path = Path(named).resolve()
        inside = path.is_relative_to(workspace.resolve())
    except (OSError, RuntimeError) as error:
        raise Refusal(INVALID_PARAMS, f"{named}: {error}") from error
    if not inside:
        raise Refusal(INVALID_PARAMS, f"{named} is not inside the workspace {workspace}")
    return path


def read_file(path: Path, params: object) -> dict[str, Any]:
    """Return the lines that a request asks for; blocks while it reads.

    Raises:
        Refusal: There is no such file (with the code for that, on which agents rely to make a new one), or it cannot
            be read.
    """
    _refuse_special(path)
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise Refusal(INVALID_PARAMS, f"{path} has more than {_MAX_BYTES} bytes")
        text = path.read_bytes().decode(errors="replace")
    except FileNotFoundError as error:
        raise Refusal(RESOURCE_NOT_FOUND, "Resource not found", {"uri": str(path)}) from error
    except OSError as error:
        raise Refusal(INTERNAL_ERROR, f"cannot read {path}: {error.strerror}") from error
    line, limit = (count_of(mapping(params).get(key)) for key in ("line", "limit"))
    if line is None and limit is None:
        return {"content": text}
    lines = text.splitlines(keepends=True)[max((line or 1) - 1, 0) :]
    return {"content": "".join(lines if limit is None else lines[:limit])}


def text_before(path: Path) -> str | None:
    """Return what a file holds before it is written; ``None`` when it does not exist; blocks while it reads.

    Raises:
        Refusal: It is no file.
    """
    _refuse_special(path)
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return None


def write_file(path: Path, content: str) -> None:
    """Write a file and the directories that it needs; blocks while it writes.

    Raises:
        Refusal: It cannot be written.
    """
    _refuse_special(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "replace"))
    except OSError as error:
        raise Refusal(INTERNAL_ERROR, f"cannot write {path}: {error.strerror}") from error


def _refuse_special(path: Path) -> None:
    """A pipe that an agent made would be waited for until the other end is opened, and keep Python from ending."""
    if path.exists() and not path.is_file():
        raise Refusal(INVALID_PARAMS, f"{path} is no regular file")
