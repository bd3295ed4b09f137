"""Asking in the cell itself, with ``input()``: the last door, where no view can be heard while a cell runs."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET

from nbharness.errors import ApprovalError
from nbharness.events import PlanProposed, QuestionAsked
from nbharness.handle import Asked, CodingHandle
from nbharness.inputs import ApprovalDecision, PlanDecision, QuestionAnswer
from nbharness.transcript.card import card_lines
from nbharness.transcript.ink import Ink
from nbharness.transcript.question import question_lines, typed_answer

__all__ = ["ask_in_cell"]

_QUESTION = "Approve? [y]es, [n]o, or a reason why not: "


def ask_in_cell(handle: CodingHandle, asked: Asked) -> None:
    """Show what waits as text and send the answer that is typed."""
    if isinstance(asked, QuestionAsked):
        _send(handle, _answers(asked))
        return
    print("\n".join(card_lines(asked, Ink(on=False))))  # noqa: T201 (this is a conversation on stdin and stdout)
    try:
        typed = input(_QUESTION).strip()
    except EOFError:  # Ctrl-D in a terminal: nobody answers, so the answer is no
        typed = ""
    decision: Literal["approve", "reject"] = "approve" if typed.lower() in {"y", "yes"} else "reject"
    reason = UNSET if typed.lower() in {"y", "yes", "n", "no", ""} else typed
    if isinstance(asked, PlanProposed):
        _send(handle, PlanDecision(id=str(asked.id), decision=decision, plan_hash=asked.plan_hash, reason=reason))
    else:
        _send(handle, ApprovalDecision(id=asked.id, decision=decision, args_hash=asked.args_hash, reason=reason))


def _answers(asked: QuestionAsked) -> QuestionAnswer:
    answers = {}
    for question in asked.questions:
        print("\n".join(question_lines(question)))  # noqa: T201 (as above)
        try:
            given = typed_answer(input("Number or answer (empty skips): "), question)
        except EOFError:
            given = []
        if given:
            answers[question.id] = given
    return QuestionAnswer(id=asked.id, answers=answers) if answers else QuestionAnswer(id=asked.id, skip=True)


def _send(handle: CodingHandle, answer: ApprovalDecision | PlanDecision | QuestionAnswer) -> None:
    try:
        handle.send(answer)
    except ApprovalError as error:
        print(f"nbharness: {error}")  # noqa: T201 (as above)
