"""Stopping a turn from somewhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["AbortSignal"]


class AbortSignal:
    """A switch that is thrown once and stops every turn that was given it. Safe in any thread."""

    def __init__(self) -> None:
        self._thrown = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        """True once :meth:`abort` was called."""
        return self._thrown.is_set()

    def is_set(self) -> bool:
        """Return :attr:`aborted`, under the name that ``threading.Event`` has for it."""
        return self._thrown.is_set()

    def abort(self) -> None:
        """Throw the switch; a second call changes nothing."""
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
            self._thrown.set()
        for callback in callbacks:
            callback()

    def on_abort(self, callback: Callable[[], None]) -> None:
        """Call back once, in the thread that aborts; at once when that has happened already."""
        with self._lock:
            if not self._thrown.is_set():
                self._callbacks.append(callback)
                return
        callback()
