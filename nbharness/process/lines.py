"""Cuts a stream of bytes into lines, with a bound on what a line may cost."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TypeAlias

from nbharness.process.pipes import PipeReader

MAX_LINE_BYTES = 8 * 1024 * 1024
"""Longest line that is kept, without its end."""


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """Stands in for a line over the limit; the next line is whole again.

    Attributes:
        bytes_dropped: Its length without the LF.
    """

    bytes_dropped: int


@dataclass(frozen=True, slots=True)
class PartialLine:
    """The last line of a stream that ended without a newline. It may be cut off.

    Attributes:
        data: What there is of it; never empty.
    """

    data: bytes


Line: TypeAlias = bytes | LineTooLong | PartialLine
"""``bytes``: a complete line without its LF or CRLF; it may be empty."""


class LineSplitter:
    """Cuts blocks into lines. Holds at most one limit's worth of an unfinished line."""

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max = max_line_bytes
        self._parts: list[bytes] = []
        self._held = 0
        self._dropped = 0

    def feed(self, block: bytes) -> list[Line]:
        """Take the next bytes; return the lines that end in them, in order."""
        pieces = block.split(b"\n")
        rest = pieces.pop()
        lines: list[Line] = []
        if pieces:
            lines.append(self._finish(pieces[0]))
            # Most streams need no second look. One byte is found ten times faster than two.
            if b"\r" in block or len(block) > self._max:
                lines += map(self._checked, pieces[1:])
            else:
                lines += pieces[1:]
        self._hold(rest)
        return lines

    def end(self) -> list[Line]:
        """Return what is left of the last line: nothing, a ``PartialLine`` or a ``LineTooLong``."""
        size = self._dropped or self._held
        if size > self._max:
            return [LineTooLong(size)]
        return [PartialLine(b"".join(self._parts))] if size else []

    def _hold(self, piece: bytes) -> None:
        if self._dropped:
            self._dropped += len(piece)
        elif piece:
            self._parts.append(piece)
            self._held += len(piece)
            # One more than the limit may still be the CR of a line that just fits.
            if self._held > self._max + 1:
                self._dropped = self._held
                self._parts.clear()
                self._held = 0

    def _finish(self, piece: bytes) -> Line:
        if self._dropped:
            line: Line = LineTooLong(self._dropped + len(piece))
        else:
            line = self._checked(b"".join((*self._parts, piece)))
        self._parts.clear()
        self._held = self._dropped = 0
        return line

    def _checked(self, line: bytes) -> Line:
        kept = line.removesuffix(b"\r")
        return kept if len(kept) <= self._max else LineTooLong(len(line))


async def read_lines(stream: PipeReader, max_line_bytes: int = MAX_LINE_BYTES) -> AsyncIterator[Line]:
    """Yield the lines of a stream in order, until it ends.

    Args:
        stream: Where to read; not closed when the caller stops early.
        max_line_bytes: Longest line that is yielded; a longer one comes as a ``LineTooLong``.
    """
    splitter = LineSplitter(max_line_bytes)
    while block := await stream.read():
        for line in splitter.feed(block):
            yield line
    for line in splitter.end():
        yield line
