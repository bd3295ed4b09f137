"""The transcript as plain text."""

from __future__ import annotations

from nbharness.transcript.outline import (
    TODO_MARKS,
    Body,
    Checklist,
    Diff,
    Entry,
    Footer,
    Head,
    Note,
    Outline,
    Output,
    Prose,
    Remark,
    Section,
    Step,
    Steps,
    Title,
)
from nbharness.transcript.texts import folded_lines
from nbharness.transcript.visible import one_line, printable

__all__ = ["bodies_to_show", "body_lines", "diff_title", "footer_line", "head_lines", "step_line", "to_plain"]

_INDENT = "    "


def to_plain(outline: Outline) -> str:
    """Return the document; no character in it controls a terminal."""
    blocks = ["\n".join(head_lines(outline.head)), *map(_section, outline.sections)]
    blocks += [outline.left_out] if outline.left_out else []
    return "\n\n".join([*(block for block in blocks if block), footer_line(outline.footer)]) + "\n"


def head_lines(head: Head) -> list[str]:
    """Return who worked, and what was asked."""
    return [_joined([head.agent, *head.facts]), *(f"> {line}" for line in head.prompt.split("\n") if head.prompt)]


def footer_line(footer: Footer) -> str:
    """Return how it ended; on a second line, what was too long for the first."""
    line = _joined([f"{footer.mark} {footer.verdict}", *footer.facts])
    return f"{line}\n{footer.more}" if footer.more else line


def step_line(step: Step) -> str:
    """Return the row of a step without what opens below it."""
    return _joined([" ".join(filter(None, (step.mark, step.verb, step.subject, step.lead))), *step.meta])


def bodies_to_show(step: Step) -> list[Body]:
    """Return what opens below a step where nothing can be folded: of a quiet one no output."""
    return [body for body in step.bodies if not (step.is_quiet and isinstance(body, Output))]


def _section(section: Section) -> str:
    match section:
        case Steps():
            title = _joined([section.title, section.meta])
            return "\n".join([title, *(_moved(_entry(entry), "  ") for entry in section.entries)])
        case Diff():
            return "\n".join(body_lines(section))
        case Title():
            return _joined([section.text, section.meta])
        case _:
            return _entry(section)


def _entry(entry: Entry) -> str:
    match entry:
        case Step():
            bodies = [_moved("\n".join(body_lines(body)), _INDENT) for body in bodies_to_show(entry)]
            children = [_moved(_entry(child), "  ") for child in entry.children]
            return "\n".join([step_line(entry), *bodies, *children])
        case Prose():
            return _prose(entry)
        case Note():
            return f"{entry.label}: {entry.text}"
        case Checklist():
            done = sum(todo.status == "completed" for todo in entry.todos)
            lines = [f"  {TODO_MARKS[todo.status]} {one_line(todo.content)}" for todo in entry.todos]
            return "\n".join([f"Todos, {done} of {len(entry.todos)} done", *lines])


def body_lines(body: Body) -> list[str]:
    """Return what opens below a step."""
    match body:
        case Output():
            return [f"{body.label}:", *(f"  {line}" for line in folded_lines(body.text))]
        case Diff():
            return [diff_title(body), *body.lines, *([body.cut] if body.cut else [])]
        case Remark():
            return [f"{body.text} {body.code}{body.rest}" if body.code else body.text]
        case Prose():
            return _prose(body).split("\n")


def diff_title(diff: Diff) -> str:
    """Return the line above a change."""
    return _joined([f"{diff.path} {diff.counts}", diff.remark])


def _prose(prose: Prose) -> str:
    text = printable(prose.text).strip("\n")
    return f"You: {text}" if prose.speaker == "user" else text


def _moved(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}".rstrip() for line in text.split("\n"))


def _joined(parts: list[str]) -> str:
    return " · ".join(part for part in parts if part)
