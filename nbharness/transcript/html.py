"""The transcript as HTML: inline styles only, and a plain document without them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from nbharness.transcript import styles
from nbharness.transcript.markup import code_html, prose_html
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
from nbharness.transcript.patch import line_kinds
from nbharness.transcript.visible import one_line, printable

__all__ = ["to_html"]

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_QUOTED_CODE = re.compile(r"`([^`\n]+)`")
_LINE_STYLES = {"added": styles.ADDED, "removed": styles.REMOVED, "hunk": styles.HUNK, "header": styles.HUNK}


def to_html(outline: Outline) -> str:
    """Return the document as one HTML element.

    Every text is escaped, every attribute is ours. Classes keep MathJax from reading two prices as a formula, and tell
    a page whose kernel still knows the turn where to put the button that takes its changes back.
    """
    parts = [_head(outline.head), *map(_section, _last_open(outline.sections))]
    if outline.left_out:
        parts.append(f'<div style="{styles.SMALL}">{escape(outline.left_out)}</div>')
    parts += [f'<hr style="{styles.RULE}">', _footer(outline.footer)]
    body = "\n".join(parts)
    undo = f" nbh-frozen nbh-turn-{outline.undoable}" if _ID.fullmatch(outline.undoable) else ""
    return f'<div class="mathjax_ignore tex2jax_ignore{undo}" style="{styles.FRAME}">\n{body}\n</div>'


def _last_open(sections: list[Section]) -> Iterable[tuple[Section, bool]]:
    last = max((n for n, section in enumerate(sections) if isinstance(section, Diff)), default=-1)
    return ((section, n == last) for n, section in enumerate(sections))


def _head(head: Head) -> str:
    words = [f"<strong>{escape(head.agent)}</strong>", *map(escape, head.facts)]
    return f'<div style="{styles.SMALL}">{_joined(words)}</div>'


def _footer(footer: Footer) -> str:
    words = [f"{footer.mark} <strong>{escape(footer.verdict)}</strong>", *map(_worded, footer.facts)]
    more = f"<br>\n{_worded(footer.more)}" if footer.more else ""
    return f'<div style="{styles.SMALL}">{_joined(words)}{more}</div>'


def _section(section_and_open: tuple[Section, bool]) -> str:
    match section_and_open:
        case Steps() as steps, _:
            title = _joined([f"<strong>{escape(steps.title)}</strong>", escape(steps.meta)])
            if not steps.entries:
                return f'<p style="{styles.PARAGRAPH}">{title}</p>'
            return _details(title, _entries(steps.entries, styles.LOG), style=styles.DETAILS)
        case Prose() as prose, _:
            return _prose(prose)
        case Diff() as diff, is_open:
            return _diff(diff, is_open=is_open, style=styles.DETAILS)
        case Title() as title, _:
            words = _joined([f"<strong>{escape(title.text)}</strong>", escape(title.meta)])
            return f'<p style="{styles.PARAGRAPH}">{words}</p>'
        case note, _:
            return f'<p style="{styles.PARAGRAPH}">{_entry(note)}</p>'


def _entries(entries: list[Entry], style: str) -> str:
    # The marks are the bullets; without styles there are both, which does no harm.
    items = "\n".join(f'<li style="{styles.ROW}">{_entry(entry)}</li>' for entry in entries)
    return f'<ul style="{style}">\n{items}\n</ul>'


def _entry(entry: Entry) -> str:
    match entry:
        case Step():
            return _step(entry)
        case Prose():
            return _prose(entry)
        case Note():
            return f"{escape(entry.label)}: {_worded(entry.text)}"
        case Checklist():
            done = sum(todo.status == "completed" for todo in entry.todos)
            lines = [f"{TODO_MARKS[todo.status]} {escape(one_line(todo.content))}" for todo in entry.todos]
            return "<br>\n".join([f"Todos, {done} of {len(entry.todos)} done", *lines])


def _step(step: Step) -> str:
    subject = code_html(step.subject) if step.is_code else escape(step.subject)
    words = " ".join(filter(None, (step.mark, escape(step.verb), subject if step.subject else "", escape(step.lead))))
    parts = [_joined([words, *map(escape, step.meta)]), *map(_body, step.bodies)]
    return "\n".join([*parts, _entries(step.children, styles.INNER_LOG)] if step.children else parts)


def _body(body: Body) -> str:
    match body:
        case Output():
            pre = f'<pre style="{styles.PRE}">{escape(body.text)}</pre>'
            return _details(escape(body.label), pre, style=styles.BODY)
        case Diff():
            return _diff(body, is_open=False, style=styles.BODY)
        case Remark():
            code = f" {code_html(body.code)}" if body.code else ""
            words = f"{escape(body.text)}{code}{escape(body.rest)}"
            return f'<div style="{styles.BODY};{styles.SMALL}">{words}</div>'
        case Prose():
            return f'<div style="{styles.BODY}">{_prose(body)}</div>'


def _diff(diff: Diff, *, is_open: bool, style: str) -> str:
    lines = zip(diff.lines, line_kinds(diff.lines), strict=True)
    rows = "".join(
        f'<span style="{_LINE_STYLES[kind]}">{escape(line)}\n</span>' if kind in _LINE_STYLES else f"{escape(line)}\n"
        for line, kind in lines
    )
    pre = f'<pre style="{styles.DIFF}">{rows}{escape(diff.cut)}</pre>'
    counts = _joined([escape(diff.counts), escape(diff.remark)])
    return _details(f"{code_html(diff.path)} {counts}", pre, is_open=is_open, style=style)


def _prose(prose: Prose) -> str:
    if prose.speaker == "user":
        return f'<p style="{styles.USER}">You: {escape(printable(prose.text))}</p>'
    return prose_html(prose.text)


def _details(summary: str, body: str, *, style: str, is_open: bool = False) -> str:
    return f'<details{" open" if is_open else ""} style="{style}">\n<summary>{summary}</summary>\n{body}\n</details>'


def _joined(parts: list[str]) -> str:
    return " · ".join(part for part in parts if part)


def _worded(text: str) -> str:
    """Plain text with its line breaks, and with what stands between backticks, such as a command to type, as code."""
    parts = _QUOTED_CODE.split(text)
    worded = (code_html(part) if place % 2 else escape(part) for place, part in enumerate(parts))
    return "".join(worded).replace("\n", "<br>\n")
