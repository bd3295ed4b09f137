"""Looking at files that somebody else wrote: bounded, without following links out, without waiting on a pipe."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import msgspec

__all__ = ["Seen", "files_below", "is_inside", "look_at"]

_TEXT_BYTES = 256 * 1024
_MAX_BYTES = 8 * 1024 * 1024
_BLOCK = 64 * 1024
_MAX_FILES = 1000
_LEFT_OUT = {"node_modules", "__pycache__"}
"""What is in there only runs when one of the files beside it says so."""


class Seen(msgspec.Struct, frozen=True):
    """What a file holds.

    Attributes:
        sha256: Of its content, hex; of what is known about it where the content cannot be read.
        text: Its content, or ``None`` when it cannot be read or is longer than 256 KiB.
        why: Why not; ``""`` when it can.
    """

    sha256: str
    text: str | None = None
    why: str = ""


def is_inside(path: Path, root: Path) -> bool:
    """Tell whether a path stays below a directory when its links are followed."""
    try:
        return path.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # links in a circle
        return False


def look_at(path: Path, root: Path) -> Seen:
    """Read a file that lies below `root`; one that is no regular file, too large or elsewhere is only named."""
    if not is_inside(path, root):
        return _unread(path, f"is a link out of the project, to {_target(path)}")
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        return _unread(path, f"cannot be read ({error.strerror})")
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            return _unread(path, "is no regular file")
        if state.st_size > _MAX_BYTES:
            return _unread(path, f"is too large to be looked at ({state.st_size} bytes)")
        return _read(descriptor)
    except OSError as error:
        return _unread(path, f"cannot be read ({error.strerror})")
    finally:
        os.close(descriptor)


def files_below(directory: Path) -> list[Path] | None:
    """Return the files of a directory and of those below it, or ``None`` when they are too many to look at.

    Links to directories count as files: they are not entered.
    """
    found: list[Path] = []
    waiting = [directory]
    while waiting:
        for entry in _entries(waiting.pop()):
            if not entry.is_dir(follow_symlinks=False):
                found.append(Path(entry.path))
            elif entry.name not in _LEFT_OUT:
                waiting.append(Path(entry.path))
        if len(found) + len(waiting) > _MAX_FILES:
            return None
    return found


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _read(descriptor: int) -> Seen:
    digest = hashlib.sha256()
    content = bytearray()
    left = _MAX_BYTES
    while left > 0 and (block := os.read(descriptor, min(_BLOCK, left))):
        left -= len(block)
        digest.update(block)
        if len(content) <= _TEXT_BYTES:
            content += block
    if len(content) > _TEXT_BYTES:
        return Seen(digest.hexdigest(), why=f"is longer than {_TEXT_BYTES // 1024} KiB")
    return Seen(digest.hexdigest(), content.decode("utf-8", "replace"))


def _unread(path: Path, why: str) -> Seen:
    """Describe a file that is not read; what can be known of it stands in for its content."""
    try:
        state = path.stat()
        facts = f"{why}\0{_target(path)}\0{state.st_size}\0{state.st_mtime_ns}"
    except OSError:
        facts = f"{why}\0{_target(path)}"
    return Seen(hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest(), why=why)


def _target(path: Path) -> str:
    try:
        return str(path.resolve())
    except (OSError, RuntimeError):
        return "itself"
