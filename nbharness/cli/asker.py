"""Asks the person at the terminal what a waiting approval or plan is to become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TextIO

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.cli.editor import edit
from nbharness.cli.keyboard import Keyboard
from nbharness.errors import ConfigError
from nbharness.events import ApprovalRequired, PlanProposed, QuestionAsked
from nbharness.events.repair import clean
from nbharness.handle import Asked
from nbharness.inputs import ApprovalDecision, PlanDecision, QuestionAnswer
from nbharness.transcript.card import argument_lines, block_lines, card_lines
from nbharness.transcript.ink import Ink
from nbharness.transcript.question import question_lines, typed_answer

__all__ = ["Answer", "Asker", "Question"]

Question = Asked
_Decidable = ApprovalRequired | PlanProposed
Answer = ApprovalDecision | PlanDecision | QuestionAnswer

_SHOWN_LINES = 200

_KEYS = {
    "approve": ("a", "Approve"),
    "approve_edited": ("e", "Edit"),
    "remember": ("m", "Approve and remember"),
    "reject": ("r", "Reject"),
    "reason": ("R", "Reject with reason"),
    "reject_stop": ("s", "Reject and stop"),
}


class Asker:
    """Shows a question on a terminal and reads the answer, in the main thread.

    Args:
        out: Where to show it; standard error, so that standard output holds the turn alone.
        fd: Descriptor of the terminal to read from.
        ink: Colours.
        is_plan_on_view: True when the transcript, on the same terminal, has just shown the plan that is asked about.
    """

    def __init__(self, out: TextIO, fd: int, ink: Ink, *, is_plan_on_view: bool) -> None:
        self._out = out
        self._fd = fd
        self._ink = ink
        self._is_plan_on_view = is_plan_on_view

    def ask(self, question: Question, gone: Callable[[], bool]) -> Answer | None:
        """Return the person's answer.

        Args:
            question: What waits.
            gone: Tells that it waits no more.

        Returns:
            The answer, bound to what was shown; ``None`` when the question has gone or nobody is left to ask.
        """
        keyboard = Keyboard(self._fd, gone)
        if isinstance(question, QuestionAsked):
            return self._answers(question, keyboard)
        if not (self._is_plan_on_view and isinstance(question, PlanProposed)):
            self._show(card_lines(question, self._ink), keyboard)
        choices = _choices(question)
        edited: Any | UnsetType = UNSET
        while True:
            key = self._choose(choices, keyboard, edited=edited is not UNSET)
            if key == "e":
                edited = self._edited(question, edited)
            elif key == "d":
                edited = UNSET
            elif key == "R":
                self._say("Reason: ", end="")
                reason = keyboard.line()
                return None if reason is None else _answer(question, "reject", reason=reason or UNSET)
            else:
                return _by_key(question, key, edited)

    def _answers(self, asked: QuestionAsked, keyboard: Keyboard) -> QuestionAnswer | None:
        answers: dict[str, list[str]] = {}
        for question in asked.questions:
            self._show(question_lines(question), keyboard)
            self._say("Number or answer (empty skips): ", end="")
            typed = keyboard.line()
            if typed is None:
                return None
            if given := typed_answer(typed, question):
                answers[question.id] = given
        return QuestionAnswer(id=asked.id, answers=answers) if answers else QuestionAnswer(id=asked.id, skip=True)

    def _choose(self, choices: list[str], keyboard: Keyboard, *, edited: bool) -> str | None:
        keys = {key: words for choice, (key, words) in _KEYS.items() if choice in choices}
        if edited:
            keys = {"a": "Approve edited", "e": "Edit again", "d": "Discard edit"} | {
                key: words for key, words in keys.items() if key in "rRs"
            }
        hints = "  ".join(f"{self._ink.strong(f'[{key}]')} {words}" for key, words in keys.items())
        key = keyboard.key("".join(keys), lambda: self._say(f"{hints}  ", end=""))
        self._say(self._ink.strong(keys[key]) if key else "")
        return key

    def _edited(self, question: _Decidable, before: Any | UnsetType) -> Any | UnsetType:
        """Let the person edit what is asked, or what they made of it before, and show what became of it."""
        try:
            after = _edit(question, before)
        except (ConfigError, msgspec.DecodeError) as error:
            self._say(self._ink.removed(f"{error}; nothing was edited"))
            return before
        lines = block_lines(after) if isinstance(question, PlanProposed) else argument_lines(after, self._ink)
        self._say("\n".join([self._ink.asks("Edited:"), *lines]))
        return after

    def _show(self, lines: list[str], keyboard: Keyboard) -> None:
        """Print lines; of very many the first ones, the rest on demand."""
        self._say("\n".join(lines[:_SHOWN_LINES]))
        rest = lines[_SHOWN_LINES:]
        more = self._ink.asks(f"… {len(rest)} more lines; press space to see them before you decide")
        if rest and keyboard.key(" ", lambda: self._say(more)):
            self._say("\n".join(rest))

    def _say(self, text: str, end: str = "\n") -> None:
        self._out.write(text + end)
        self._out.flush()


def _choices(question: _Decidable) -> list[str]:
    if isinstance(question, PlanProposed):
        return ["approve", "approve_edited", "reject", "reason"]
    offered: list[str] = list(question.choices) if isinstance(question.choices, list) else ["approve", "reject"]
    return [*offered, "reason"] if "reject" in offered else offered


def _by_key(question: _Decidable, key: str | None, edited: Any | UnsetType) -> ApprovalDecision | PlanDecision | None:
    match key:
        case None:
            return None
        case "a" if isinstance(question, PlanProposed):
            return _answer(question, "approve", plan=edited)
        case "a":
            return _answer(question, "approve", args=edited)
        case "m":
            return _answer(question, "approve", remember=True)
        case "s":
            return _answer(question, "reject", stop=True)
        case _:
            return _answer(question, "reject")


def _answer(
    question: _Decidable, decision: Literal["approve", "reject"], **fields: Any
) -> ApprovalDecision | PlanDecision:
    if isinstance(question, PlanProposed):
        return PlanDecision(id=str(question.id), decision=decision, plan_hash=question.plan_hash, **fields)
    return ApprovalDecision(id=question.id, decision=decision, args_hash=question.args_hash, **fields)


def _edit(question: _Decidable, before: Any | UnsetType) -> Any:
    asked = question.plan if isinstance(question, PlanProposed) else question.args
    now = asked if isinstance(before, UnsetType) else before
    if isinstance(question, PlanProposed):
        return edit(now, ".md")
    text = msgspec.json.format(msgspec.json.encode(clean(now)), indent=2).decode()
    return msgspec.json.decode(edit(f"{text}\n", ".json"))
