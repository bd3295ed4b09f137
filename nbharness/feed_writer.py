"""The only writer of a turn's feed: puts events in order, joins deltas, stamps, makes durable, shows.

Deltas that belong together are joined for up to 33 ms or 8 KiB before they get a seq, so that every reader (page,
store, SSE) handles some thirty rows a second whatever the agent sends. The first delta after a pause goes out at once,
and any other event takes what waits along. Approvals, questions, plans and the turn's ends are in the store before
anybody sees them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec

from nbharness.clock import Clock
from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    Envelope,
    Event,
    MessageDelta,
    MessageThinking,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    ToolDelta,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    Unknown,
    sound,
)
from nbharness.feed import Feed
from nbharness.ledger import Ledger

__all__ = ["PACE_S", "FeedWriter", "Journal", "NoJournal"]

PACE_S = 0.033
"""Longest time a delta waits for company."""

_MAX_WAITING_CHARS = 8192

_DURABLE = (
    TurnStarted,
    ApprovalRequired,
    ApprovalUpdated,
    PlanProposed,
    PlanApproved,
    PlanRejected,
    QuestionAsked,
    QuestionAnswered,
    TurnCompleted,
    TurnFailed,
    TurnAborted,
)

_Delta: TypeAlias = MessageDelta | MessageThinking | ToolDelta


class Journal(Protocol):
    """Where envelopes are kept beyond the process. Neither call may raise for a disk that fails."""

    async def append(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Take envelopes; they become durable soon."""

    async def commit(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Take envelopes and return when they, and all before them, are durable."""


class NoJournal:
    """Keeps nothing."""

    async def append(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Do nothing."""

    async def commit(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Do nothing."""


class _Joined:
    """A delta with the text of those that followed it.

    Args:
        first: The delta.
        text: Its text.
        key: What they have in common.
    """

    __slots__ = ("first", "key", "texts")

    def __init__(self, first: _Delta, text: str, key: tuple[object, ...]) -> None:
        self.first = first
        self.key = key
        self.texts = [text]

    def event(self) -> Event:
        """Return the one delta that stands for all."""
        if len(self.texts) == 1:
            return self.first
        text = "".join(self.texts)
        if isinstance(self.first, ToolDelta):
            return msgspec.structs.replace(self.first, partial=text)
        return msgspec.structs.replace(self.first, delta=text)


class FeedWriter:
    """Writes one turn's feed. Everything runs on the loop of the turn.

    Args:
        turn_id: The turn.
        feed: Where envelopes become visible.
        journal: Where they become durable.
        clock: Stamps them.

    Attributes:
        feed: As given.
    """

    def __init__(self, turn_id: str, feed: Feed, journal: Journal, clock: Clock) -> None:
        self._turn_id = turn_id
        self.feed = feed
        self._journal = journal
        self._clock = clock
        self._ledger = Ledger()
        self._waiting: list[_Joined | Event | Unknown] = []
        self._last: _Joined | None = None
        self._waiting_chars = 0
        self._some = asyncio.Event()
        self._urgent = asyncio.Event()
        self._closing = False

    def put(self, event: Event | Unknown) -> None:
        """Take one event; it is written soon, in the order of the calls. After :meth:`close` it is dropped."""
        if self._closing:
            return
        # Text is nearly all there is, and it opens and closes nothing: the ledger need not see it.
        if isinstance(event, MessageDelta) and isinstance(event.delta, str):
            self._join(event, event.delta, (MessageDelta, event.parent_id, event.message_id))
        elif isinstance(event, MessageThinking) and isinstance(event.delta, str):
            self._join(event, event.delta, (MessageThinking, event.parent_id))
        else:
            for admitted in self._ledger.admit(sound(event)):
                self._put(admitted)

    def close(self) -> None:
        """Write what waits, close the feed and let :meth:`run` return."""
        self._closing = True
        self._some.set()
        self._urgent.set()

    def put_closing(self) -> None:
        """Put the events that end whatever is open."""
        for event in self._ledger.close():
            self._put(event)

    async def run(self) -> None:
        """Write until closed."""
        try:
            while True:
                await self._some.wait()
                await self._write()
                if self._closing and not self._waiting:
                    return
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PACE_S):
                        await self._urgent.wait()
        finally:
            self.feed.close()

    def _put(self, event: Event | Unknown) -> None:
        if isinstance(event, ToolDelta):
            self._join(event, event.partial, (ToolDelta, event.id))
            return
        self._waiting.append(event)
        self._last = None
        self._urgent.set()
        self._some.set()

    def _join(self, event: _Delta, text: str, key: tuple[object, ...]) -> None:
        """Add a delta to the last one when both have the same key."""
        last = self._last
        if last is not None and last.key == key:
            last.texts.append(text)
        else:
            self._last = _Joined(event, text, key)
            self._waiting.append(self._last)
            self._some.set()
        self._waiting_chars += len(text)
        if self._waiting_chars > _MAX_WAITING_CHARS:
            self._urgent.set()

    async def _write(self) -> None:
        waiting, self._waiting, self._waiting_chars, self._last = self._waiting, [], 0, None
        if not self._closing:
            self._some.clear()
            self._urgent.clear()
        at, first = self._clock.now(), len(self.feed)
        envelopes = [
            # An emoji that was cut between two deltas is whole again only now.
            Envelope(first + index, self._turn_id, at, sound(item.event()) if isinstance(item, _Joined) else item)
            for index, item in enumerate(waiting)
        ]
        if any(isinstance(envelope.event, _DURABLE) for envelope in envelopes):
            await self._journal.commit(self._turn_id, envelopes)
        elif envelopes:
            await self._journal.append(self._turn_id, envelopes)
        self.feed.extend(envelopes)
