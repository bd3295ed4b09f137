"""Options of a command, with errors in the form that all of ours have."""

from __future__ import annotations

import argparse
from typing import Any, Never

from nbharness.errors import ConfigError
from nbharness.turn_options import TurnOption, read_value

__all__ = ["CommandParser", "add_turn_option"]


class CommandParser(argparse.ArgumentParser):
    """Parses a command's arguments; what is wrong with them is raised as one line.

    Args:
        command: Name of the command, such as ``run`` or ``sessions rename``.
        description: What it does.
        epilog: Shown below the options, as it is.
    """

    def __init__(self, command: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=f"nbharness {command}",
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> Never:
        """Raise what is wrong.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(f"{message}; see {self.prog} --help")


def add_turn_option(parser: CommandParser, option: TurnOption) -> None:
    """Add one of the options that a cell knows too."""
    words = option.help[0].lower() + option.help[1:].removesuffix(".")
    if not option.value:
        parser.add_argument(option.flag, dest=option.field, action="store_true", help=words)
        return

    def read(text: str) -> Any:
        try:
            return read_value(option, text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    parser.add_argument(
        option.flag,
        dest=option.field,
        metavar=option.value,
        type=read,
        action="append" if option.many else "store",
        default=[] if option.many else None,
        help=words,
    )
