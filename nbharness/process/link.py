"""Our end of a supervisor: what it tells of its command, and the word to stop it."""

import asyncio
import contextlib
import json
import os
import subprocess
from dataclasses import dataclass
from signal import Signals
from typing import Any

from nbharness.process import descriptors, supervisor

# Over and above what the supervisor may take by its own rules, before it is taken for dead.
_PATIENCE_S = 2.0
# The kernel closes a dying process's descriptors a moment before the process can be reaped.
_REAP_POLL_S = 0.005


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """How a process ended. Exactly one of the two is set.

    Attributes:
        code: Exit code, when it exited by itself.
        signal: Number of the signal that ended it.
    """

    code: int | None
    signal: int | None

    def __str__(self) -> str:
        if self.signal is None:
            return f"exit code {self.code}"
        with contextlib.suppress(ValueError):
            return f"signal {self.signal} ({Signals(self.signal).name})"
        return f"signal {self.signal}"

    @classmethod
    def of(cls, returncode: int) -> "ExitStatus":
        """Read a return code as ``subprocess`` has it: negative for a signal."""
        return cls(None, -returncode) if returncode < 0 else cls(returncode, None)


class SupervisorLink:
    """The conversation with one supervisor, by callbacks on the loop that made it.

    Attributes:
        started: The command's process id; an ``OSError`` when it could not be run.
        gone: How the command ended; done when no process of its tree is left.
        status: How the command ended, as soon as that is known; its children may still be there.
    """

    def __init__(self, program: "subprocess.Popen[bytes]", control: int) -> None:
        os.set_blocking(control, False)
        self._program = program
        self._control = control
        self._loop = asyncio.get_running_loop()
        self._unread = b""
        self._backstop: asyncio.TimerHandle | None = None
        self.started: asyncio.Future[int] = self._loop.create_future()
        self.gone: asyncio.Future[ExitStatus] = self._loop.create_future()
        self.status: ExitStatus | None = None
        self._loop.add_reader(control, self._on_readable)

    def stop(self, grace_s: float) -> None:
        """Have the tree terminated now and killed in ``grace_s`` seconds; ``gone`` tells when."""
        if self._control < 0:
            return
        with contextlib.suppress(ConnectionError, BlockingIOError):
            os.write(self._control, b"stop %f\n" % grace_s)
        if self._backstop is None:
            limit_s = grace_s + supervisor.KILL_LIMIT_S + _PATIENCE_S
            self._backstop = self._loop.call_later(limit_s, self._program.kill)

    def _on_readable(self) -> None:
        try:
            said = os.read(self._control, 4096)
        except BlockingIOError:
            return
        except ConnectionError:
            said = b""
        if not said:
            self._loop.remove_reader(self._control)
            descriptors.close(self._control)
            self._control = -1
            self._reap()
            return
        *lines, self._unread = (self._unread + said).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _take(self, message: dict[str, Any]) -> None:
        if "exit_code" in message:
            self.status = ExitStatus(message["exit_code"], message["signal"])
        elif self.started.done():
            return  # Whoever waited for the start was cancelled.
        elif "pid" in message:
            self.started.set_result(message["pid"])
        else:
            number = message["errno"]
            self.started.set_exception(OSError(number, os.strerror(number)))

    def _reap(self) -> None:
        returncode = self._program.poll()
        if returncode is None:
            self._loop.call_later(_REAP_POLL_S, self._reap)
            return
        if self._backstop is not None:
            self._backstop.cancel()
        if not self.started.done():
            died = f"its supervisor ended with {ExitStatus.of(returncode)}"
            self.started.set_exception(ChildProcessError(died))
        # Without a word about the command the supervisor was killed, and the command with it.
        self.gone.set_result(self.status or ExitStatus.of(returncode))
