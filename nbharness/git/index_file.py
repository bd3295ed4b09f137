"""Reads and writes index files: makes git doubt what one says of files that changed as it was written.

Git tells by size and times whether a file is still what the index says, in whole seconds as most of its builds do, and
doubts files whose time of change is no older than the index. A file that is given an older time (``cp -p``, ``tar``,
``touch -d``) escapes that, when it is written twice in the second of a snapshot.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["doubt_young", "may_leave_out"]

_SHA1, _SHA256 = 20, 32
_HEADER: Final = 12
_SIZE: Final = 36
"""Where an entry's size is; the seconds of its inode's change are at its beginning."""
_ID: Final = 40
_EXTENDED: Final = 0x40
_PLAIN: Final = 2
"""Version of an index in which no file is marked as left out of a sparse checkout."""
_COMPRESSED: Final = 4
"""Version of an index that leaves out the beginnings of paths."""


def may_leave_out(index: Path) -> bool:
    """Tell whether an index may mark files as left out of a sparse checkout; when it says no, none is.

    Raises:
        OSError: It cannot be read.
    """
    if not index.exists():
        return False
    with index.open("rb") as file:
        return int.from_bytes(file.read(_HEADER)[4:8], "big") > _PLAIN


def doubt_young(index: Path, second: int, *, is_sha256: bool) -> None:
    """Let git compare the contents of files whose inodes changed in a second or later, when it looks next.

    Does nothing when there is no index.

    Args:
        index: Of any version; nobody else may be writing it.
        second: Seconds since the epoch.
        is_sha256: The repository names objects by SHA-256.

    Raises:
        ValueError: It is no index.
        OSError: It cannot be read or written.
    """
    try:
        content = bytearray(index.read_bytes())
    except FileNotFoundError:
        return
    # Looking at each entry takes long, and mostly none is young.
    if not any(content.find(each.to_bytes(4, "big")) >= 0 for each in range(second, int(time.time()) + 2)):
        return
    least, empty, doubted = second.to_bytes(4, "big"), bytes(4), False
    for start in _entries(content, _SHA256 if is_sha256 else _SHA1):
        if content[start : start + 4] >= least:
            # As git itself marks such an entry: with a size that says nothing.
            content[start + _SIZE : start + _ID] = empty
            doubted = True
    if doubted:
        _write(index, content, is_sha256=is_sha256)


def _entries(content: bytearray, id_bytes: int) -> Iterator[int]:
    """Yield where each entry begins."""
    version, count = int.from_bytes(content[4:8], "big"), int.from_bytes(content[8:_HEADER], "big")
    if content[:4] != b"DIRC" or not _PLAIN <= version <= _COMPRESSED:
        raise ValueError(f"the index begins with {bytes(content[:_HEADER])!r}")
    start = _HEADER
    for _number in range(count):
        yield start
        flags = start + _ID + id_bytes
        name = flags + (4 if content[flags] & _EXTENDED else 2)
        if version == _COMPRESSED:
            while content[name] & 0x80:
                name += 1
            start = content.index(0, name + 1) + 1
        else:
            start += (content.index(0, name) - start + 8) & ~7


def _write(index: Path, content: bytearray, *, is_sha256: bool) -> None:
    kind = hashlib.sha256 if is_sha256 else hashlib.sha1
    end = len(content) - (_SHA256 if is_sha256 else _SHA1)
    content[end:] = kind(memoryview(content)[:end], usedforsecurity=False).digest()
    times = index.stat()
    index.write_bytes(content)
    # By its time git knows which other entries it must not believe.
    os.utime(index, ns=(times.st_atime_ns, times.st_mtime_ns))
