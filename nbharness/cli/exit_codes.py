"""What the shell is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbharness.results import CodingResult

__all__ = ["ABORTED", "DONE", "FAILED", "USAGE", "exit_code"]

DONE = 0
FAILED = 1
USAGE = 2
ABORTED = 3


def exit_code(result: CodingResult) -> int:
    """Return the exit code of a turn: 0 done, 1 failed, 3 stopped, out of time or with something refused."""
    if result.status in {"error", "max_turns"}:
        return FAILED
    if result.status != "completed" or result.output.value.metadata.get("refused"):
        return ABORTED
    return DONE
