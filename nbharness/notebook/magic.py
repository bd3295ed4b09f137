"""``%coder`` and ``%%coder``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from nbharness.errors import NbHarnessError, TurnDetached
from nbharness.notebook.completion import agent_names
from nbharness.notebook.options import help_text, parse

if TYPE_CHECKING:
    from nbharness.handle import CodingHandle
    from nbharness.notebook.session import CoderSession

__all__ = ["CoderMagics"]


@magics_class
class CoderMagics(Magics):
    """The magics of one kernel.

    Args:
        shell: The interactive shell.
        session: Returns what starts and shows turns.
    """

    def __init__(self, shell: Any, session: Callable[[], CoderSession]) -> None:
        super().__init__(shell)
        self._session = session

    @no_var_expand
    @line_cell_magic
    def coder(self, line: str, cell: str | None = None) -> CodingHandle | None:
        """Run a turn of a coding agent; ``%coder --help`` shows the options."""
        try:
            options = parse(line, cell)
            if options.help or options.list:
                print(help_text() if options.help else "\n".join(agent_names()))  # noqa: T201 (what was asked for)
                return None
            if options.undo:
                print(self._session().undo(options.prompt.strip()))  # noqa: T201 (what was asked for)
                return None
            if options.usage:
                print(self._session().usage())  # noqa: T201 (what was asked for)
                return None
            return self._session().start(options)
        except TurnDetached:
            raise
        except NbHarnessError as error:
            raise UsageError(str(error)) from error
