"""Answers typed on a terminal. A wait for one ends when the question has gone."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Callable, Iterator

from nbharness.feed import HEARTBEAT_S

if sys.platform != "win32":
    import termios
    import tty

__all__ = ["Keyboard", "has_keyboard"]

_READ_BYTES = 4096


def has_keyboard() -> bool:
    """Tell whether a person can be asked: standard input and error are a terminal, and we are in its foreground."""
    if sys.platform == "win32" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:  # a terminal, but not the one that controls us: nobody stops us from reading
        return True


class Keyboard:
    """Reads keys and lines from a terminal, in the main thread.

    Args:
        fd: Descriptor of the terminal.
        gone: Asked every 0.2 s whether to give up waiting.
    """

    def __init__(self, fd: int, gone: Callable[[], bool]) -> None:
        self._fd = fd
        self._gone = gone

    def key(self, valid: str, invite: Callable[[], None]) -> str | None:
        """Wait for one of the keys in `valid`; Enter after it does no harm.

        What was typed before the invitation is thrown away, and so is anything pasted: nobody approves what they have
        not seen.

        Args:
            valid: The keys.
            invite: Asks for the key.

        Returns:
            The key; ``None`` when the wait was given up or the terminal has gone.

        Raises:
            OSError: The terminal had gone before.
        """
        with self._keys_at_once():
            invite()
            while True:
                typed = self._read()
                if not typed:
                    return None
                key = typed.decode(errors="replace").rstrip("\r\n")
                if len(key) == 1 and key in valid:
                    return key

    def line(self) -> str | None:
        """Wait for a line, edited as the terminal does it.

        Returns:
            The line without its end; ``None`` when the wait was given up or the terminal has gone.
        """
        typed = self._read()
        return typed.decode(errors="replace").rstrip("\r\n") if typed else None

    def _read(self) -> bytes:
        while not self._gone():
            if select.select([self._fd], [], [], HEARTBEAT_S)[0]:
                with contextlib.suppress(OSError):  # hung up
                    return os.read(self._fd, _READ_BYTES)
                return b""
        return b""

    @contextlib.contextmanager
    def _keys_at_once(self) -> Iterator[None]:
        try:
            before = termios.tcgetattr(self._fd)
            tty.setcbreak(self._fd, termios.TCSAFLUSH)
        except termios.error as error:
            raise OSError(*error.args) from error
        try:
            yield
        finally:
            with contextlib.suppress(termios.error):  # closed meanwhile
                termios.tcsetattr(self._fd, termios.TCSADRAIN, before)
