"""``nbharness undo TURN``: files of a workspace as they were before a turn."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from nbharness.cli.exit_codes import DONE, FAILED
from nbharness.cli.keeping import open_store
from nbharness.cli.options import CommandParser
from nbharness.transcript.visible import visible
from nbharness.undoing import undo_lines, undo_stored_turn

__all__ = ["main"]

_EPILOG = """\
All of it is taken back or nothing: when a file was changed since, it is named and every file stays as it is.
Only files are taken back; what a command did elsewhere is not.
"""


def main(arguments: Sequence[str]) -> int:
    """Undo a turn.

    Raises:
        ConfigError: There is no such turn.
        NbHarnessError: It cannot be undone.
    """
    parser = CommandParser("undo", "Take back what a turn changed in its workspace.", _EPILOG)
    parser.add_argument("turn", help="its id, or a conversation's for its last turn; nbharness sessions lists them")
    parser.add_argument("--redo", action="store_true", help="take an undo back")
    options = parser.parse_args(arguments)
    with open_store() as kept:
        result = kept.wait(undo_stored_turn(kept.store, options.turn, redo=options.redo))
    print(visible("\n".join(undo_lines(result))), file=sys.stdout if result.undone else sys.stderr)
    return DONE if result.undone else FAILED
