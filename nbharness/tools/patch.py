"""Patches in the form that models write best: sections of files, in them what was, what is, and what stays. Pure.

::

    *** Begin Patch
    *** Update File: src/shop.py
    *** Move to: src/store.py        (only to rename it)
    @@ def total(items):             (only to say where)
     unchanged
    -removed
    +added
    *** Add File: notes.md
    +whole content
    *** Delete File: old.py
    *** End Patch
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from nbharness.tools.base import ToolError

__all__ = ["FilePatch", "patched", "read_patch"]

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_LINE_END = re.compile(r"(\r?\n)")
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = "*** Move to: "
_OF_FILE = "*** End of File"


@dataclass(slots=True)
class Hunk:
    """One place of a file.

    Attributes:
        anchor: Line after which it is looked for; ``""`` for anywhere.
        old: Lines that stand there.
        new: Lines that are to stand there.
    """

    anchor: str
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


@dataclass(slots=True)
class FilePatch:
    """What is to become of one file.

    Attributes:
        path: The file.
        action: ``Add``, ``Update`` or ``Delete``.
        move_to: Its new path, or ``""``.
        hunks: Its places, in order.
    """

    path: str
    action: str
    move_to: str = ""
    hunks: list[Hunk] = field(default_factory=list)


def read_patch(text: str) -> list[FilePatch]:
    """Return the sections of a patch.

    Raises:
        ToolError: It is none; the message names the line.
    """
    lines, _ends = _split(text.strip("\r\n"))
    if not lines or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise ToolError(f"the patch must begin with the line {_BEGIN!r} and end with the line {_END!r}")
    found: list[FilePatch] = []
    for number, line in enumerate(lines[1:-1], 2):
        if head := _FILE.fullmatch(line.rstrip()):
            found.append(FilePatch(head[2].strip(), head[1]))
        elif not found:
            raise ToolError(
                f"line {number} of the patch, {line!r}: before it must stand '*** Update File: PATH' or alike"
            )
        elif not _taken(found[-1], line):
            raise ToolError(
                f"line {number} of the patch, {line!r}, must begin with a space, +, -, @@ or ***; in a new file with +"
            )
    if not found:
        raise ToolError("the patch names no file")
    return found


def patched(part: FilePatch, text: str) -> str:
    """Return the text of a file with its part of a patch applied.

    Raises:
        ToolError: A place is not found.
    """
    ending = "\r\n" if "\r\n" in text else "\n"
    lines, ends = _split(text)
    unended = bool(ends) and not ends[-1]
    place = 0
    for hunk in part.hunks:
        if hunk.anchor:
            place = _anchor(lines, hunk.anchor, place, part.path)
        start = _find(lines, hunk.old, place) if hunk.old else len(lines)
        if start < 0:
            shown = "\n".join(hunk.old)
            raise ToolError(f"these lines do not stand in {part.path!r} in this order; read the file again:\n{shown}")
        lines[start : start + len(hunk.old)] = hunk.new
        ends[start : start + len(hunk.old)] = [ending] * len(hunk.new)
        place = start + len(hunk.new)
    ends = [end or ending for end in ends]
    if unended and ends:
        ends[-1] = ""
    return "".join(line + end for line, end in zip(lines, ends, strict=True))


def _split(text: str) -> tuple[list[str], list[str]]:
    """Return lines and what ends each, so that what no hunk names stays as it is; a form feed ends no line."""
    parts = _LINE_END.split(text)
    lines, ends = parts[::2], [*parts[1::2], ""]
    return (lines, ends) if lines[-1] else (lines[:-1], ends[:-1])


def _taken(part: FilePatch, line: str) -> bool:
    """Take one line of a section; False when it has no place there."""
    if part.action == "Delete":
        return not line.strip()
    if part.action == "Add":
        if not part.hunks:
            part.hunks.append(Hunk(""))
        part.hunks[-1].new.append(line[1:])
        return line.startswith("+")
    if line.startswith(_MOVE) and not part.hunks:
        part.move_to = line.removeprefix(_MOVE).strip()
        return True
    if line.rstrip() == _OF_FILE:
        return True
    if line.startswith("@@"):
        part.hunks.append(Hunk(line[2:].strip()))
        return True
    if not part.hunks:
        part.hunks.append(Hunk(""))
    hunk, mark, rest = part.hunks[-1], line[:1], line[1:]
    if mark in {" ", "-", ""}:
        hunk.old.append(rest)
    if mark in {" ", "+", ""}:
        hunk.new.append(rest)
    return mark in {" ", "+", "-", ""}


def _anchor(lines: list[str], anchor: str, start: int, path: str) -> int:
    for index in range(start, len(lines)):
        if lines[index].strip() == anchor:
            return index + 1
    if anchor.startswith("-"):  # The numbers of a unified diff, which say nothing that the lines do not.
        return start
    raise ToolError(f"the line {anchor!r} does not stand in {path!r}; after @@ comes a line of the file, or nothing")


def _find(lines: list[str], old: list[str], start: int) -> int:
    """Return where lines stand, to the letter or else but for spaces at their ends; -1 when nowhere."""
    bare, wanted = [line.rstrip() for line in lines], [line.rstrip() for line in old]
    for there, sought in ((lines, old), (bare, wanted)):
        for index in range(start, len(lines) - len(old) + 1):
            if there[index : index + len(old)] == sought:
                return index
    return -1
