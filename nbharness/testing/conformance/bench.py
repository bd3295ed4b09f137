"""Runs turns of an agent under test through the real runtime, with a scripted person and an eye on its processes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import msgspec

from nbharness.audience import Anyone, Audience
from nbharness.errors import ApprovalConflict, UnknownApproval
from nbharness.events import Event, PlanProposed, QuestionAsked, Unknown
from nbharness.handle import Asked, CodingHandle
from nbharness.inputs import ApprovalDecision, CodingInput, PlanDecision, QuestionAnswer
from nbharness.policy import Policy
from nbharness.results import CodingResult
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.testing.conformance import rules
from nbharness.testing.conformance.processes import Processes
from nbharness.testing.conformance.subject import AgentUnderTest, Task
from nbharness.testing.conformance.watched import WatchedAdapter

__all__ = ["Bench", "ConformanceError", "NotCheckedError", "Person", "Ran", "approves", "expect", "ignores", "rejects"]

REASON = "not today"
_CLOSE_S = 12.0

Person: TypeAlias = Callable[[Asked], CodingInput | None]
"""Answers what an agent asks, or lets it wait."""

Watch: TypeAlias = Callable[[Event | Unknown, CodingHandle], None]
"""Told each event of a turn as it comes."""


class ConformanceError(AssertionError):
    """The agent or its adapter does not do what it must."""


class NotCheckedError(Exception):
    """Nothing could be checked: the agent does not claim to be able to, or there is no prompt that makes it."""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that has settled.

    Attributes:
        events: What its readers saw.
        emitted: What the session itself emitted.
        result: What it came to.
        conversation: Its conversation.
    """

    events: Sequence[Event | Unknown]
    emitted: Sequence[Event | Unknown]
    result: CodingResult
    conversation: str

    @property
    def types(self) -> list[str]:
        """Types of its events."""
        return [event.type for event in self.events]

    @property
    def code(self) -> str:
        """Code of its error, or ``""``."""
        return self.result.error.code if self.result.error is not None else ""

    def __str__(self) -> str:
        """Say how it ended."""
        error = f" ({self.result.error.code}: {self.result.error.message})" if self.result.error else ""
        return f"{self.result.status}{error} after {', '.join(dict.fromkeys(self.types))}"


class Bench:
    """One agent on the bench. A context manager; leaving it closes the agent.

    Args:
        agent: The agent.
        processes: Counted from here on; by default from now.
    """

    def __init__(self, agent: AgentUnderTest, processes: Processes | None = None) -> None:
        self.agent = agent
        self.adapter = WatchedAdapter(agent.create())
        self.processes = processes or Processes()
        self._runtime = Runtime()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the agent."""
        self.close()

    def close(self) -> None:
        """Close the agent; twice is as good as once."""
        self._runtime.close(_CLOSE_S)

    def prompt(self, task: Task) -> str:
        """Return the prompt of a task.

        Raises:
            NotCheckedError: There is none.
        """
        if task not in self.agent.tasks:
            raise NotCheckedError(f"no prompt for {task!r}")
        return self.agent.tasks[task]

    @property
    def written(self) -> Path:
        """The file that the task ``write`` makes."""
        return self.file(self.agent.written)

    def file(self, name: str) -> Path:
        """Return a path in the workspace."""
        return self.agent.workspace / name

    def start(self, task: Task, *, audience: Audience | None = None, **fields: Any) -> CodingHandle:
        """Start a turn.

        Args:
            task: What the agent is made to do.
            audience: Who could answer; by default somebody always can.
            **fields: Further fields of the turn's spec.
        """
        spec = TurnSpec(
            task=self.prompt(task),
            agent=self.adapter.name,
            workspace=self.agent.workspace,
            **{
                "trust_project": True,
                "timeout_s": self.agent.patience_s,
                **self.agent.turn,
                **self.agent.turns.get(task, {}),
                **fields,
            },
        )
        return self._runtime.start(
            spec, adapter=self.adapter, audience=audience or Anyone(), policy=Policy(), record=False
        )

    def run(self, task: Task, *, person: Person | None = None, watch: Watch | None = None, **fields: Any) -> Ran:
        """Run a turn to its end, and check that what it said was in order.

        Args:
            task: What the agent is made to do.
            person: Who answers; by default somebody who approves of everything.
            watch: Told each event.
            **fields: As for :meth:`start`.

        Raises:
            ConformanceError: The turn did not settle, or its events break the rules.
        """
        return self.follow(self.start(task, **fields), person or approves, watch)

    def follow(self, handle: CodingHandle, person: Person, watch: Watch | None = None) -> Ran:
        """Follow a turn to its end; see :meth:`run`."""
        events: list[Event | Unknown] = []
        try:
            asyncio.run(self._follow(handle, events, person, watch))
            result = handle.result(timeout=self.agent.patience_s)
        except TimeoutError as error:
            handle.abort()
            last = events[-1].type if events else "nothing"
            message = f"the turn has not settled within {self.agent.patience_s:g} s; the last event was {last}"
            raise ConformanceError(message) from error
        emitted = self.adapter.runs[-1] if self.adapter.runs else []
        ran = Ran(events=events, emitted=emitted, result=result, conversation=handle.conversation_id)
        ended = result.status in {"completed", "max_turns"}
        wrong = [*rules.of_feed(events), *rules.of_run(emitted, ended=ended)]
        wrong += rules.undeclared(events, self.adapter.capabilities)
        expect(not wrong, "; ".join(wrong))
        return ran

    async def _follow(
        self, handle: CodingHandle, events: list[Event | Unknown], person: Person, watch: Watch | None
    ) -> None:
        async with asyncio.timeout(self.agent.patience_s):
            async for envelope in handle.envelopes():
                events.append(envelope.event)
                if watch is not None:
                    watch(envelope.event, handle)
                if isinstance(envelope.event, Asked) and (answer := person(envelope.event)) is not None:
                    with contextlib.suppress(ApprovalConflict, UnknownApproval):  # it died with the turn meanwhile
                        handle.send(answer)


def approves(asked: Asked) -> CodingInput:
    """Approve, and choose the first option of each question."""
    if isinstance(asked, QuestionAsked):
        first = {each.id: [each.options[0].label] if each.options else ["yes"] for each in asked.questions}
        return QuestionAnswer(id=asked.id, answers=first)
    if isinstance(asked, PlanProposed):
        return PlanDecision(id=str(asked.id), decision="approve")
    return ApprovalDecision(id=asked.id, decision="approve")


def rejects(asked: Asked) -> CodingInput:
    """Reject with a reason, and answer no question."""
    if isinstance(asked, QuestionAsked):
        return QuestionAnswer(id=asked.id, skip=True)
    if isinstance(asked, PlanProposed):
        return PlanDecision(id=str(asked.id), decision="reject", reason=REASON)
    return ApprovalDecision(id=asked.id, decision="reject", reason=REASON)


def ignores(asked: Asked) -> None:
    """Let it wait."""
    del asked


def expect(condition: object, message: str) -> None:
    """Raise unless something holds.

    Raises:
        ConformanceError: It does not hold.
    """
    if not condition:
        raise ConformanceError(message)
