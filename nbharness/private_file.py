"""Files that only the user may read, written whole, also by several processes at once."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from nbharness.file_lock import try_to_lock, unlock

__all__ = ["locked", "write_private"]

_PATIENCE_S, _PAUSE_S = 1.0, 0.005


def write_private(path: Path, data: bytes) -> None:
    """Put a file in place of the one that is there: readers see the old one or the new one, never half of it.

    Raises:
        OSError: It cannot be written; the old one is still there.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes from changing a file, which need not exist; its directory is made.

    Raises:
        OSError: The lock cannot be made, or another process has held it for a second.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not try_to_lock(descriptor):
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds it")
            time.sleep(_PAUSE_S)
        try:
            yield
        finally:
            unlock(descriptor)
    finally:
        os.close(descriptor)
