"""Whole text files of a workspace: read, replaced, removed. Blocking; called in a thread."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from dataclasses import dataclass

from nbharness.tools.base import ToolError
from nbharness.tools.tree import Place, Tree

__all__ = ["MAX_BYTES", "TextFile", "read_bytes", "read_text", "remove_file", "write_text"]

MAX_BYTES = 16 * 1024 * 1024
"""A longer file is not read; `bash` can."""

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PERMISSIONS = 0o777
_SNIFFED = 8192


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as it was read.

    Attributes:
        relative: Path below the workspace, links followed.
        text: Its content, line ends as they are; ``None`` when there is no such file.
        stamp: Tells whether it is still the same.
    """

    relative: str
    text: str | None
    stamp: tuple[int, ...] | None


def read_text(tree: Tree, path: str, *, missing_ok: bool = False) -> TextFile:
    """Return a text file.

    Args:
        tree: The workspace.
        path: The file.
        missing_ok: Whether it may be missing.

    Raises:
        ToolError: It is missing, too long, no UTF-8 text, no file, or outside of the workspace.
    """
    try:
        with tree.place(path) as place:
            data, stamp = read_bytes(place, path)
    except ToolError as error:
        if missing_ok and isinstance(error.__cause__, FileNotFoundError):
            return TextFile(path, None, None)
        raise
    if b"\0" in data[:_SNIFFED]:
        raise ToolError(f"{path!r} is no text: binary, {len(data)} bytes; look at it with a command")
    try:
        return TextFile(place.relative, data.decode(), stamp)
    except UnicodeDecodeError as error:
        raise ToolError(f"{path!r} is no UTF-8 text: {error.reason} at byte {error.start}") from error


def read_bytes(place: Place, path: str) -> tuple[bytes, tuple[int, ...]]:
    """Return what a file holds, and what tells it from what it may become.

    Raises:
        ToolError: It is no regular file, or too long.
        OSError: It cannot be read.
    """
    descriptor = os.open(place.name, _OPEN, dir_fd=place.parent)
    try:
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(state.st_mode):
            raise ToolError(f"{path!r} is no regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_BYTES:
        raise ToolError(
            f"{path!r} has {state.st_size} bytes, at most {MAX_BYTES} are read; use a command such as sed -n"
        )
    return data, _stamp(state)


def write_text(tree: Tree, file: TextFile, path: str, text: str) -> str:
    """Put a file in the place of another, all of it or nothing; directories are made.

    Permissions stay. A file that has further names (hard links) keeps its content under those.

    Args:
        tree: The workspace.
        file: What is there, as it was read.
        path: The file.
        text: What it is to hold.

    Returns:
        Its path below the workspace, links followed.

    Raises:
        ToolError: It changed since it was read, belongs to git, or cannot be written.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"{path!r}: the text cannot be written as UTF-8: {error.reason} at {error.start}") from error
    with tree.place(path, make_parents=file.stamp is None) as place:
        _refuse_git(place, path)
        now = _state(place)
        if (None if now is None else _stamp(now)) != file.stamp:
            raise ToolError(f"{path!r} changed since it was read; read it again")
        name = f".nbharness-{secrets.token_hex(8)}"
        descriptor = os.open(name, _MAKE, 0o666, dir_fd=place.parent)
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(os.unlink, name, dir_fd=place.parent)
            with os.fdopen(descriptor, "wb") as made:
                if now is not None:
                    os.fchmod(descriptor, stat.S_IMODE(now.st_mode) & _PERMISSIONS)
                made.write(data)
            os.rename(name, place.name, src_dir_fd=place.parent, dst_dir_fd=place.parent)
            on_failure.pop_all()
        return place.relative


def remove_file(tree: Tree, file: TextFile, path: str) -> None:
    """Remove a file.

    Raises:
        ToolError: It changed since it was read, belongs to git, or cannot be removed.
    """
    with tree.place(path) as place:
        _refuse_git(place, path)
        now = _state(place)
        if now is None or _stamp(now) != file.stamp:
            raise ToolError(f"{path!r} changed since it was read; read it again")
        os.unlink(place.name, dir_fd=place.parent)


def _refuse_git(place: Place, path: str) -> None:
    if any(part.lower() == ".git" for part in place.relative.split("/")):
        raise ToolError(f"{path!r} belongs to git, which would run what is written there; use git's own commands")


def _state(place: Place) -> os.stat_result | None:
    try:
        return os.stat(place.name, dir_fd=place.parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _stamp(state: os.stat_result) -> tuple[int, ...]:
    return (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_mode)
