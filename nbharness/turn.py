"""Runs one turn: prompt in, settled outcome out, exactly once.

The turn stands between an agent's session and the feed. It hands the session a port, records what comes through it,
stops the session on abort or timeout, closes what is left open, and resolves the outcome. The clock of the turn timeout
stands still while a person is asked.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET

from nbharness.adapters.base import AgentSession, TurnRequest, session_id_of
from nbharness.approvals import ApprovalDesk, ApprovalRequest, Decision, PlanAnswer, QuestionReply
from nbharness.budget import BudgetWatch
from nbharness.clock import Clock
from nbharness.errors import AdapterError, NbHarnessError, RateLimited
from nbharness.events import (
    TERMINAL_EVENTS,
    Event,
    MessageDelta,
    Notice,
    Question,
    TurnAborted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    Unknown,
    Usage,
    UsageUpdated,
    sound,
)
from nbharness.events.repair import in_words
from nbharness.feed_writer import FeedWriter
from nbharness.inputs import (
    Abort,
    ApprovalDecision,
    CodingInput,
    Message,
    PlanDecision,
    QuestionAnswer,
    ToolResponse,
    Withdraw,
)
from nbharness.outcome import OutcomeBuilder
from nbharness.results import CodingResult
from nbharness.turn_agent import AgentWatch
from nbharness.turn_hooks import Evidence, Prepare, Spawn
from nbharness.turn_messages import TurnMessages
from nbharness.usage import AnswersUsage

__all__ = ["Turn"]

_log = logging.getLogger(__name__)

_Terminal = TurnCompleted | TurnFailed | TurnAborted


class Turn:
    """One turn. Everything but :attr:`outcome` belongs to the runtime's loop.

    Args:
        request: What to do.
        started: First event of the turn; it tells the agent's capabilities.
        open_session: Returns the session to run it in; may start the agent.
        desk: Approvals of this turn.
        writer: Writer of its feed.
        clock: Time.
        spawn: Starts the turn's two asyncio tasks.
        timeout_s: Seconds the agent may work, waiting for people excluded; ``None`` for ever.
        prepare: Asked before the agent starts; returns what it is to do.
        evidence: Finds out what changed.

    Attributes:
        evidence: Knows what changed, and how to take it back.
        outcome: Resolved with the result when the turn has settled and its feed is closed; waited for in any thread.
    """

    def __init__(
        self,
        *,
        request: TurnRequest,
        started: TurnStarted,
        open_session: Callable[[], Awaitable[AgentSession]],
        desk: ApprovalDesk,
        writer: FeedWriter,
        clock: Clock,
        spawn: Spawn,
        timeout_s: float | None,
        prepare: Prepare | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        self.request = request
        self.desk = desk
        self.outcome: concurrent.futures.Future[CodingResult] = concurrent.futures.Future()
        self.outcome.set_running_or_notify_cancel()
        self._started = started
        self._open_session = open_session
        self._writer = writer
        self._clock = clock
        self._spawn = spawn
        # Where the agent has no session id of its own.
        self._session_id = started.conversation_id if isinstance(started.conversation_id, str) else ""
        self._prepare = prepare
        self.evidence = evidence
        self._budget = BudgetWatch(request.budget)
        steers = started.capabilities is UNSET or "steer" in started.capabilities
        self._messages = TurnMessages(str(started.agent), can_steer=steers, put=writer.put)
        self._usage = AnswersUsage()
        self._watch = AgentWatch(clock, timeout_s)
        self._answer: TurnCompleted | None = None
        self._notices: list[Notice] = []
        self._running = False
        self._terminal: _Terminal | None = None
        self.on_early_end: Callable[[], object] = lambda: None
        """Called when the turn ends before it was run."""
        desk.on_change = self._watch.nudge

    @property
    def ended(self) -> bool:
        """True when the outcome can no longer change."""
        return self._terminal is not None

    @property
    def left_agent(self) -> bool:
        """True when it settled although its session would not stop; the session must not be used again."""
        return self._watch.left_behind

    async def run(self) -> None:
        """Run to the end. Never raises for what an agent does."""
        began = self._clock.monotonic()
        self._running = True
        writing = self._spawn(self._writer.run(), f"feed of turn {self.request.turn_id}")
        self._writer.put(self._started)
        for notice in self._notices:
            self._writer.put(notice)
        try:
            await self._run_agent()
            await self._look_at_workspace()
        finally:
            self._settle_writer()
            try:
                # Cancelled here means the runtime shuts down: what was put is still written.
                await asyncio.shield(writing)
            finally:
                self._settle(round(1000 * (self._clock.monotonic() - began)))

    def forsake(self) -> None:
        """Settle without running, or without what is still to be written: the loop ends now."""
        self.abort("interrupted", "nbharness was shut down")
        self._writer.feed.close()
        self._settle(0)

    def let_go(self) -> None:
        """Wait no longer for a session that does not stop."""
        self._watch.let_go()

    def send(self, given: CodingInput, by: str) -> None:
        """Take an input.

        Args:
            given: A message, a decision, or the wish to stop.
            by: Who gives it: ``user``, ``terminal`` or ``code``.

        Raises:
            ApprovalError: The decision has no effect; the message says why.
            NbHarnessError: The turn has ended, or its agent takes no messages during a turn.
        """
        match given:
            case Abort():
                reason = given.reason if isinstance(given.reason, str) else f"stopped by {_BY.get(by, by)}"
                self.abort("aborted", reason)
            case Message():
                self._take(given)
            case Withdraw():
                self._messages.withdraw(given.id)
            case ApprovalDecision() | PlanDecision() | QuestionAnswer() | ToolResponse():
                self.desk.resolve(given, by)
            case _:
                message = f"{given.__struct_config__.tag} is for a turn that has settled; {self.request.turn_id} runs"
                raise NbHarnessError(message)

    def abort(self, code: Literal["aborted", "timeout", "budget", "interrupted"], reason: str) -> None:
        """Stop the turn; once it is ending this changes nothing."""
        self._end(TurnAborted(code=code, reason=reason))

    def note(self, message: str, level: Literal["info", "warning"] = "warning") -> None:
        """Tell the reader of this turn something that is no fault of the agent's."""
        notice = Notice(message=message, level=level)
        if self._running:
            self.emit(notice)
        else:
            self._notices.append(notice)

    def emit(self, event: Event | Unknown) -> None:
        """Port: record one event of the agent."""
        # Nearly all events pass the first test, and to fail the others takes longer than all the rest of the way.
        if isinstance(event, MessageDelta):
            if self._terminal is None and self._answer is None:
                self._writer.put(event)
        elif isinstance(event, TERMINAL_EVENTS):
            self._emit_end(event)
        elif self._terminal is None and self._answer is None:
            if isinstance(event, UsageUpdated) and isinstance(event.usage, Usage):
                event = UsageUpdated(usage=self._usage.total(event.usage))
            self._writer.put(event)
            beyond = self._budget.exceeded_by(event)
            if beyond is not None:
                self._end(beyond)

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Port: return whether an action may run."""
        decision = await self.desk.ask(request)
        if decision.stop:
            self.abort("aborted", decision.reason or "rejected and stopped by you")
            # Before the agent hears of it, or it could ask the next thing in the moment that is left to it.
            self.desk.cancel_all()
        return decision

    async def propose(self, plan: str) -> PlanAnswer:
        """Port: put a plan before a person."""
        return await self.desk.propose(plan)

    async def ask_questions(self, questions: Sequence[Question]) -> QuestionReply:
        """Port: put questions before a person."""
        return await self.desk.questions.ask(questions)

    async def next_message(self) -> Message:
        """Port: wait for a further message of the user."""
        return await self._messages.next_now()

    def take_message(self) -> Message | None:
        """Port: return a further message that waits, or ``None``."""
        return self._messages.waiting_now()

    async def _run_agent(self) -> None:
        if self._terminal is not None:
            return
        agent = self._spawn(self._drive(), f"agent of turn {self.request.turn_id}")
        agent.add_done_callback(self._agent_stopped)
        try:
            if await self._watch.time_is_up(
                lambda: self._terminal is not None or agent.done(), lambda: bool(self.desk.waiting)
            ):
                self.abort("timeout", f"the turn took longer than {self._watch.timeout_s:g} s")
        except asyncio.CancelledError:
            self.abort("interrupted", "nbharness was shut down")
            raise
        finally:
            self.desk.cancel_all()
            await self._watch.stop(agent, at_once=isinstance(self._terminal, TurnAborted))

    async def _drive(self) -> None:
        """Run the session; the boundary where whatever an adapter raises becomes the turn's outcome."""
        try:
            await self._before_agent()
            session = await self._open_session()
            self._session_id = session_id_of(session) or self._session_id
            task: str | None = self.request.task
            while task is not None:
                await session.run_turn(msgspec.structs.replace(self.request, task=task), self)
                self._session_id = session_id_of(session) or self._session_id
                task = self._next_task()
        except AdapterError as error:
            retry_after = error.retry_after if isinstance(error, RateLimited) else None
            self.emit(TurnFailed(error=str(error), code=error.code, retry_after=retry_after or UNSET))
        except Exception as error:  # noqa: BLE001 (the boundary: whatever an adapter raises is its turn's outcome)
            _log.exception("the adapter failed in turn %s", self.request.turn_id)
            self.emit(TurnFailed(error=f"{type(error).__name__}: {in_words(error)}", code="sdk_error"))
        else:
            self._end(self._answer or TurnFailed(error="the agent stopped without an answer", code="protocol"))

    async def _before_agent(self) -> None:
        notice = None if self.evidence is None else await self.evidence.begin()
        if notice is not None:
            self.emit(notice)
        if self._prepare is not None:
            self.request = await self._prepare(self, self.request)

    async def _look_at_workspace(self) -> None:
        ends = isinstance(self._terminal, TurnAborted) and self._terminal.code == "interrupted"  # this process, too
        found = None if self.evidence is None or ends else await self.evidence.finish()
        if found is not None:
            self._writer.put(found)

    def _next_task(self) -> str | None:
        """Return the queued message that the agent is to answer next, or ``None`` when the turn is over."""
        if self._answer is None or self._terminal is not None:
            return None
        queued = self._messages.next_after()
        if queued is not None:
            self._answer = None
        return queued

    def _agent_stopped(self, agent: asyncio.Task[None]) -> None:
        self._watch.agent_ended()
        # `_drive` says how else it ends; this is SystemExit and the like, or a cancellation that nobody asked for.
        error = asyncio.CancelledError() if agent.cancelled() else agent.exception()
        if error is not None and self._terminal is None:
            self._end(TurnFailed(error=f"the agent stopped with {type(error).__name__}", code="sdk_error"))

    def _settle_writer(self) -> None:
        self._messages.tell_what_is_left()
        self._writer.put_closing()
        terminal = self._terminal or TurnAborted(code="interrupted", reason="nbharness was shut down")
        if isinstance(terminal, TurnCompleted) and self.desk.refused:
            known = terminal.metadata if isinstance(terminal.metadata, dict) else {}
            terminal = msgspec.structs.replace(terminal, metadata={**known, "refused": self.desk.refused})
        self._terminal = terminal
        self._writer.put(terminal)
        self._writer.close()

    def _result(self, duration_ms: int) -> CodingResult:
        """Return what the turn came to, read off its feed: some rows, where the agent sent thousands of deltas."""
        builder = OutcomeBuilder(self._session_id)
        for envelope in self._writer.feed.since():
            builder.observe(envelope.event)
        return builder.result(self._terminal or TurnAborted(code="interrupted"), duration_ms)

    def _settle(self, duration_ms: int) -> None:
        if not self.outcome.done():
            self.outcome.set_result(self._result(duration_ms))

    def _end(self, terminal: _Terminal) -> None:
        if self._terminal is None:
            self._terminal = terminal
            self._watch.nudge()
            if not self._running:
                self.on_early_end()

    def _emit_end(self, event: _Terminal) -> None:
        readable = sound(event)
        if not isinstance(readable, TERMINAL_EVENTS):
            readable = TurnFailed(error=f"the agent ended with a {event.type} that cannot be read", code="protocol")
        readable = msgspec.structs.replace(readable, usage=self._usage.at_end(readable.usage))
        if isinstance(readable, TurnCompleted) and self._messages.some_wait_for_the_answer and self._terminal is None:
            self._answer = self._answer or readable
            self._usage.answered()
        else:
            self._end(readable)

    def _take(self, message: Message) -> None:
        if self.ended:
            text = f"turn {self.request.turn_id} has ended; start a new one for this message"
            raise NbHarnessError(text)
        self._messages.take(message)


_BY = {"user": "you", "terminal": "you in the terminal", "code": "a program"}
