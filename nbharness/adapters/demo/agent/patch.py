"""Unified diffs: making them, and applying them after a person may have edited them.

A person who edits a diff does not count lines. So the numbers in a hunk's head are a hint only; where a hunk belongs is
told by the lines it keeps and removes. Files with CRLF line ends are shown with LF and keep their CRLF.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from nbharness.adapters.demo.agent.messages import FileDelta

__all__ = ["FileChange", "PatchError", "patched"]

_NOWHERE = "/dev/null"
_NO_NEWLINE = "\\ No newline at end of file\n"
_HEAD = re.compile(r"@@(?: -(\d+))?")


class PatchError(Exception):
    """A patch cannot be read, or does not fit the files."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; `before` is ``None`` for a file that is new."""

    path: str
    before: str | None
    after: str

    def delta(self) -> FileDelta:
        """Return the change as the agent reports it."""
        old, new = _lines(_with_lf(self.before or "")), _lines(_with_lf(self.after))
        source = _NOWHERE if self.before is None else f"a/{self.path}"
        body = list(difflib.unified_diff(old, new, source, f"b/{self.path}"))
        marks = [line[0] for line in body[2:]]
        diff = "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in body)
        return FileDelta(path=self.path, diff=diff, added=marks.count("+"), removed=marks.count("-"))


@dataclass(slots=True)
class _Hunk:
    line: int
    hint: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    last: list[list[str]] = field(default_factory=list)  # The sides that the last line is on.


@dataclass(slots=True)
class _File:
    path: str
    is_new: bool
    hunks: list[_Hunk] = field(default_factory=list)


def patched(patch: str, read: Callable[[str], str | None]) -> list[FileChange]:
    """Return what a patch makes of the files; nothing is written.

    Args:
        patch: Unified diff over any number of files.
        read: Returns the text of a file, or ``None`` when it does not exist.

    Raises:
        PatchError: It is no patch, deletes a file, or a hunk fits nowhere; the message names the line or the file.
    """
    files = _parse(_lines(_with_lf(patch.rstrip("\n") + "\n")))
    if not files:
        raise PatchError("there is no change to a file in the patch: expected lines '--- a/FILE' and '+++ b/FILE'")
    if len({file.path for file in files}) < len(files):
        raise PatchError("the patch has two parts for one file")
    return [_changed(file, read(file.path)) for file in files]


def _changed(file: _File, before: str | None) -> FileChange:
    if file.is_new is not (before is None):
        raise PatchError(f"{file.path} {'exists already' if file.is_new else 'does not exist'}")
    text = before or ""
    after = _joined(_lines(_with_lf(text)), file)
    return FileChange(file.path, before, after.replace("\n", "\r\n") if _is_crlf(text) else after)


def _parse(lines: list[str]) -> list[_File]:
    files: list[_File] = []
    hunk: _Hunk | None = None
    source = ""
    for number, line in enumerate(lines, 1):
        following = lines[number] if number < len(lines) else ""
        if line.startswith("--- ") and following.startswith("+++ "):
            source, hunk = line, None
        elif source:
            files.append(_file(source, line))
            source = ""
        elif files and (head := _HEAD.match(line)):
            hunk = _Hunk(number, int(head[1] or 1))
            files[-1].hunks.append(hunk)
        elif hunk is not None:
            _take(hunk, line, number)
    return files


def _file(source: str, target: str) -> _File:
    old, new = (line[4:].rstrip("\n").partition("\t")[0] for line in (source, target))
    if new == _NOWHERE:
        raise PatchError(f"the patch deletes {old.removeprefix('a/')}; that is not done here")
    return _File(new.removeprefix("b/"), is_new=old == _NOWHERE)


def _take(hunk: _Hunk, line: str, number: int) -> None:
    mark, text = line[0], line[1:]
    if mark == "\n":
        mark, text = " ", "\n"  # An editor stripped the space of an empty line.
    if mark == "\\":
        for side in hunk.last:
            side[-1] = side[-1].removesuffix("\n")
        return
    if mark not in " +-":
        raise PatchError(f"line {number} of the patch begins with {mark!r}; expected ' ', '+', '-' or '@@'")
    hunk.last = {"+": [hunk.new], "-": [hunk.old], " ": [hunk.old, hunk.new]}[mark]
    for side in hunk.last:
        side.append(text)


def _joined(lines: list[str], file: _File) -> str:
    result: list[str] = []
    at = 0
    for hunk in file.hunks:
        size = len(hunk.old)
        places = [i for i in range(at, len(lines) - size + 1) if lines[i : i + size] == hunk.old]
        if not places:
            raise PatchError(f"the hunk in line {hunk.line} of the patch does not fit {file.path}")
        place = min(places, key=lambda i: abs(i - hunk.hint + 1))
        result += lines[at:place] + hunk.new
        at = place + size
    return "".join(result + lines[at:])


def _lines(text: str) -> list[str]:
    # Not splitlines: it also cuts at form feeds and other characters that end no line of a file.
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _is_crlf(text: str) -> bool:
    return text.count("\r\n") == text.count("\n") > 0


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n") if _is_crlf(text) else text
