"""Where the questions of one turn wait for their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from nbharness.approvals.values import QuestionReply
from nbharness.audience import Audience
from nbharness.errors import AdapterProtocolError, ApprovalConflict, UnknownApproval
from nbharness.events import Event, Question, QuestionAnswered, QuestionAsked, sound
from nbharness.inputs import QuestionAnswer

__all__ = ["QuestionDesk"]

_RAW_CHARS = 1000


class _Entry(msgspec.Struct, kw_only=True):
    """Questions asked together and, in time, the reply."""

    asked: QuestionAsked
    reply: asyncio.Future[QuestionReply]
    given: QuestionAnswer | None = None


class QuestionDesk:
    """The questions of one turn. Everything runs on the loop of the turn.

    Args:
        audience: Who could answer.
        emit: Takes the desk's events.
        timeout_s: Seconds until a question is skipped, or ``None``.
        on_change: Called when a question begins or stops to wait.
    """

    def __init__(
        self,
        *,
        audience: Audience,
        emit: Callable[[Event], None],
        timeout_s: float | None,
        on_change: Callable[[], None],
    ) -> None:
        self._audience = audience
        self._emit = emit
        self._timeout_s = timeout_s
        self._entries: dict[str, _Entry] = {}
        self._closed = False
        self._on_change = on_change

    @property
    def waiting(self) -> list[str]:
        """Ids that wait for an answer, oldest first."""
        return [id_ for id_, entry in self._entries.items() if not entry.reply.done()]

    async def ask(self, questions: Sequence[Question]) -> QuestionReply:
        """Return the answers; none when nobody can answer, or nobody does in time.

        Cancelling the caller withdraws the questions.

        Raises:
            AdapterProtocolError: There is no question, two have the same id, or one cannot be read.
        """
        if self._closed:
            return QuestionReply(answered=False, by="turn")
        asked = sound(QuestionAsked(id=f"q{len(self._entries) + 1}", questions=list(questions)))
        if not isinstance(asked, QuestionAsked) or not _distinct(asked):
            raise AdapterProtocolError("the agent asked questions that cannot be read", str(questions)[:_RAW_CHARS])
        entry = _Entry(asked=asked, reply=asyncio.get_running_loop().create_future())
        self._entries[asked.id] = entry
        self._emit(asked)
        self._on_change()
        try:
            if await self._audience.present():
                await asyncio.wait({entry.reply}, timeout=self._timeout_s)
            self._settle(entry, QuestionReply(answered=False, by="nobody"))
            return entry.reply.result()
        finally:
            self._settle(entry, QuestionReply(answered=False, by="turn"))

    def resolve(self, answer: QuestionAnswer, by: str) -> None:
        """Take an answer from any door.

        Raises:
            UnknownApproval: Nothing by that id was asked in this turn.
            ApprovalConflict: It was answered otherwise, or the answer does not fit the questions.
        """
        entry = self._entries.get(answer.id)
        if entry is None:
            raise UnknownApproval(answer.id, self.waiting)
        if entry.reply.done():
            if entry.given == answer:
                return
            raise ApprovalConflict(answer.id, "answered", "it is already answered; the first answer stands")
        if isinstance(answer.answers, dict):
            _check(entry.asked, answer.answers)
        entry.given = answer
        answers = answer.answers if isinstance(answer.answers, dict) else {}
        self._settle(entry, QuestionReply(answered=not answer.skip, answers=answers, by=by))

    def cancel_all(self) -> None:
        """The turn ends: nothing waits any more and nothing can be asked."""
        self._closed = True
        for entry in self._entries.values():
            self._settle(entry, QuestionReply(answered=False, by="turn"))

    def _settle(self, entry: _Entry, reply: QuestionReply) -> None:
        if entry.reply.done():
            return
        entry.reply.set_result(reply)
        secret = {question.id for question in entry.asked.questions if question.secret}
        self._emit(
            QuestionAnswered(
                id=entry.asked.id,
                status="answered" if reply.answered else "cancelled" if reply.by == "turn" else "skipped",
                answers={id_: given for id_, given in reply.answers.items() if id_ not in secret},
                by=reply.by,
            )
        )
        self._on_change()


def _distinct(asked: QuestionAsked) -> bool:
    ids = [question.id for question in asked.questions]
    return bool(ids) and len(set(ids)) == len(ids)


def _check(asked: QuestionAsked, answers: dict[str, list[str]]) -> None:
    questions = {question.id: question for question in asked.questions}
    for id_, given in answers.items():
        question = questions.get(id_)
        if question is None:
            why = f"there is no question {id_!r}; asked: {', '.join(questions)}"
            raise ApprovalConflict(asked.id, "pending", why)
        labels = [option.label for option in question.options]
        foreign = [text for text in given if text not in labels]
        if foreign and not question.free_text:
            why = f"{foreign[0]!r} was not offered; offered: {', '.join(labels)}"
            raise ApprovalConflict(asked.id, "pending", why)
        if len(given) > 1 and not question.multiple:
            raise ApprovalConflict(asked.id, "pending", f"question {id_!r} takes one answer, not {len(given)}")
