"""The descriptors that belong to running processes, and what a fork of ours does with them.

Every descriptor is close-on-exec, so a program that anything here starts gets none of them. A bare
``os.fork()`` (a multiprocessing worker of the user) copies them all the same: a copied writing end
would keep a pipe open that we have closed. The fork hooks of this module point the copies at
``/dev/null`` in the child, and hold a fork off for the moment in which descriptors come to be.
"""

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Iterator

_owned: set[int] = set()
_lock = threading.Lock()


class Opening:
    """What one ``opening`` block has opened so far."""

    def __init__(self) -> None:
        self.kept = contextlib.ExitStack()
        self.lent = contextlib.ExitStack()
        self.ours: set[int] = set()

    def keep(self, fd: int) -> int:
        """Count ``fd`` as ours until ``close``; closed at once when the block fails."""
        self.kept.callback(os.close, fd)
        self.ours.add(fd)
        return fd

    def lend(self, fd: int) -> int:
        """Hand ``fd`` to the process that the block starts; closed at the end of the block."""
        self.lent.callback(os.close, fd)
        return fd


@contextlib.contextmanager
def opening() -> Iterator[Opening]:
    """Open the descriptors of a process and start it; other threads' forks wait for the end of it."""
    _install_fork_hooks()
    opened = Opening()
    with _lock, opened.lent:
        with opened.kept:
            yield opened
            opened.kept.pop_all()
        _owned.update(opened.ours)


def close(fd: int) -> None:
    """Close a descriptor that an ``opening`` kept."""
    with _lock:
        _owned.discard(fd)
        os.close(fd)


def close_inherited() -> None:
    """Let go of every process's descriptors in a forked child; the parent keeps its own.

    Installed as a fork hook with the first process; calling it again does nothing. The numbers stay
    taken, by ``/dev/null``: an object that outlived the fork may close its number later, which by
    then must not be somebody else's file.
    """
    if not _owned:
        return
    null = os.open(os.devnull, os.O_RDWR)
    for fd in _owned:
        os.dup2(null, fd, inheritable=False)
    os.close(null)
    _owned.clear()


@functools.cache
def _install_fork_hooks() -> None:
    if sys.platform != "win32":
        os.register_at_fork(
            before=_lock.acquire,
            after_in_parent=_lock.release,
            after_in_child=_in_forked_child,
        )


def _in_forked_child() -> None:
    close_inherited()
    _lock.release()
