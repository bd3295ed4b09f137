"""``grep``: lines of files of the workspace by a regular expression."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

import regex
from msgspec import Meta

from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.files import read_text
from nbharness.tools.glob import wanted
from nbharness.tools.output import capped
from nbharness.tools.patterns import matches
from nbharness.tools.searching import searched
from nbharness.tools.tree import Tree
from nbharness.tools.walk import files_below

__all__ = ["TOOL"]

_MOST, _LINE_CHARS = 300, 300
_FILE_S, _ALL_S = 2.0, 30.0


class _Grep(Arguments, frozen=True, kw_only=True):
    pattern: Annotated[str, Meta(description="Regular expression, as in Python.", min_length=1, max_length=1000)]
    path: Annotated[str, Meta(description="File or directory to search in.", min_length=1)] = "."
    files: Annotated[str, Meta(description="Only files of this pattern, such as *.py.", max_length=1000)] = "*"
    ignore_case: Annotated[bool, Meta(description="Whether A is a.")] = False


@dataclass(slots=True)
class _Found:
    lines: list[str] = field(default_factory=list)
    count: int = 0
    unread: int = 0
    note: str = ""


async def _run(context: ToolContext, args: _Grep) -> ToolOutput:
    try:
        # Its own engine: it lets go of the interpreter while it searches, and knows when to give up.
        pattern = regex.compile(args.pattern, regex.MULTILINE | (regex.IGNORECASE if args.ignore_case else 0))
    except regex.error as error:
        raise ToolError(f"grep: {args.pattern!r} is no regular expression: {error}") from error
    patterns = wanted(args.files)

    def search(stop: threading.Event) -> _Found:
        with Tree(context.workspace) as tree:
            return _search(tree, args.path, pattern, patterns, stop)

    found = await searched(search)
    notes = [f"[{found.count - _MOST} more lines]"] if found.count > _MOST else []
    if found.unread:
        notes.append(f"[{found.unread} files were not searched: binary, too long or not to be read]")
    if found.note:
        notes.append(found.note)
    return ToolOutput(
        text=capped("\n".join(found.lines or ["(nothing found)"])) + "".join(f"\n{note}" for note in notes)
    )


def _search(
    tree: Tree, path: str, pattern: regex.Pattern[str], patterns: list[tuple[str, ...]], stop: threading.Event
) -> _Found:
    found, until = _Found(), time.monotonic() + _ALL_S
    try:
        files: Iterator[str] = iter([read_text(tree, path).relative])
        patterns = [("**",)]
    except ToolError as error:
        if not isinstance(error.__cause__, IsADirectoryError):
            raise
        files = files_below(tree, path, stop, ignored=False)
    for file in files:
        if time.monotonic() > until:
            found.note = f"[stopped after {_ALL_S:g} s, before {file}; search in a directory, or for certain files]"
            break
        if not any(matches(each, file.split("/")) for each in patterns):
            continue
        try:
            text = read_text(tree, file).text or ""
        except ToolError:
            found.unread += 1
            continue
        for number, line in _lines(text, pattern, args_shown=pattern.pattern):
            found.count += 1
            if found.count <= _MOST:
                found.lines.append(f"{file}:{number}:{_short(line)}")
    return found


def _lines(text: str, pattern: regex.Pattern[str], *, args_shown: str) -> Iterator[tuple[int, str]]:
    """Yield each line in which a match begins, with its number."""
    place = counted = 0
    number = 1
    until = time.monotonic() + _FILE_S
    while place <= len(text):
        try:
            hit = pattern.search(text, place, timeout=max(0.001, until - time.monotonic()), concurrent=True)
        except TimeoutError as error:
            raise ToolError(f"grep: {args_shown!r} takes too long; say it in a simpler way") from error
        if hit is None:
            return
        start, end = text.rfind("\n", 0, hit.start()) + 1, text.find("\n", hit.start())
        end = len(text) if end < 0 else end
        number += text.count("\n", counted, start)
        counted = start
        if start < len(text) or not text:
            yield number, text[start:end].rstrip("\r")
        place = end + 1


def _short(line: str) -> str:
    more = len(line) - _LINE_CHARS
    return line if more <= 0 else f"{line[:_LINE_CHARS]} [{more} more characters]"


TOOL = typed_tool(
    "grep",
    "Find lines of the workspace's text files by a regular expression; ^ and $ are ends of lines. "
    "Returns path:number:line. Links and what .gitignore leaves out are not searched.",
    _Grep,
    _run,
    kind="search",
    asks=False,
)
