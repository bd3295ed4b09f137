"""What to say of a program that is gone."""

from __future__ import annotations

import re

from nbharness.errors import AdapterProcessError
from nbharness.process import AgentProcess

__all__ = ["death", "last_words"]

_SHOWN_LINES = 5
_SHOWN_CHARS = 1000
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def last_words(stderr: str) -> str:
    """Return the last lines that a program wrote to its standard error, without colours; ``""`` for none."""
    lines = _ESCAPES.sub("", stderr).strip().splitlines()[-_SHOWN_LINES:]
    return "\n".join(lines)[-_SHOWN_CHARS:]


def death(agent: str, process: AgentProcess, doing: str = "") -> AdapterProcessError:
    """Make the error of a process that ended before its time.

    Args:
        agent: The agent.
        process: Its process.
        doing: What it worked on, as ``session/prompt``; ``""`` when that is not known.
    """
    status = process.status
    what = f" while it worked on {doing}" if doing else ""
    said = last_words(process.stderr_tail)
    return AdapterProcessError(
        f"{agent} ended{what} ({status}). The next message takes the session up again."
        + (f" It said last: {said}" if said else ""),
        exit_code=status.code if status else None,
        signal=status.signal if status else None,
        stderr=process.stderr_tail,
    )
