"""A turn as a Python value: iterate its events, await its result, both off one object."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from collections.abc import AsyncIterator, Generator
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from nbharness import events
from nbharness.errors import ApprovalError, NbHarnessError, TurnFailed
from nbharness.events import (
    ApprovalRequired,
    ApprovalUpdated,
    Envelope,
    Event,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    Unknown,
    Usage,
    WorkspaceChanged,
)
from nbharness.feed import HEARTBEAT_S, Feed
from nbharness.git import UndoResult
from nbharness.inputs import Abort, ApprovalDecision, CodingInput, Message, QuestionAnswer, Redo, Undo, parse_input
from nbharness.results import CodingResult
from nbharness.usage import UsageTotal

__all__ = ["Asked", "CodingHandle", "TurnControl"]

Asked: TypeAlias = ApprovalRequired | PlanProposed | QuestionAsked
"""What waits for an answer."""


_TELLS_USAGE = (events.UsageUpdated, events.TurnCompleted, events.TurnFailed, events.TurnAborted)


class TurnControl(Protocol):
    """What a handle needs of the runtime; every call may come from any thread."""

    def send(self, given: CodingInput) -> None:
        """Give an input to the turn; raises what is wrong with it."""

    def followed(self, delta: int) -> None:
        """Somebody began (+1) or stopped (-1) to iterate the turn's events."""

    def undo(self, *, redo: bool) -> UndoResult:
        """Take back what the turn changed, or take that back; blocks."""

    def conversation_usage(self) -> UsageTotal:
        """Return what the turns of its conversation consumed; blocks."""

    def on_own_loop(self) -> bool:
        """True on the loop that runs the turn, where waiting for it would never end."""

    def check(self) -> None:
        """Raise :class:`~nbharness.errors.NbHarnessError` when the loop that runs the turn is gone."""


