"""The second road: our messages on the kernel's control channel, answered while the main thread is busy.

ipykernel answers control messages on a thread of its own. ``control_handlers`` is not public API, so the road is opened
with a check and closed on unload.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["REPLY", "REQUEST", "ControlRoad"]

REQUEST = "nbharness_request"
"""Type of the control message that carries one of the page's messages."""
REPLY = "nbharness_reply"
"""Type of the answer."""


class ControlRoad:
    """Takes the page's messages from the control channel.

    Args:
        kernel: The running kernel, or ``None`` where there is none and so no road.
        answer: Returns the answer to one message; awaited on the loop of the kernel's control thread.
    """

    def __init__(self, kernel: Any, answer: Callable[[Any], Awaitable[dict[str, Any]]]) -> None:
        self._kernel = kernel
        self._answer = answer

    def open(self) -> str | None:
        """Open the road.

        Returns:
            What the user should know when it cannot be opened, or ``None``.
        """
        if self._kernel is None:
            return None
        handlers = getattr(self._kernel, "control_handlers", None)
        if not isinstance(handlers, dict) or not hasattr(self._kernel, "control_stream"):
            return "nbharness: answers cannot reach a busy kernel here, since this kernel has no control handlers"
        handlers[REQUEST] = self._take
        return None

    def close(self) -> None:
        """Close the road; does nothing when it is closed."""
        handlers = getattr(self._kernel, "control_handlers", None)
        if isinstance(handlers, dict):
            handlers.pop(REQUEST, None)

    async def _take(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        reply = await self._answer(parent.get("content"))
        self._kernel.session.send(stream, REPLY, reply, parent, ident)
