"""Watching processes that are not ours to wait for."""

import os
import select
import sys
import time
from collections.abc import Iterable
from pathlib import Path

FAKES = Path(__file__).parents[1] / "fakes"
STUBBORN_TREE = [sys.executable, "-I", "-S", str(FAKES / "stubborn_tree.py")]


def survivors(pids: Iterable[int], within_s: float) -> list[int]:
    """Wait until all of ``pids`` have ended or the time is up; return those that live."""
    watched = {}
    for pid in pids:
        try:
            watched[os.pidfd_open(pid)] = pid
        except ProcessLookupError:
            continue
    poll = select.poll()
    for fd in watched:
        poll.register(fd, select.POLLIN)
    deadline = time.monotonic() + within_s
    living = dict(watched)
    while living and (left_s := deadline - time.monotonic()) > 0:
        for fd, _ in poll.poll(left_s * 1000):
            poll.unregister(fd)
            del living[fd]
    for fd in watched:
        os.close(fd)
    return list(living.values())


def open_descriptors() -> int:
    """Count this process's descriptors."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def parent_of(pid: int) -> int:
    """Return the process id of the parent of ``pid``."""
    # The name before the last parenthesis may hold any character.
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def environment_of(pid: int) -> dict[str, str]:
    """Return the environment with which ``pid`` was started."""
    entries = os.fsdecode(Path(f"/proc/{pid}/environ").read_bytes()).split("\0")
    return dict(entry.split("=", 1) for entry in entries if entry)
