"""A turn as a document: what every written form of it says, in order, before it is HTML, Markdown or plain text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nbharness.events import Todo

__all__ = [
    "TODO_MARKS",
    "Body",
    "Checklist",
    "Diff",
    "Entry",
    "Footer",
    "Head",
    "Note",
    "Outline",
    "Output",
    "Prose",
    "Remark",
    "Section",
    "Step",
    "Steps",
    "Title",
]


TODO_MARKS = {"completed": "☑", "in_progress": "◐", "pending": "☐"}
"""What stands before a todo."""


@dataclass(frozen=True)
class Output:
    """Text that a tool gave or was given; shown as it is, folded.

    Attributes:
        label: What it is and how much of it this is, such as ``Output, last 3 of 1,290 lines``.
        text: The lines, without escapes.
    """

    label: str
    text: str


@dataclass(frozen=True)
class Diff:
    """A change to one file.

    Attributes:
        path: The file.
        counts: Lines added and removed, in signs.
        lines: The patch, line by line, with its signs.
        cut: What was left out of it, in words; ``""`` for nothing.
        remark: A word or two about it, after the counts; ``""`` for none.
    """

    path: str
    counts: str
    lines: list[str]
    cut: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Remark:
    """One sentence about a step.

    Attributes:
        text: The sentence, or its beginning.
        code: Code that it is about.
        rest: What follows the code.
    """

    text: str
    code: str = ""
    rest: str = ""


@dataclass(frozen=True)
class Prose:
    """A run of text.

    Attributes:
        text: Markdown, except when the user speaks.
        speaker: Who wrote it.
    """

    text: str
    speaker: Literal["agent", "user"] = "agent"


@dataclass(frozen=True)
class Note:
    """Something the reader should know.

    Attributes:
        label: ``Note``, ``Careful`` or ``Error``.
        text: Plain text.
    """

    label: str
    text: str


@dataclass(frozen=True)
class Checklist:
    """The agent's todos."""

    todos: list[Todo]


Body: TypeAlias = Output | Diff | Remark | Prose


@dataclass(frozen=True)
class Step:
    """One row of the log.

    Attributes:
        mark: How it went: ``✓``, ``✗``, ``⊘``, ``○`` or ``…``.
        verb: What it is: ``Ran``, ``Failed``, ``Rejected``.
        subject: What it worked on, on one line.
        is_code: True when the subject is code.
        lead: Words right after the subject.
        meta: Further words, in order.
        bodies: What opens below it.
        children: What a sub-agent did in it.
        is_quiet: True when its output says nothing that somebody would miss, as that of a file that was read.
    """

    mark: str
    verb: str
    subject: str = ""
    is_code: bool = True
    lead: str = ""
    meta: list[str] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    children: list[Entry] = field(default_factory=list)
    is_quiet: bool = False


Entry: TypeAlias = Step | Prose | Note | Checklist


@dataclass(frozen=True)
class Steps:
    """A folded run of the log.

    Attributes:
        title: Its count, ``11 steps``.
        meta: How the approvals in it went, ``3 approved, 1 rejected``; may be empty.
        entries: Everything in it that is still there, in order.
    """

    title: str
    meta: str
    entries: list[Entry]


@dataclass(frozen=True)
class Title:
    """The line above what follows.

    Attributes:
        text: What it is.
        meta: How much of it.
    """

    text: str
    meta: str


Section: TypeAlias = Steps | Prose | Diff | Note | Title


@dataclass(frozen=True)
class Head:
    """The line on top.

    Attributes:
        agent: Who worked.
        facts: Model, mode, folder, date; those that are known.
        prompt: What the user asked; for the forms that stand alone.
    """

    agent: str
    facts: list[str]
    prompt: str


@dataclass(frozen=True)
class Footer:
    """The line at the end.

    Attributes:
        mark: As for a step.
        verdict: ``Done``, ``Failed``, ``Stopped`` and the like.
        facts: Reason, time, tokens, cost, files.
        more: What is too long for the line, or what is left behind; may be empty.
    """

    mark: str
    verdict: str
    facts: list[str]
    more: str = ""


@dataclass(frozen=True)
class Outline:
    """The whole document.

    Attributes:
        head: The line on top.
        sections: The body.
        left_out: One sentence about what is missing; ``""`` when it is all there.
        footer: The line at the end.
        undoable: Id of the turn when what it changed can be taken back, else ``""``.
    """

    head: Head
    sections: list[Section]
    left_out: str
    footer: Footer
    undoable: str = ""
