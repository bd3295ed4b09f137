"""What a terminal would show in the end: progress bars are one line, and escapes are gone.

The twin of ``js/src/term/``, without colour: only the newest line can still change.
"""

from __future__ import annotations

import re

from nbharness.transcript.visible import printable

__all__ = ["screen_text"]

_MAX_COLUMNS = 4096  # a line that is written to in several places wraps here

# CSI that moves or erases; the rest are sequences without effect here: other CSI, strings (OSC, DCS, APC, PM, SOS) with
# their end, two characters, and a lone escape.
_ACTION = r"(?:\x1b\[|\x9b)(?P<count>\d*)[0-9:;<=>?]*[ -/]*(?P<final>[KGCDP])"
_IDLE = re.compile(
    r"(?:\x1b\[|\x9b)[0-9:;<=>?]*[ -/]*[@-BEFH-JL-OQ-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]{0,65536}(?:\x07|\x1b\\)|\x1b(?!\[)[ -/]*[0-~]?|(?:\x1b\[|\x9b)(?![0-9:;<=>? -/]*[KGCDP])"
)
_STEP = re.compile(rf"(?P<plain>[^\x08\r\x1b\x9b]+)|{_ACTION}|(?P<control>[\x08\r])")
_MOVES = re.compile(r"[\x08\r\x1b\x9b]")


def screen_text(stream: str) -> str:
    """Return the text that a stream of terminal output leaves on the screen; linear in its length.

    Carriage return, backspace, erase-line and column moves work inside a line. Other control characters become
    visible; tabs stay.
    """
    lines = _IDLE.sub("", stream).replace("\r\n", "\n").split("\n")
    return printable("\n".join(_settled(line) if _MOVES.search(line) else line for line in lines))


def _settled(line: str) -> str:
    open_line = _OpenLine()
    for step in _STEP.finditer(line):
        if step["plain"]:
            open_line.print(step["plain"].expandtabs())
        elif step["control"]:
            open_line.move_to(0 if step["control"] == "\r" else open_line.column - 1)
        else:
            open_line.obey(step["final"], step["count"])
    return open_line.text()


class _OpenLine:
    """A line of cells that can be overwritten, and a cursor; what wrapped is above."""

    def __init__(self) -> None:
        self._above: list[str] = []
        self._cells: list[str] = []
        self.column = 0

    def text(self) -> str:
        return "\n".join([*self._above, "".join(self._cells).rstrip()])

    def print(self, text: str) -> None:
        for start in range(0, len(text), _MAX_COLUMNS):
            self._print(text[start : start + _MAX_COLUMNS])

    def _print(self, text: str) -> None:
        if self.column + len(text) > _MAX_COLUMNS:
            self._above.append("".join(self._cells))
            self._cells, self.column = [], 0
        self._cells += [" "] * (self.column - len(self._cells))
        end = self.column + len(text)
        self._cells[self.column : end] = text
        self.column = end

    def move_to(self, column: int) -> None:
        self.column = min(_MAX_COLUMNS, max(0, column))

    def obey(self, final: str, count: str) -> None:
        number = int(count[:5] or 0)
        steps = max(1, number)
        match final:
            case "G":
                self.move_to(steps - 1)
            case "C":
                self.move_to(self.column + steps)
            case "D":
                self.move_to(self.column - steps)
            case "P":
                del self._cells[self.column : self.column + steps]
            case _:
                self._erase(number)

    def _erase(self, mode: int) -> None:
        if mode == 1:
            end = min(self.column + 1, len(self._cells))
            self._cells[:end] = [" "] * end
        else:
            del self._cells[0 if mode == 2 else self.column :]  # noqa: PLR2004 (ECMA-48: 2 is the whole line)
