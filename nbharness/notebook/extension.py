"""Loading the extension into IPython, and taking it out again without a trace."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from nbharness.notebook.completion import complete_coder
from nbharness.notebook.control import ControlRoad
from nbharness.notebook.host import Host
from nbharness.notebook.magic import CoderMagics
from nbharness.notebook.transform import rewrite_coder_lines

if TYPE_CHECKING:
    from nbharness.handle import CodingHandle
    from nbharness.notebook.session import CoderSession

__all__ = ["load", "unload"]

_KEY = "_nbharness_extension"
_HANDLE = "nbharness.handle.CodingHandle"


def load(shell: Any) -> None:
    """Register the magics, keep prompts verbatim, complete options, and open the control road."""
    unload(shell)
    extension = _Extension(Host(shell))
    shell.register_magics(CoderMagics(shell, extension.session))
    shell.input_transformers_cleanup.append(rewrite_coder_lines)
    shell.Completer.custom_matchers.append(complete_coder)
    shell.display_formatter.ipython_display_formatter.for_type(_HANDLE, extension.show)
    setattr(shell, _KEY, extension)
    notice = extension.road.open()
    if notice is not None:
        print(notice)  # noqa: T201 (the person who loads it should know)


def unload(shell: Any) -> None:
    """Undo :func:`load`; turns that run go on and settle."""
    extension = getattr(shell, _KEY, None)
    if extension is None:
        return
    extension.road.close()
    delattr(shell, _KEY)
    shell.display_formatter.ipython_display_formatter.pop(_HANDLE, None)
    shell.input_transformers_cleanup.remove(rewrite_coder_lines)
    shell.Completer.custom_matchers.remove(complete_coder)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("coder", None)


class _Extension:
    """What is loaded into one shell.

    All that runs turns is imported when it is first used: it takes a quarter of a second, and a kernel that loads the
    extension as it starts need not run a turn.

    Args:
        host: What runs the cells.
    """

    def __init__(self, host: Host) -> None:
        self.road = ControlRoad(host.kernel, self._answer)
        self._host = host
        self._lock = threading.Lock()
        self._session: CoderSession | None = None

    def session(self) -> CoderSession:
        """Return the session of this shell. From any thread."""
        from nbharness.notebook.session import CoderSession  # noqa: PLC0415 (see above)

        with self._lock:
            if self._session is None:
                self._session = CoderSession(self._host)
            return self._session

    def show(self, handle: CodingHandle) -> None:
        """Show a handle that is a cell's value: its turn stands in that cell already, elsewhere say how it is."""
        if not self.session().was_shown_here(handle):
            print(repr(handle))  # noqa: T201 (the display of a value)

    async def _answer(self, message: Any) -> dict[str, Any]:
        return await self.session().answer(message)
