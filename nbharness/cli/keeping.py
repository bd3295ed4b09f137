"""The kept conversations, for commands that run no turn."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

from nbharness.config import load
from nbharness.redact import Redactor
from nbharness.store import Store

__all__ = ["SHORT_ID", "OpenStore", "is_store_there", "open_store"]

SHORT_ID = 8
"""Characters of an id in a list; any prefix that is unique names a conversation."""

T = TypeVar("T")


class OpenStore:
    """The store, open on a loop that runs while something is waited for.

    Attributes:
        store: The store.
    """

    def __init__(self, store: Store, runner: asyncio.Runner) -> None:
        self.store = store
        self._runner = runner

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run one of the store's coroutines to its end."""
        return self._runner.run(coroutine)


@contextlib.contextmanager
def open_store() -> Iterator[OpenStore]:
    """Open the store for a ``with`` block.

    Raises:
        StoreError: It cannot be read.
        ConfigError: A setting cannot be used.
    """
    with asyncio.Runner() as runner:
        store = runner.run(Store.open(redactor=Redactor.from_environment(os.environ).redact))
        try:
            yield OpenStore(store, runner)
        finally:
            runner.run(store.close())


def is_store_there() -> bool:
    """Tell whether anything was ever kept. Looking must not create it.

    Raises:
        ConfigError: A setting cannot be used.
    """
    return load().database.exists()
