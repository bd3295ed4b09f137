"""Patterns of paths as shells and ``.gitignore`` have them, in time that no pattern can blow up. Pure."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Ignored", "braces", "matches", "pattern_of"]

_ANY = "**"
_MAX_BRACES = 64
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def pattern_of(text: str) -> tuple[str, ...]:
    """Return the steps of a pattern; one without a ``/`` holds in any directory."""
    steps = tuple(step for step in text.split("/") if step not in {"", "."})
    return steps if "/" in text else (_ANY, *steps)


def braces(text: str) -> list[str]:
    """Return what a pattern with ``{a,b}`` stands for, at most 64 patterns.

    Raises:
        ValueError: It stands for more.
    """
    found = [text]
    while any(_BRACES.search(each) for each in found):
        found = [opened for each in found for opened in _opened(each)]
        if len(found) > _MAX_BRACES:
            raise ValueError(f"{text!r} stands for more than {_MAX_BRACES} patterns")
    return found


def matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Tell whether a pattern holds of a whole path, both in steps; ``**`` is any number of directories, also none."""
    places = {0}
    for index, step in enumerate(pattern):
        if step == _ANY:
            # At the end it is what lies inside, not the directory itself.
            first = min(places) + (index == len(pattern) - 1)
            places = set(range(first, len(path) + 1))
        else:
            places = {place + 1 for place in places if place < len(path) and _step(step).match(path[place])}
        if not places:
            return False
    return len(path) in places


@dataclass(frozen=True, slots=True)
class Ignored:
    """One line of a ``.gitignore``.

    Attributes:
        pattern: Its steps.
        again: True when it takes in again what an earlier line left out.
        directories: True when it holds of directories only.
    """

    pattern: tuple[str, ...]
    again: bool
    directories: bool

    @classmethod
    def read(cls, text: str) -> list[Ignored]:
        """Return the lines of such a file."""
        return [cls._line(line) for raw in text.splitlines() if (line := _trimmed(raw)) and not line.startswith("#")]

    @classmethod
    def _line(cls, line: str) -> Ignored:
        again = line.startswith("!")
        line = line.removeprefix("!")
        directories = line.endswith("/")
        inner = line.rstrip("/")
        # A backslash takes its meaning from a character; a class of one is how fnmatch says that.
        steps = pattern_of(re.sub(r"\\(.)", r"[\1]", inner))
        return cls(steps, again, directories)


def _trimmed(line: str) -> str:
    return line if line.endswith("\\ ") else line.rstrip()


def _opened(text: str) -> Iterator[str]:
    found = _BRACES.search(text)
    if found is None:
        yield text
        return
    for part in found[1].split(","):
        yield text[: found.start()] + part + text[found.end() :]


@lru_cache(maxsize=1024)
def _step(text: str) -> re.Pattern[str]:
    # The expressions that fnmatch makes are atomic: they never go back.
    return re.compile(fnmatch.translate(text))
