"""The transcript as Markdown that GitHub and every notebook program can show."""

from __future__ import annotations

from html import escape

from nbharness.transcript.neutral import code_span, escape_text, fenced, guarded, indented, neutral_markdown
from nbharness.transcript.outline import (
    Body,
    Checklist,
    Diff,
    Entry,
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

__all__ = ["to_markdown"]


def to_markdown(outline: Outline) -> str:
    """Return the document; every text of the agent's is neutral."""
    head, footer = outline.head, outline.footer
    last = max((n for n, section in enumerate(outline.sections) if isinstance(section, Diff)), default=-1)
    blocks = [_joined([f"**{escape_text(head.agent)}**", *map(escape_text, head.facts)])]
    blocks += [_section(section, is_open=n == last) for n, section in enumerate(outline.sections)]
    blocks += [escape_text(outline.left_out)] if outline.left_out else []
    last_line = _joined([f"{footer.mark} **{escape_text(footer.verdict)}**", *map(escape_text, footer.facts)])
    blocks += ["---", f"{last_line}\\\n{_plain(footer.more)}" if footer.more else last_line]
    # The class keeps MathJax from reading two prices as a formula.
    blocks = ['<div class="mathjax_ignore tex2jax_ignore">', *filter(None, blocks), "</div>"]
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, *, is_open: bool) -> str:
    match section:
        case Steps():
            title = _joined([f"<strong>{escape(section.title)}</strong>", escape(section.meta)])
            if not section.entries:
                return _joined([f"**{escape_text(section.title)}**", escape_text(section.meta)])
            return _details(title, _entries(section.entries))
        case Diff():
            return _diff(section, is_open=is_open)
        case Title():
            return _joined([f"**{escape_text(section.text)}**", escape_text(section.meta)])
        case _:
            return _entry(section)


def _entries(entries: list[Entry]) -> str:
    return "\n".join(f"- {indented(_entry(entry), '  ')}" for entry in entries)


def _entry(entry: Entry) -> str:
    match entry:
        case Step():
            return _step(entry)
        case Prose():
            return _prose(entry)
        case Note():
            return f"{entry.label}: {_plain(entry.text)}"
        case Checklist():
            done = sum(todo.status == "completed" for todo in entry.todos)
            lines = [f"- [{_tick(todo.status)}] {escape_text(one_line(todo.content))}" for todo in entry.todos]
            return "\n".join([f"Todos, {done} of {len(entry.todos)} done", *lines])


def _tick(status: str) -> str:
    return "x" if status == "completed" else " "


def _step(step: Step) -> str:
    subject = (code_span(step.subject) if step.is_code else escape_text(step.subject)) if step.subject else ""
    words = " ".join(filter(None, (step.mark, step.verb, subject, escape_text(step.lead))))
    row = _joined([words, *map(escape_text, step.meta)])
    blocks = [row, *map(_body, step.bodies)]
    return "\n\n".join([*blocks, _entries(step.children)] if step.children else blocks)


def _body(body: Body) -> str:
    match body:
        case Output():
            # Whoever shows Markdown can show the HTML too, where all of it is; no need to save it twice.
            return _details(escape(body.label), fenced("\n".join(folded_lines(body.text)), "text"))
        case Diff():
            return _diff(body, is_open=False)
        case Remark():
            code = f" {code_span(body.code)}" if body.code else ""
            return f"{guarded(escape_text(body.text))}{code}{escape_text(body.rest)}"
        case Prose():
            return _prose(body)


def _diff(diff: Diff, *, is_open: bool) -> str:
    summary = f"<code>{escape(diff.path)}</code> {_joined([escape(diff.counts), escape(diff.remark)])}"
    patch = fenced("\n".join([*diff.lines, diff.cut] if diff.cut else diff.lines), "diff")
    return _details(summary, patch, is_open=is_open)


def _details(summary: str, body: str, *, is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def _prose(prose: Prose) -> str:
    return f"**You:** {_plain(printable(prose.text))}" if prose.speaker == "user" else neutral_markdown(prose.text)


def _plain(text: str) -> str:
    """Text of several lines in which no line is read as Markdown."""
    return "\\\n".join(guarded(escape_text(line.strip())) for line in text.strip().split("\n"))


def _joined(parts: list[str]) -> str:
    return " · ".join(part for part in parts if part)
