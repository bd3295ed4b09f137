"""How a cell waits for its turn, and when it gives way.

After a reload JupyterLab restores no widget until the running cell has ended. So a waiting cell ends, with an error
that stops Run All, when somebody must answer and no view was heard for 5 s, or when none was heard for 60 s. The turn
goes on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from nbharness.errors import TurnDetached
from nbharness.feed import HEARTBEAT_S
from nbharness.handle import Asked, CodingHandle
from nbharness.notebook.views import ARRIVAL_S, HEARD_WITHIN_S, Views
from nbharness.results import CodingResult

__all__ = ["interrupt_aborts", "wait_in_cell"]

_ABANDONED_S = 60.0
_SETTLE_S = 10.0

Ask = Callable[[CodingHandle, Asked], None]


@contextlib.contextmanager
def interrupt_aborts(handle: CodingHandle) -> Iterator[None]:
    """Stop the turn when the waiting cell is interrupted, and give it 10 s to settle before the cell ends."""
    try:
        yield
    except KeyboardInterrupt:
        handle.abort()
        with contextlib.suppress(TimeoutError):
            handle.result(_SETTLE_S)
        raise


def wait_in_cell(
    handle: CodingHandle, views: Views, *, ask: Ask, detach: Callable[[], None], work: Callable[[], None]
) -> CodingResult:
    """Block until the turn has settled.

    Args:
        handle: The turn.
        views: Its views.
        ask: Asks the person in the cell itself, with ``input()``; used where no view can be heard while a cell runs.
        detach: Called when the cell gives way.
        work: Does what has to be done on this thread; called about five times a second.

    Raises:
        TurnDetached: If the cell gives way; the turn goes on.
        KeyboardInterrupt: If the cell was interrupted; the turn was stopped.
    """
    with interrupt_aborts(handle):
        while True:
            try:
                return handle.result(HEARTBEAT_S)
            except TimeoutError:
                work()
                _look_after(handle, views, ask, detach)


def _look_after(handle: CodingHandle, views: Views, ask: Ask, detach: Callable[[], None]) -> None:
    waiting = handle.waiting
    if waiting and not views.ever_heard and views.silent_s > ARRIVAL_S:
        ask(handle, waiting[0])
        return
    limit = HEARD_WITHIN_S if waiting and views.ever_heard else _ABANDONED_S
    if views.silent_s > limit and (views.ever_heard or waiting):
        detach()
        why = "an answer is wanted and no page shows it" if waiting else "no page shows it any more"
        message = (
            f"turn {handle.turn_id} goes on without this cell: {why}. "
            "Its view comes back with the page; `%coder --attach` shows it and waits again"
        )
        raise TurnDetached(message, turn_id=handle.turn_id)
