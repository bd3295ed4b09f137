"""Output of any length: its head and its tail, and exactly how much is missing between them."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Capped", "Shown", "capped"]

MODEL_BYTES = 32 * 1024
"""What a model gets of one call, besides the words that say what is missing."""

_SHOWN_BYTES = 256 * 1024
_TAIL_SHARE = 3
_MARKS, _CONTINUES = 0xC0, 0x80
"""What tells a byte of UTF-8 that continues a character."""


class Capped:
    """Keeps the beginning and the end of a text in bounded memory; no character is cut in two.

    Args:
        limit: Bytes of UTF-8 to keep: two thirds of the beginning, one third of the end.
    """

    def __init__(self, limit: int = MODEL_BYTES) -> None:
        self._tail_bytes = limit // _TAIL_SHARE
        self._room = limit - self._tail_bytes
        self._head: list[str] = []
        self._tail = bytearray()
        self._dropped = 0

    def add(self, text: str) -> str:
        """Take more; return what of it belongs to the beginning."""
        head = ""
        if self._room:
            head = _first(text, self._room)
            self._room -= len(_bytes(head))
            self._head.append(head)
            text = text[len(head) :]
            if text:
                self._room = 0
        self._tail += _bytes(text)
        if len(self._tail) > 2 * self._tail_bytes:
            self._cut()
        return head

    def rest(self) -> str:
        """Return what follows the beginning: the end, after the words that say how much is missing between them."""
        if len(self._tail) > self._tail_bytes:
            self._cut()
        tail = self._tail.decode(errors="replace")
        return f"\n[{self._dropped} bytes omitted]\n{tail}" if self._dropped else tail

    def text(self) -> str:
        """Return all that is kept."""
        return "".join(self._head) + self.rest()

    def _cut(self) -> None:
        start = len(self._tail) - self._tail_bytes
        while start < len(self._tail) and self._tail[start] & _MARKS == _CONTINUES:
            start += 1
        del self._tail[:start]
        self._dropped += start


class Shown:
    """Output of a program: shown as it comes, up to a limit, and kept for the model, up to a lower one.

    Args:
        write: Shows a piece.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._shown = Capped(_SHOWN_BYTES)
        self._kept = Capped()

    def add(self, text: str) -> None:
        """Take a piece."""
        self._kept.add(text)
        if head := self._shown.add(text):
            self._write(head)

    def end(self) -> str:
        """Show the end of what was held back; return what the model gets."""
        if rest := self._shown.rest():
            self._write(rest)
        return self._kept.text()


def capped(text: str) -> str:
    """Return a text, shortened where it must be."""
    output = Capped()
    output.add(text)
    return output.text()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _first(text: str, limit: int) -> str:
    """Return as much of the beginning as fits into so many bytes."""
    data = _bytes(text)
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore")
