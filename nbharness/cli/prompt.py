"""``nbharness prompt``: what the built-in agent is told before anything else, to the letter."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from nbharness.adapters.builtin import BuiltinAdapter
from nbharness.adapters.builtin.instructions import system_prompt_of
from nbharness.cli.exit_codes import DONE
from nbharness.cli.options import CommandParser
from nbharness.config import load
from nbharness.declared import definition_for
from nbharness.spec import TurnSpec
from nbharness.transcript.visible import visible
from nbharness.turn_factory import request_of

__all__ = ["main"]

_EPILOG = """\
It is made of: who the agent is (system_prompt in the settings says otherwise), how it works, the files AGENTS.md and
CLAUDE.md from the workspace up to the root, the nearest first, system_prompt_append, and where it works.
"""


def main(arguments: Sequence[str]) -> int:
    """Print the system prompt.

    Raises:
        ConfigError: A setting cannot be used.
        WorkspaceError: The workspace is not a directory.
    """
    parser = CommandParser("prompt", "Print what the built-in agent is told before anything else.", _EPILOG)
    parser.add_argument("--workspace", metavar="DIR", default=".", help="directory to work in; by default this one")
    parser.add_argument("--plan", action="store_true", help="as it is told when it is to propose a plan first")
    parser.add_argument(
        "--agent-def", metavar="NAME", help="as it is told when it works as this agent of the workspace"
    )
    options = parser.parse_args(arguments)
    adapter = BuiltinAdapter()
    workspace = Path(options.workspace).expanduser().absolute()
    spec = TurnSpec.over(
        load(),
        agent=adapter.name,
        workspace=workspace,
        definition=definition_for(options.agent_def, workspace),
        plan_mode=options.plan or None,
    )
    spec.check_circumstances(adapter.capabilities)
    text = system_prompt_of(request_of(spec, "", adapter))
    print(visible(text) if sys.stdout.isatty() else text)
    return DONE
