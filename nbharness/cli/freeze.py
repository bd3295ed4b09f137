"""``nbharness freeze FILE…``: puts kept transcripts into saved notebooks, in place of widgets that are no more."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nbharness.cli.exit_codes import DONE, USAGE
from nbharness.cli.options import CommandParser
from nbharness.errors import ConfigError
from nbharness.server.stored import bundle_for_turn
from nbharness.transcript.notebook import freeze_file

__all__ = ["main"]

_EPILOG = """\
A page that was reloaded while an agent worked saves a notebook that only says that a widget is missing. Close the
notebook first: a page that has it open would ask whose version counts.
"""


def main(arguments: Sequence[str]) -> int:
    """Freeze every file that can be; one that cannot is said and the others go on.

    Raises:
        StoreError: The store cannot be read.
    """
    parser = CommandParser("freeze", "Put kept transcripts into saved notebooks.", _EPILOG)
    parser.add_argument("file", nargs="+", type=Path, help="notebook to change in place")
    options = parser.parse_args(arguments)
    code = DONE
    for file in options.file:
        try:
            frozen, missing = _freeze(file)
        except ConfigError as error:
            print(f"nbharness: {error}", file=sys.stderr)
            code = USAGE
            continue
        print(f"{file}: {frozen} transcript{'' if frozen == 1 else 's'} put in")
        if missing:
            why = "is not kept here, or still runs" if len(missing) == 1 else "are not kept here, or still run"
            print(f"nbharness: {file}: {', '.join(missing)} {why}", file=sys.stderr)
    return code


def _freeze(file: Path) -> tuple[int, list[str]]:
    """Freeze one file; return how many transcripts were put in, and the turns that were not found."""
    missing: list[str] = []

    def bundle_for(turn_id: str) -> Mapping[str, Any] | None:
        bundle = bundle_for_turn(turn_id)
        if bundle is None:
            missing.append(turn_id)
        return bundle

    return freeze_file(file, bundle_for), missing
