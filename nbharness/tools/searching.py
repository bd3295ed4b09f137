"""Running a search in a thread that ends soon after nobody waits for it any more."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

from nbharness.tools.walk import Stopped

__all__ = ["searched"]

Found = TypeVar("Found")


async def searched(search: Callable[[threading.Event], Found]) -> Found:
    """Run a search in a thread and return what it found.

    Args:
        search: Gets the event that tells it to stop.

    Raises:
        asyncio.CancelledError: The caller was cancelled; the search was told.
    """
    stop = threading.Event()
    try:
        return await asyncio.to_thread(_quietly, search, stop)
    finally:
        stop.set()


def _quietly(search: Callable[[threading.Event], Found], stop: threading.Event) -> Found:
    with contextlib.suppress(Stopped):
        return search(stop)
    raise asyncio.CancelledError
