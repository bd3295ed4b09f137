"""Real processes: which an adapter started, which of them is the agent, and whether any is left. Linux only."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from nbharness.process import supervisor

__all__ = ["Processes", "is_alive", "survivors"]

_POLL_S = 0.02


class Processes:
    """What this process started since the object was made."""

    def __init__(self) -> None:
        self._before = set(supervisor.descendants(os.getpid()))

    def all(self) -> set[int]:
        """Return everything that was started since and lives."""
        return {pid for pid in supervisor.descendants(os.getpid()) if pid not in self._before and is_alive(pid)}

    def agents(self) -> list[int]:
        """Return the agents: what our supervisors started, oldest first, without what the agents started."""
        return [pid for pid in sorted(self.all(), key=_started) if _supervises(_parent(pid)) and not _supervises(pid)]

    def kill_agent(self) -> int:
        """Kill the agent that was started last, as the kernel does when memory runs out.

        Returns:
            Its process id, or 0 when there is none.
        """
        for pid in reversed(self.agents()):
            os.kill(pid, signal.SIGKILL)
            return pid
        return 0


def survivors(pids: Iterable[int], within_s: float) -> set[int]:
    """Wait until processes have ended, `within_s` seconds at most; return those that live."""
    deadline = time.monotonic() + within_s
    living = {pid for pid in pids if is_alive(pid)}
    while living and time.monotonic() < deadline:
        time.sleep(_POLL_S)
        living = {pid for pid in living if is_alive(pid)}
    return living


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and was not collected yet does not."""
    fields = _stat(pid)
    return bool(fields) and fields[0] not in {"Z", "X"}


def _stat(pid: int) -> list[str]:
    """Return the fields after the command's name: state, parent and so on; nothing when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _started(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[19]) if fields else 0


def _supervises(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return os.fsencode(supervisor.__file__) in command.split(b"\0")
