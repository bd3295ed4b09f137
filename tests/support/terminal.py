"""A program in a terminal of its own, and a person who reads it and types."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

_PATIENCE_S = 60.0
_SHOWN = 4000
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# The terminal must control the program, so that Ctrl-C reaches it.
_IN_TERMINAL = (
    "import fcntl, os, sys, termios;fcntl.ioctl(0, termios.TIOCSCTTY, 0);os.execv(sys.executable, sys.argv[1:])"
)


class Terminal:
    """Runs a Python program on a pseudo-terminal.

    Args:
        arguments: Arguments of the interpreter.
        env: Its whole environment.
        stdout: Where standard output goes instead of the terminal, or ``None``.
    """

    def __init__(self, arguments: Sequence[str], *, env: Mapping[str, str], stdout: int | None = None) -> None:
        self._master, slave = pty.openpty()
        command = [sys.executable, "-c", _IN_TERMINAL, sys.executable, *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave if stdout is None else stdout,
            stderr=slave,
            env=env,
            start_new_session=True,
        )
        os.close(slave)
        self.raw = ""
        self._read_to = 0

    @property
    def text(self) -> str:
        """Everything the program wrote so far, without escapes."""
        return _ESCAPE.sub("", self.raw).replace("\r\n", "\n")

    def expect(self, wanted: str) -> None:
        """Read until `wanted` appears after what was expected before."""
        deadline = time.monotonic() + _PATIENCE_S
        while (at := self.text.find(wanted, self._read_to)) < 0:
            assert self._read(deadline), f"the terminal closed before {wanted!r}:\n{self.text[-_SHOWN:]}"
        self._read_to = at + len(wanted)

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def wait(self) -> int:
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + _PATIENCE_S
        while self._read(deadline):
            pass
        return self.process.wait(_PATIENCE_S)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        os.close(self._master)
        self._master = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._master >= 0:
            os.close(self._master)
        self.process.kill()
        self.process.wait()

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"nothing more within {_PATIENCE_S:g} s:\n{self.text[-_SHOWN:]}"
        try:
            block = os.read(self._master, 65536)
        except OSError:  # what Linux says when the program has closed its side
            return False
        self.raw += block.decode(errors="replace")
        return bool(block)
