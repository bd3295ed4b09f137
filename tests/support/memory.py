"""How much memory this process has held at most. Linux."""

from __future__ import annotations

from pathlib import Path

__all__ = ["peak_bytes", "reset_peak"]


def reset_peak() -> int:
    """Have the system count the peak from now on; return what is held now, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_bytes()


def peak_bytes() -> int:
    """Return the most memory that was held since :func:`reset_peak`."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