class CodingHandle:
    """A turn that runs, or ran.

    ``async for event in handle`` yields every event from the first, however late it begins and as often as it is done;
    after the last event of a failed turn it raises :class:`~nbharness.errors.TurnFailed`. ``await handle`` returns the
    :class:`~nbharness.results.CodingResult` and never raises for what the agent did; awaiting again returns the same
    object. :meth:`result` is the same for code that cannot await. All of it works in any thread and on any loop, and
    giving up a wait does not stop the turn; only :meth:`abort` does.

    Attributes:
        turn_id: The turn.
        conversation_id: Its conversation.
        agent: Name of the agent.
    """

    def __init__(
        self,
        *,
        turn_id: str,
        conversation_id: str,
        agent: str,
        feed: Feed,
        outcome: concurrent.futures.Future[CodingResult],
        control: TurnControl,
    ) -> None:
        self.turn_id = turn_id
        self.conversation_id = conversation_id
        self.agent = agent
        self.feed = feed
        self._outcome = outcome
        self._control = control
        self._lock = threading.Lock()
        self._looked_at = -1
        self._open: dict[str, Asked] = {}

    @property
    def done(self) -> bool:
        """True when the turn has settled."""
        return self._outcome.done()

    @property
    def waiting(self) -> list[Asked]:
        """What waits for an answer now, oldest first."""
        with self._lock:
            for envelope in self.feed.since(self._looked_at):
                self._looked_at = envelope.seq
                match envelope.event:
                    case ApprovalRequired() | PlanProposed() | QuestionAsked() as event:
                        self._open[str(event.id)] = event
                    case ApprovalUpdated() | PlanApproved() | PlanRejected() | QuestionAnswered() as event:
                        self._open.pop(str(event.id), None)
                    case _:
                        pass
            return list(self._open.values())

    def __aiter__(self) -> AsyncIterator[Event | Unknown]:
        """Iterate the events from the first."""
        return self._events()

    async def envelopes(self, after: int = -1) -> AsyncIterator[Envelope]:
        """Yield envelopes that come after seq `after`, until the turn has settled; never raises for a failed turn."""
        if not self.done:
            self._control.check()
        self._control.followed(1)
        try:
            async for batch in self.feed.follow(after):
                for envelope in batch:
                    yield envelope
        finally:
            self._control.followed(-1)

    def __await__(self) -> Generator[Any, None, CodingResult]:
        """Wait until the turn has settled."""
        return self._settled().__await__()

    def result(self, timeout: float | None = None) -> CodingResult:
        """Block until the turn has settled.

        Args:
            timeout: Seconds to wait at most.

        Raises:
            TimeoutError: If it has not settled by then; the turn goes on.
            NbHarnessError: If called on the loop that runs the turn, or in a forked child.
        """
        if self._control.on_own_loop() and not self.done:
            message = "result() would wait for ever on the loop that runs the turn; use `await handle` there"
            raise NbHarnessError(message)
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = HEARTBEAT_S if deadline is None else min(HEARTBEAT_S, max(0.0, deadline - time.monotonic()))
            try:
                return self._outcome.result(left)
            except concurrent.futures.TimeoutError:
                if deadline is not None and time.monotonic() >= deadline:
                    message = f"turn {self.turn_id} has not settled after {timeout:g} s; it goes on"
                    raise TimeoutError(message) from None
                if not self.done:
                    self._control.check()

    def send(self, given: CodingInput | dict[str, Any], *, when: Literal["now", "after"] | None = None) -> None:
        """Give an input to the turn: a message, a decision, or the wish to stop.

        Args:
            given: One of :mod:`nbharness.inputs`, or its JSON form such as ``{"type": "message", "text": "…"}``.
            when: For a message: ``now`` reaches the agent while it works, ``after`` when it has finished its answer;
                either way it belongs to this turn. ``None`` leaves it to the message, which says ``now`` by itself.

        Raises:
            ValueError: If it is none of them.
            ApprovalError: If the decision has no effect; the message says why.
            NotSupported: If the message is for now and the agent takes none while it works.
        """
        said = parse_input(given) if isinstance(given, dict) else given
        if when is not None:
            if not isinstance(said, Message):
                raise ValueError(f"when={when!r} goes with a message only, not with {type(said).__name__}")
            said = msgspec.structs.replace(said, when=when)
        if isinstance(said, Undo | Redo):
            came_to = self._control.undo(redo=isinstance(said, Redo))
            if not came_to.undone:
                raise NbHarnessError(came_to.message)
        else:
            self._control.send(said)

    def abort(self) -> None:
        """Stop the turn. Doing it twice, or after the end, changes nothing."""
        self.send(Abort())

    def approve(self, id: str | None = None, *, args: Any = None) -> None:  # noqa: A002 (the wire's word)
        """Approve what waits.

        Args:
            id: Approval or plan; by default the oldest that waits.
            args: Edited arguments (for a plan, its text) to go on with instead.

        Raises:
            ApprovalError: If nothing waits, or the answer has no effect.
        """
        self._decide("approve", id, **({} if args is None else {"args": args}))

    def reject(self, id: str | None = None, *, reason: str = "") -> None:  # noqa: A002 (the wire's word)
        """Reject what waits.

        Args:
            id: Approval or plan; by default the oldest that waits.
            reason: Goes to the agent.

        Raises:
            ApprovalError: If nothing waits, or the answer has no effect.
        """
        self._decide("reject", id, **({"reason": reason} if reason else {}))

    def answer(self, answers: dict[str, list[str] | str] | str, id: str | None = None) -> None:  # noqa: A002 (the wire's word)
        """Answer what the agent asks.

        Args:
            answers: Labels or written text by question id; a plain text answers the only question.
            id: Which questions; by default those that wait longest.

        Raises:
            ApprovalError: If no question waits, or the answer has no effect.
        """
        waiting = [event for event in self.waiting if isinstance(event, QuestionAsked) and id in {None, event.id}]
        if not waiting:
            raise ApprovalError(f"turn {self.turn_id}: no question waits for an answer")
        if isinstance(answers, str):
            answers = {waiting[0].questions[0].id: answers}
        given = {name: [text] if isinstance(text, str) else text for name, text in answers.items()}
        self.send(QuestionAnswer(id=waiting[0].id, answers=given))

    @property
    def changes(self) -> WorkspaceChanged | None:
        """What the settled turn changed in its workspace, asked or not; ``None`` while it runs or when nothing did."""
        backwards = reversed(self.feed.since())
        return next((each.event for each in backwards if isinstance(each.event, WorkspaceChanged)), None)

    @property
    def diff(self) -> str:
        """The unified diff of what it changed; files beyond the limits are cut or left out, see :attr:`changes`."""
        changed = self.changes
        return "" if changed is None else "".join(each.patch for each in changed.diffs)

    @property
    def usage(self) -> Usage | None:
        """What the turn consumed so far; ``None`` when the agent does not say. A cost that is absent is unknown."""
        backwards = (each.event for each in reversed(self.feed.since()))
        told = (getattr(event, "usage", None) for event in backwards if isinstance(event, _TELLS_USAGE))
        return next((usage for usage in told if isinstance(usage, Usage)), None)

    def conversation_usage(self) -> UsageTotal:
        """Return what all turns of its conversation consumed, kept ones of earlier days included; blocks.

        Raises:
            StoreError: If the store cannot be read.
            NbHarnessError: If called on nbharness's own loop.
        """
        return self._control.conversation_usage()

    def undo(self) -> UndoResult:
        """Put the files that the settled turn changed back to what they were: all of them or none.

        Returns:
            What came of it; ``undone`` is False and ``conflicts`` names files that changed since.

        Raises:
            NbHarnessError: If the turn runs, changed nothing, or no snapshot is left; or on nbharness's own loop.
        """
        return self._control.undo(redo=False)

    def redo(self) -> UndoResult:
        """Take an :meth:`undo` back; returns and raises as that does."""
        return self._control.undo(redo=True)

    def __repr__(self) -> str:
        """Return the turn and how it stands."""
        state = self._outcome.result().status if self.done else f"running, {len(self.waiting)} waiting"
        return f"<CodingHandle {self.turn_id} agent={self.agent} {state}>"

    def _decide(self, decision: Literal["approve", "reject"], id_: str | None, **fields: Any) -> None:
        waiting = {str(event.id): event for event in self.waiting}
        if id_ is None and not waiting:
            raise ApprovalError(f"turn {self.turn_id}: nothing waits for an answer")
        id_ = id_ if id_ is not None else next(iter(waiting))
        if isinstance(waiting.get(id_), PlanProposed):
            if "args" in fields:
                fields["plan"] = fields.pop("args")
            self.send({"type": "plan", "id": id_, "decision": decision, **fields})
        else:
            self.send(ApprovalDecision(id=id_, decision=decision, **fields))

    async def _events(self) -> AsyncIterator[Event | Unknown]:
        last: Event | Unknown | None = None
        async for envelope in self.envelopes():
            last = envelope.event
            yield last
        if isinstance(last, events.TurnFailed):
            code = last.code if isinstance(last.code, str) else "unknown"
            raise TurnFailed(last.error, turn_id=self.turn_id, code=code)

    async def _settled(self) -> CodingResult:
        waiter = asyncio.wrap_future(self._outcome)
        while not waiter.done():
            await asyncio.wait({waiter}, timeout=HEARTBEAT_S)
            if not self.done:
                self._control.check()
        return await waiter
