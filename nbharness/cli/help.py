"""``nbharness help [COMMAND]``."""

from __future__ import annotations

from collections.abc import Sequence

from nbharness.cli.commands import COMMANDS, run_command
from nbharness.cli.exit_codes import DONE

__all__ = ["main"]

_USAGE = """\
usage: nbharness COMMAND [options]

nbharness runs any coding agent: in a notebook cell (%load_ext nbharness, then %coder), or here.

commands:
"""

_EXAMPLES = """
examples:
  nbharness demo
  nbharness agents
  nbharness run "make the tests pass" --agent claude
  git diff | nbharness run - --quiet
  nbharness show 3f2a

exit codes: 0 done, 1 failed, 2 wrong use or settings, 3 stopped or refused
nbharness COMMAND --help tells the options of a command.
"""


def main(arguments: Sequence[str]) -> int:
    """Print all commands, or the help of one.

    Raises:
        UnknownName: If there is no such command.
    """
    name = next((word for word in arguments if not word.startswith("-")), "help")
    if name != "help":
        return run_command(name, ["--help"])
    rows = "".join(f"  {command:<10}{what}\n" for command, what in COMMANDS.items())
    print(_USAGE + rows + _EXAMPLES, end="")
    return DONE
