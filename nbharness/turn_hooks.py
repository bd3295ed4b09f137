"""What a turn needs of those around it: somebody who keeps its tasks, who asks before it starts, who looks after it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeAlias

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.events import Notice, WorkspaceChanged
from nbharness.git import UndoResult

__all__ = ["Evidence", "Prepare", "Spawn"]


class Spawn(Protocol):
    """Starts an asyncio task that its owner keeps and, in the end, cancels."""

    def __call__(self, coroutine: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Start it."""


class Evidence(Protocol):
    """Finds out what a turn changed in its workspace, whatever the agent says."""

    async def begin(self) -> Notice | None:
        """Look at the workspace before the agent starts; return why that was not possible. Never raises."""

    async def finish(self) -> WorkspaceChanged | Notice | None:
        """Return what is different now; ``None`` when nothing is, or when it never began. Never raises."""

    async def undo(self, *, redo: bool) -> UndoResult:
        """Take back what changed, or take that back.

        Raises:
            NbHarnessError: It cannot be; the message says why. Conflicts are in the result.
        """


Prepare: TypeAlias = Callable[[TurnPort, TurnRequest], Awaitable[TurnRequest]]
"""What must be settled before the agent starts; returns what it is to do, raises AdapterError when it may not start."""
