"""What a program says for itself among the words of its model. Pure.

Copilot writes ``Info: …`` and ``Error: …`` as pieces of the message. It ends a turn that failed with such an error, and
with the same ``end_turn`` as one that went well. Its model's words come in smaller pieces than whole remarks.
"""

from __future__ import annotations

import re

from msgspec import UNSET, UnsetType

from nbharness.adapters.acp.faults import failure
from nbharness.errors import RateLimited
from nbharness.events import Notice, TurnFailed, Usage

__all__ = ["Remarks"]

_REMARK = re.compile(r"(Info|Warning|Error): (\S.*)", re.DOTALL)


class Remarks:
    """Tells remarks from messages, and what the last one means for the turn.

    Args:
        agent: The agent.
        login: How to sign in.
    """

    def __init__(self, agent: str, login: str) -> None:
        self._agent = agent
        self._login = login
        self._error = ""

    def take(self, text: str) -> list[Notice] | None:
        """Return what a piece of the message remarks, or ``None`` when it is the model's."""
        found = _REMARK.fullmatch(text)
        if found is None:
            return None
        kind, said = found[1], found[2].strip()
        if kind == "Error":
            self._error = said
            return []
        # A bare path names the file that the tool call shows already.
        if kind == "Info" and said.startswith("/"):
            return []
        return [Notice(message=said, level="info" if kind == "Info" else "warning")]

    def passed(self) -> list[Notice]:
        """Return the error after which the agent went on all the same."""
        error, self._error = self._error, ""
        return [Notice(message=error, level="warning")] if error else []

    def ending(self, usage: Usage | UnsetType) -> TurnFailed | None:
        """Return how a turn failed that ended with an error, or ``None`` when it did not."""
        if not self._error:
            return None
        error = failure(self._agent, self._error, self._login)
        wait_s = error.retry_after if isinstance(error, RateLimited) else None
        return TurnFailed(
            error=str(error) if error else f"the agent {self._agent!r} gave up: {self._error}",
            code=error.code if error else "sdk_error",
            retry_after=UNSET if wait_s is None else wait_s,
            usage=usage,
        )
