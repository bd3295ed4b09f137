"""Files of a workspace and of nothing else, whatever is renamed or linked while we look. Blocking.

Every step of a path is opened from the directory before it without following links; a link is read and walked the same
way, so that one which stays inside works and one which leaves is refused, at no moment later than it is used.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from nbharness.tools.base import ToolError

__all__ = ["Place", "Tree"]

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_LINKS = 40


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads.

    Attributes:
        parent: Descriptor of the directory; valid as long as the block of `Tree.place`.
        name: Name in it, of no link; ``.`` for the directory itself.
        relative: Path below the workspace, links followed; ``.`` for the workspace.
    """

    parent: int
    name: str
    relative: str


class Tree:
    """A workspace, held open.

    Args:
        workspace: The directory.

    Raises:
        ToolError: It cannot be opened.
    """

    def __init__(self, workspace: Path) -> None:
        self._given = Path(os.path.abspath(workspace))  # noqa: PTH100 (links stay: models write the path as they were told it)
        self._real = Path(os.path.realpath(workspace))
        try:
            self._fd = os.open(self._real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise ToolError(f"the workspace {str(workspace)!r} cannot be opened: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._fd)

    @contextmanager
    def place(self, path: str, *, make_parents: bool = False) -> Iterator[Place]:
        """Find where a path leads; what it names need not exist.

        Args:
            path: Relative to the workspace, or absolute and inside of it.
            make_parents: Whether to make the directories that are missing on the way.

        Raises:
            ToolError: It is no path, leads out of the workspace, or has no directory to lie in. Also what `OSError`
                the block raises.
        """
        walk = _Walk(self._fd, path)
        try:
            walk.todo.extend(self._parts(path, path))
            while walk.todo:
                target = walk.step(make_parents=make_parents)
                if target is not None:
                    if target.startswith("/"):
                        walk.close()
                    walk.todo.extendleft(reversed(self._parts(target, path)))
            yield walk.found()
        except OSError as error:
            raise ToolError(f"{path!r}: {_reason(error)}") from error
        except ValueError as error:  # a null byte, or characters that no path can have
            raise ToolError(f"{path!r} is no path: {error}") from error
        finally:
            walk.close()

    @contextmanager
    def directory(self, path: str) -> Iterator[int]:
        """Open a directory of the workspace.

        Raises:
            ToolError: There is none.
        """
        with self.place(path) as place:
            fd = os.open(place.name, _DIRECTORY, dir_fd=place.parent)
            try:
                yield fd
            finally:
                os.close(fd)

    def _parts(self, path: str, named: str) -> list[str]:
        """Return the steps of a path that starts where the walk is, or at the workspace when it is absolute."""
        if path == "~" or path.startswith("~/"):
            raise ToolError(f"{named!r}: ~ is not known here; name a path inside of {self._given}")
        if path.startswith("/"):
            for root in (self._given, self._real):
                if path == str(root) or path.startswith(f"{str(root).rstrip('/')}/"):
                    path = path[len(str(root)) :]
                    break
            else:
                raise _outside(named)
        return [part for part in path.split("/") if part not in {"", "."}]


class _Walk:
    """The way along a path: open directories from the workspace down."""

    def __init__(self, root: int, path: str) -> None:
        self.todo: deque[str] = deque()
        self._root = root
        self._path = path
        self._open: list[int] = []
        self._names: list[str] = []
        self._last = ""
        self._links = 0

    def step(self, *, make_parents: bool) -> str | None:
        """Go one step; return where a link points that stands in the way."""
        part = self.todo.popleft()
        if part == "..":
            if not self._open:
                raise _outside(self._path)
            os.close(self._open.pop())
            self._names.pop()
            return None
        here = self._open[-1] if self._open else self._root
        if (target := _link(part, here)) is not None:
            self._links += 1
            if self._links > _MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            return target
        if not self.todo:
            self._last = part
            return None
        if make_parents:
            _make(part, here)
        self._open.append(os.open(part, _DIRECTORY, dir_fd=here))
        self._names.append(part)
        return None

    def found(self) -> Place:
        """Return where it ended."""
        names = [*self._names, *([self._last] if self._last else [])]
        parent = self._open[-1] if self._open else self._root
        return Place(parent, self._last or ".", "/".join(names) or ".")

    def close(self) -> None:
        """Go back to the workspace."""
        while self._open:
            os.close(self._open.pop())
        self._names.clear()


def _link(name: str, directory: int) -> str | None:
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError as error:
        if error.errno in {errno.EINVAL, errno.ENOENT}:  # no link; nothing at all
            return None
        raise


def _make(name: str, directory: int) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=directory)


def _outside(path: str) -> ToolError:
    return ToolError(f"{path!r} leads out of the workspace; valid are paths inside of it, such as 'src/main.py'")


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "a link stands where none may be, or links lead in a circle"
    return os.strerror(error.errno).lower() if error.errno else str(error)
