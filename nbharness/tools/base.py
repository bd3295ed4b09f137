"""What a tool is, whoever brings it.

A tool works on the workspace that its context names, never on the process's own directory, so that turns in different
workspaces run at the same time. It streams what it has to show, ends what it started when it is cancelled, and tells
the model what went wrong as a :class:`ToolError`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbharness.events import FileDiff, Todo, ToolKind

__all__ = ["Tool", "ToolContext", "ToolError", "ToolOutput"]


class ToolError(Exception):
    """A call that has no result. The message is for the model: what, which value, and what is valid."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolContext:
    """Where and for whom a tool runs.

    Attributes:
        workspace: Directory to work in, absolute.
        write: Takes output as it comes, to be shown at once; called on the loop.
        environment: All variables of the programs that it starts.
    """

    workspace: Path
    write: Callable[[str], None]
    environment: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutput:
    """What a call came to.

    Attributes:
        text: The result, for the model.
        diffs: Files that it changed.
        exit_code: Exit status, when it was a command.
        todos: The checklist as it is now, when it is the tool that keeps it.
    """

    text: str
    diffs: tuple[FileDiff, ...] = ()
    exit_code: int | None = None
    todos: tuple[Todo, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool that a model can call.

    Attributes:
        name: Its name, unique among those that are offered.
        description: What it does and how it is used, for the model.
        parameters: JSON Schema of its arguments, an object.
        kind: What it does, for people.
        asks: True when it may change something; then a person or a rule is asked first.
        every_mode: It asks in every permission mode; only a rule can allow it.
        run: Runs it. Cancelling it ends all that it started.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    kind: ToolKind
    asks: bool
    run: Callable[[ToolContext, dict[str, Any]], Awaitable[ToolOutput]]
    every_mode: bool = False
