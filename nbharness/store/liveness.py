"""Whether the process that ran a turn still lives, also when its pid was given to another one since."""

from __future__ import annotations

import os
import platform
import sys
from functools import lru_cache
from pathlib import Path

import msgspec

__all__ = ["ProcessStamp", "is_dead", "stamp"]

_PROC = Path("/proc")
_ZOMBIE_OR_DEAD = {"Z", "X", "x"}


class ProcessStamp(msgspec.Struct, frozen=True):
    """What tells one process from every other.

    Attributes:
        pid: Its number.
        started: When it started, in the system's own unit; ``""`` when that cannot be known.
        host: Name of its machine.
        boot: Id of the machine's boot, the same in every container on it; ``""`` where there is none.
        namespace: Id of the space its pid is counted in; ``""`` where there is none.
    """

    pid: int
    started: str
    host: str
    boot: str
    namespace: str


def stamp(pid: int | None = None) -> ProcessStamp:
    """Return the stamp of a process on this machine; ``None`` is this process."""
    pid = os.getpid() if pid is None else pid
    return ProcessStamp(pid, _started(pid) or "", *_here())


def is_dead(process: ProcessStamp) -> bool | None:
    """Tell whether a process has ended; ``None`` when that cannot be told from here (another machine or container)."""
    host, boot, namespace = _here()
    if (boot, namespace) == (process.boot, process.namespace) and (boot or host == process.host):
        started = _started(process.pid)
        return started is None or process.started not in {started, ""}
    return True if boot != process.boot and host == process.host else None


@lru_cache(maxsize=1)
def _here() -> tuple[str, str, str]:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = str((_PROC / "self/ns/pid").stat().st_ino)
    except OSError:
        boot = namespace = ""
    return platform.node(), boot, namespace


def _started(pid: int) -> str | None:
    """Return when a process started, ``""`` when that is not told, ``None`` when there is none."""
    if sys.platform != "linux":
        return _started_elsewhere(pid)
    try:
        # The name may hold blanks and brackets, so count from its end.
        fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    except OSError:
        return ""
    return None if fields[0] in _ZOMBIE_OR_DEAD else fields[19]


def _started_elsewhere(pid: int) -> str | None:
    # ipykernel needs it too; Linux does without, and without its import.
    import psutil  # type: ignore[import-untyped] # noqa: PLC0415

    try:
        return str(psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return None
    except psutil.AccessDenied:
        return ""
