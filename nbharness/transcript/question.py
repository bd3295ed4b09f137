"""A question as lines of text, and the answer that somebody types."""

from __future__ import annotations

from nbharness.events import Question

__all__ = ["question_lines", "typed_answer"]


def question_lines(question: Question) -> list[str]:
    """Return the question and its options, numbered from 1."""
    lines = [question.text]
    for number, option in enumerate(question.options, 1):
        means = f"  {option.description}" if isinstance(option.description, str) else ""
        lines.append(f"  {number}  {option.label}{means}")
    return lines


def typed_answer(typed: str, question: Question) -> list[str]:
    """Return the answer that was typed: numbers or labels of options, comma-separated, or any other text.

    Args:
        typed: What was typed; nothing is no answer.
        question: What it answers.
    """
    labels = [option.label for option in question.options]
    parts = [part.strip() for part in typed.split(",") if part.strip()]
    chosen = [labels[int(part) - 1] if part.isdecimal() and 0 < int(part) <= len(labels) else part for part in parts]
    if chosen and all(part in labels for part in chosen):
        return chosen if question.multiple else chosen[:1]
    return [typed.strip()] if typed.strip() else []
