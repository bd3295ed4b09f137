"""``nbharness version``."""

from __future__ import annotations

from collections.abc import Sequence

from nbharness import __version__
from nbharness.cli.exit_codes import DONE

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print the version."""
    if arguments:
        # Loaded on use: asking for the version must cost nothing.
        from nbharness.cli.options import CommandParser  # noqa: PLC0415

        CommandParser("version", "Print the version.").parse_args(arguments)
    print(f"nbharness {__version__}")
    return DONE
