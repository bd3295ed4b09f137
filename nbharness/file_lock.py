"""Locking a file against other processes, on every system."""

from __future__ import annotations

import contextlib
import errno
import sys

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["try_to_lock", "unlock"]

# A file system that knows no locks.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}

if sys.platform == "win32":

    def try_to_lock(descriptor: int) -> bool:
        """Lock an open file for this process alone; return False when another holds it."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Give the lock back."""
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def try_to_lock(descriptor: int) -> bool:
        """Lock an open file for this process alone; return False when another holds it.

        Where a file system knows no locks, every caller gets one.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        return True

    def unlock(descriptor: int) -> None:
        """Give the lock back, which, unlike closing, also takes it from a child that was forked meanwhile."""
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
