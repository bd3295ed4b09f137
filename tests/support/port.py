"""A turn's port for tests of adapters: the real approval desk and the real ledger, with a scripted person."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from nbharness import events
from nbharness.adapters.base import Adapter, AgentSession, TurnRequest
from nbharness.approvals import ApprovalDesk, ApprovalMode, ApprovalRequest, Decision, PlanAnswer, QuestionReply
from nbharness.audience import Anyone, Audience, Nobody
from nbharness.events import (
    TERMINAL_EVENTS,
    ApprovalRequired,
    Event,
    MessageDelta,
    MessageUser,
    PlanProposed,
    QuestionAsked,
    TurnStarted,
    Unknown,
)
from nbharness.inputs import ApprovalDecision, Message, PlanDecision, QuestionAnswer
from nbharness.ledger import Ledger
from nbharness.policy import Policy

E = TypeVar("E", bound=Event | Unknown)
Question = ApprovalRequired | PlanProposed | QuestionAsked
Answer = ApprovalDecision | PlanDecision | QuestionAnswer
Person = Callable[[Question], Answer | None]
"""Answers a question, or lets it wait."""


def approves(question: Question) -> Answer:
    """A person who approves of everything, and takes the first option of each question."""
    if isinstance(question, QuestionAsked):
        first = {asked.id: [asked.options[0].label] for asked in question.questions if asked.options}
        return QuestionAnswer(id=question.id, answers=first)
    if isinstance(question, PlanProposed):
        return PlanDecision(id=str(question.id), decision="approve")
    return ApprovalDecision(id=question.id, decision="approve")


def rejects(question: Question) -> Answer:
    """A person who rejects everything, with a reason, and answers nothing."""
    if isinstance(question, QuestionAsked):
        return QuestionAnswer(id=question.id, skip=True)
    if isinstance(question, PlanProposed):
        return PlanDecision(id=str(question.id), decision="reject", reason="not today")
    return ApprovalDecision(id=question.id, decision="reject", reason="not today")


class RecordingPort:
    """Records what passes.

    Args:
        request: The turn.
        person: Who answers; with ``None`` nobody is there.
        messages: What the user says during the turn.
        on_event: Told each event after it was recorded.
    """

    def __init__(
        self,
        request: TurnRequest,
        *,
        person: Person | None = approves,
        messages: Iterable[str] = (),
        on_event: Callable[[Event | Unknown], None] = lambda _event: None,
    ) -> None:
        self.events: list[Event | Unknown] = []
        audience: Audience = Nobody() if person is None else Anyone()
        self.desk = ApprovalDesk(
            agent="demo",
            workspace=request.workspace,
            mode=request.approval_mode,
            policy=Policy(),
            audience=audience,
            emit=self.emit,
            plan_mode=request.plan_mode,
        )
        self._person = person
        self._messages = [Message(text=text) for text in messages]
        self._on_event = on_event
        self._ledger = Ledger()

    @property
    def text(self) -> str:
        """Everything the agent said, messages apart."""
        said: dict[object, str] = {}
        for event in self.all(MessageDelta):
            said[event.message_id] = said.get(event.message_id, "") + event.delta
        return "\n\n".join(said.values())

    def all(self, kind: type[E]) -> list[E]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def the(self, kind: type[E]) -> E:
        """The only event of its kind."""
        (event,) = self.all(kind)
        return event

    def emit(self, event: Event | Unknown) -> None:
        """Record an event, in the order that readers see."""
        if self.events and isinstance(self.events[-1], TERMINAL_EVENTS):
            return
        closing = self._ledger.close() if isinstance(event, TERMINAL_EVENTS) else []
        for admitted in [*closing, *self._ledger.admit(event)]:
            self.events.append(admitted)
            self._on_event(admitted)
            if isinstance(admitted, Question) and self._person is not None:
                answer = self._person(admitted)
                if answer is not None:
                    asyncio.get_running_loop().call_soon(self.desk.resolve, answer, "user")

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Ask the desk."""
        return await self.desk.ask(request)

    async def propose(self, plan: str) -> PlanAnswer:
        """Ask the desk."""
        return await self.desk.propose(plan)

    async def ask_questions(self, questions: Sequence[events.Question]) -> QuestionReply:
        """Ask the desk."""
        return await self.desk.questions.ask(questions)

    def take_message(self) -> Message | None:
        """The next message, if there is one."""
        if not self._messages:
            return None
        message = self._messages.pop(0)
        self.emit(MessageUser(text=message.text))
        return message

    async def next_message(self) -> Message:
        """The next message; waits for ever when there is none."""
        message = self.take_message()
        return message or await asyncio.get_running_loop().create_future()


async def run_turn(
    adapter: Adapter,
    workspace: Path,
    task: str,
    *,
    session: AgentSession | None = None,
    person: Person | None = approves,
    messages: Iterable[str] = (),
    on_event: Callable[[Event | Unknown], None] = lambda _event: None,
    approval_mode: ApprovalMode = "require",
    plan_mode: bool = False,
    options: Mapping[str, Any] | None = None,
) -> RecordingPort:
    """Run one turn of an adapter and return what passed."""
    request = TurnRequest(
        turn_id="turn",
        task=task,
        workspace=workspace,
        approval_mode=approval_mode,
        plan_mode=plan_mode,
        options=options or {},
    )
    port = RecordingPort(request, person=person, messages=messages, on_event=on_event)
    port.emit(
        TurnStarted(
            prompt=task,
            agent=adapter.name,
            approval_mode=approval_mode,
            plan_mode=plan_mode,
            workspace=f"~/{workspace.name}",
            conversation_id="conversation",
        )
    )
    session = session or await adapter.open_session(workspace)
    await session.run_turn(request, port)
    return port
