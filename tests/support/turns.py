"""Turns driven by a session that a test writes as a function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from nbharness.adapters.base import AgentSession, AgentStatus, Capabilities, TurnPort, TurnRequest
from nbharness.approvals import ApprovalDesk
from nbharness.audience import Anyone
from nbharness.budget import Budget
from nbharness.clock import Clock, SystemClock
from nbharness.events import Event, TurnStarted, Unknown
from nbharness.feed import Feed
from nbharness.feed_writer import FeedWriter, Journal, NoJournal
from nbharness.policy import Policy
from nbharness.results import CodingResult
from nbharness.tasks import TaskOwner
from nbharness.turn import Turn
from nbharness.turn_hooks import Evidence, Prepare

E = TypeVar("E", bound=Event)
Script = Callable[[TurnRequest, TurnPort], Awaitable[None]]


class ScriptedSession:
    """A session whose turn is one function."""

    def __init__(self, script: Script) -> None:
        self.session_id = "s1"
        self._script = script

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        await self._script(request, port)

    async def close(self) -> None:
        return


class ScriptedAdapter:
    """An adapter around one function."""

    def __init__(self, script: Script, **capabilities: Any) -> None:
        self.name = "scripted"
        self.capabilities = Capabilities(**{"approvals": True, "steer": True, "plan": True, **capabilities})
        self.opened = 0
        self._script = script

    unasked = ()

    def status(self) -> AgentStatus:
        return AgentStatus(installed=True)

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> AgentSession:
        del workspace, session_id, fork
        self.opened += 1
        return ScriptedSession(self._script)


class Ticking:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


class OneTurn:
    """A turn on the test's own loop.

    Attributes:
        feed: Its events.
        turn: The turn.
    """

    def __init__(
        self,
        script: Script,
        *,
        clock: Clock | None = None,
        journal: Journal | None = None,
        timeout_s: float | None = None,
        open_session: Callable[[], Awaitable[AgentSession]] | None = None,
        budget: Budget | None = None,
        capabilities: list[str] | UnsetType = UNSET,
        prepare: Prepare | None = None,
        evidence: Evidence | None = None,
        **desk: Any,
    ) -> None:
        self._spawn = TaskOwner()
        clock = clock or SystemClock()
        self.feed = Feed()
        writer = FeedWriter("t1", self.feed, journal or NoJournal(), clock)
        defaults: dict[str, Any] = {
            "mode": "require",
            "policy": Policy(),
            "audience": Anyone(),
            "workspace": Path.cwd(),
        }
        self.desk = ApprovalDesk(agent="scripted", emit=writer.put, **{**defaults, **desk})

        async def open_scripted() -> AgentSession:
            return ScriptedSession(script)

        self.turn = Turn(
            request=TurnRequest(turn_id="t1", task="do it", workspace=Path.cwd(), budget=budget or Budget()),
            started=TurnStarted(prompt="do it", agent="scripted", conversation_id="c1", capabilities=capabilities),
            open_session=open_session or open_scripted,
            desk=self.desk,
            writer=writer,
            clock=clock,
            spawn=self._spawn,
            timeout_s=timeout_s,
            prepare=prepare,
            evidence=evidence,
        )

    async def run(self) -> CodingResult:
        """Run it to the end."""
        await self.turn.run()
        return self.turn.outcome.result()

    def begin(self) -> None:
        """Run it beside the test."""
        self._spawn(self.turn.run(), "turn")

    async def until(self, event_type: str) -> Event | Unknown:
        """Wait for the first event of a type."""
        async for batch in self.feed.follow():
            for envelope in batch:
                if envelope.type == event_type:
                    return envelope.event
        raise AssertionError(f"no {event_type} in {self.types()}")

    async def settled(self) -> CodingResult:
        """Wait for the end."""
        async for _batch in self.feed.follow():
            pass
        while not self.turn.outcome.done():
            await self._spawn(_nothing(), "tick")
        return self.turn.outcome.result()

    def all(self, kind: type[E]) -> list[E]:
        """The events of one kind so far."""
        return [envelope.event for envelope in self.feed.since() if isinstance(envelope.event, kind)]

    def types(self) -> list[str]:
        """Types of all events so far."""
        return [envelope.type for envelope in self.feed.since()]


async def _nothing() -> None:
    return
