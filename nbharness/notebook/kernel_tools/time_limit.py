"""A limit for code of the user's objects, which may take for ever to say what they are."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

__all__ = ["TooSlow", "time_limit"]

_AGAIN_S = 0.5


class TooSlow(BaseException):
    """The limit is over. No `Exception`, so that code which ignores those does not go on."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop what runs after so many seconds, and again if it goes on. One long call into C ends before it is stopped.

    An alarm of the user's is put back. On another thread than the main one, or without alarms, there is no limit.

    Raises:
        TooSlow: The time is over.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    limited = True

    def stop(_number: int, _frame: object) -> None:
        if limited:
            raise TooSlow

    handler = signal.signal(signal.SIGALRM, stop)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
    try:
        yield
    finally:
        limited = False
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler or signal.SIG_DFL)
