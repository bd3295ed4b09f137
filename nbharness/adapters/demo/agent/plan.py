"""Plans of the demo agent: proposed as a list, followed as the user approved it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nbharness.adapters.demo.agent.patch import FileChange

__all__ = ["Steps", "follow", "proposal"]

_NUMBER = re.compile(r"^\s*(?:\d+[.)]|[-*])\s+")
_CHECK = re.compile(r"\b(?:tests?|check|show)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Steps:
    """What a plan comes to.

    Attributes:
        changes: Files to change.
        check: Whether to check the result.
        unknown: Lines that the agent does not understand.
    """

    changes: list[FileChange]
    check: bool
    unknown: list[str]


def proposal(changes: Sequence[FileChange], how: str, check: str) -> str:
    """Return a plan as a numbered Markdown list: a line a file, and the check."""
    lines = [f"{how} in `{change.path}`" for change in changes] + [check]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def follow(plan: str, changes: Sequence[FileChange]) -> Steps:
    """Read a plan that a person may have edited: a step whose line is gone is left out.

    Args:
        plan: The plan as it was approved.
        changes: What could be done.
    """
    lines = [_NUMBER.sub("", line).strip() for line in plan.splitlines() if line.strip()]
    named = [change for change in changes if any(change.path in line for line in lines)]
    unknown = [line for line in lines if not _CHECK.search(line) and not any(c.path in line for c in named)]
    check = any(_CHECK.search(line) and not any(c.path in line for c in named) for line in lines)
    return Steps(named, check, unknown)
