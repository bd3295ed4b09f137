"""Reads the contents of files that ``git cat-file --batch`` has written, each checked against its id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from nbharness.git.tree_files import blob_hash

__all__ = ["Blobs"]

_BLOCK = 1 << 20


class Blobs:
    """Contents by object id. An object that is missing, or that hashes to another id, is not in it.

    Args:
        file: What git wrote; it may be larger than memory.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.open("rb")
        self._places: dict[str, tuple[int, int]] = {}
        while header := self._file.readline():
            words = header.decode("ascii", errors="replace").split()
            if len(words) == 3 and words[1] == "blob":  # noqa: PLR2004 (id, type, size)
                self._take(words[0], int(words[2]))

    def __contains__(self, object_id: str) -> bool:
        return object_id in self._places

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def read(self, object_id: str) -> Iterator[bytes]:
        """Yield a content in pieces."""
        start, size = self._places[object_id]
        self._file.seek(start)
        while size and (block := self._file.read(min(size, _BLOCK))):
            size -= len(block)
            yield block

    def _take(self, object_id: str, size: int) -> None:
        start = self._file.tell()
        self._places[object_id] = (start, size)
        found = blob_hash(size, len(object_id))
        for block in self.read(object_id):
            found.update(block)
        if found.hexdigest() != object_id:
            del self._places[object_id]
        self._file.seek(start + size + 1)
