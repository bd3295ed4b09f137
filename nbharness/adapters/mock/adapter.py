"""Mock agents: they say what a script says, touch nothing, and end, fail or stop on cue."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET

from nbharness.adapters.base import AgentStatus, Capabilities, TurnPort, TurnRequest
from nbharness.adapters.mock.script import Script, SimulatedError
from nbharness.events import MessageDelta, TurnCompleted, TurnFailed
from nbharness.translator import TypedTranslator

__all__ = ["MockAdapter", "MockSession", "NoopAdapter", "create"]


def create() -> MockAdapter:
    """Return a mock that says nothing and completes."""
    return MockAdapter()


class MockAdapter:
    """Replays a script, the same in every turn.

    Args:
        responses: What the agent says, as the ADK's stream events: ``{"type": "assistant", "text": ...}``,
            ``{"type": "tool_call", "name": ..., "args": ...}`` and so on. Each assistant response is a message of its
            own.
        artifacts: What it leaves behind, ``{"name": ..., "content": ...}``; listed in ``output.value.metadata``.
        delay_ms: Milliseconds between two responses.
        simulate_error: ``{"after": n, "message": ..., "code": ...}``: the turn fails after n responses.
        name: The agent's name.

    Raises:
        ConfigError: The script cannot be used; the message says what and what is valid.
    """

    capabilities = Capabilities(resume=True)
    unasked = ()

    def __init__(
        self,
        responses: Sequence[Mapping[str, Any]] = (),
        artifacts: Sequence[Mapping[str, Any]] = (),
        delay_ms: float = 0,
        simulate_error: SimulatedError | Mapping[str, Any] | None = None,
        *,
        name: str = "mock",
    ) -> None:
        self.name = name
        self._script = Script.read(responses, artifacts, delay_ms, simulate_error)

    def status(self) -> AgentStatus:
        """Return that it is there: it is part of nbharness."""
        return AgentStatus(installed=True)

    async def open_session(
        self,
        workspace: Path,  # noqa: ARG002 (it touches none)
        session_id: str | None = None,
        *,
        fork: bool = False,  # noqa: ARG002 (nothing is remembered)
    ) -> MockSession:
        """Open a session, or take up any other."""
        return MockSession(self._script, session_id or f"{self.name}-{secrets.token_hex(4)}")


class NoopAdapter(MockAdapter):
    """Completes at once, says and changes nothing.

    Args:
        name: The agent's name.
    """

    def __init__(self, name: str = "noop") -> None:
        super().__init__(name=name)


class MockSession:
    """A session of a mock agent; it remembers nothing.

    Args:
        script: What happens in each turn.
        session_id: Its id.
    """

    def __init__(self, script: Script, session_id: str) -> None:
        self.session_id = session_id
        self._script = script

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:  # noqa: ARG002 (the script knows no task)
        """Replay the script to its end, or to its failure."""
        script = self._script
        spoken = _Spoken(port)
        for place, response in enumerate(script.responses):
            if script.error is not None and script.error.after == place:
                break
            await asyncio.sleep(script.delay_ms / 1000 if place else 0)
            spoken.say(response)
        if script.error is None:
            metadata = {"artifacts": script.artifacts} if script.artifacts else UNSET
            spoken.end(TurnCompleted(response=spoken.last_message, metadata=metadata))
        else:
            spoken.end(_failure(script.error))

    async def close(self) -> None:
        """Do nothing: a mock holds nothing."""


class _Spoken:
    """Translates what the mock says and keeps its last message."""

    def __init__(self, port: TurnPort) -> None:
        self._port = port
        self._translator = TypedTranslator()
        self._message_id: object = None
        self.last_message: str | None = None

    def say(self, response: Mapping[str, Any]) -> None:
        """Hand one response to the port."""
        for event in self._translator.translate(response):
            if isinstance(event, MessageDelta):
                begun = self.last_message if event.message_id == self._message_id else None
                self._message_id, self.last_message = event.message_id, (begun or "") + event.delta
            self._port.emit(event)

    def end(self, terminal: TurnCompleted | TurnFailed) -> None:
        """Close what is open and end the turn."""
        for event in self._translator.finish():
            self._port.emit(event)
        self._port.emit(terminal)


def _failure(error: SimulatedError) -> TurnFailed:
    retry_after = UNSET if error.retry_after is None else error.retry_after
    return TurnFailed(error=error.message, code=error.code, retry_after=retry_after)
