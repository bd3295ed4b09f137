"""The commands: their names and what they do."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Protocol, cast

from nbharness.errors import UnknownName

__all__ = ["COMMANDS", "run_command"]

COMMANDS = {
    "run": "run an agent on a task and print what it does",
    "demo": "open JupyterLab on a first notebook, with an agent that needs no key",
    "agents": "list the agents: what is installed, who is signed in, what each can do",
    "prompt": "print what the built-in agent is told before anything else",
    "sessions": "list the kept conversations; rename, archive or delete one",
    "show": "print a kept conversation",
    "usage": "tell what kept conversations consumed: tokens and cost",
    "undo": "take back what a turn changed in its workspace",
    "freeze": "put kept transcripts into saved notebooks",
    "config": "print every setting and where it comes from",
    "version": "print the version",
    "help": "print this, or the help of one command",
}
"""Every command and what it does, in the order to show them. Each is a module of this package."""


class _Command(Protocol):
    def main(self, arguments: Sequence[str]) -> int: ...


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; only now is its module imported.

    Raises:
        UnknownName: If there is no such command.
        NbHarnessError: What the command raises.
    """
    if name not in COMMANDS:
        raise UnknownName("command", name, COMMANDS)
    return cast("_Command", importlib.import_module(f"nbharness.cli.{name}")).main(arguments)
