"""What opens below a step: its output, its diffs, its arguments."""

from __future__ import annotations

from typing import Any

import msgspec

from nbharness.events.repair import clean
from nbharness.state import ApprovalItem, ToolItem
from nbharness.transcript.decisions import delay_words, who_words
from nbharness.transcript.outline import Body, Output, Remark
from nbharness.transcript.patch import diff_of
from nbharness.transcript.screen import screen_text
from nbharness.transcript.texts import line_count, readable
from nbharness.transcript.trim import Cut
from nbharness.transcript.verbs import Described, describe
from nbharness.transcript.visible import one_line, visible
from nbharness.transcript.words import plural

__all__ = ["MAX_SUBJECT", "arguments_text", "bodies_of", "output_text"]

MAX_SUBJECT = 160
"""Characters of a subject that stand in a row; what is longer opens below it."""


def bodies_of(tool: ToolItem, described: Described, approval: ApprovalItem | None, cut: Cut | None) -> list[Body]:
    """Return everything that opens below a tool call, in the order to show it."""
    bodies: list[Body] = []
    subject = visible(described.subject)
    if "\n" in subject.strip() or len(subject) > MAX_SUBJECT:
        bodies.append(Output("Command" if described.kind == "command" else "In full", subject))
    if approval is not None:
        bodies += _decision(approval)
    if described.kind in {"write", "edit", "other"} and not tool.diffs:
        text = arguments_text(tool.args, described.used)
        bodies += [Output(f"Arguments, {plural(line_count(text), 'line')}", text)] if text else []
    bodies += map(diff_of, tool.diffs or (approval.diffs if approval is not None else []))
    text = output_text(tool)
    # Of a change that went well the diff says everything.
    if text.strip() and not (tool.diffs and tool.status == "ok"):
        bodies.append(Output(_label(text, cut), text))
    return bodies


def output_text(tool: ToolItem) -> str:
    """Return what a tool printed or returned, as it is read in the end."""
    raw = tool.stream if tool.output is None else tool.output
    return screen_text(raw if isinstance(raw, str) else readable(raw)).strip("\n")


def arguments_text(args: Any, without: str = "") -> str:
    """Return arguments one a line, texts of several lines as a block below their name.

    Args:
        args: Any JSON-like value.
        without: Name of an argument that is shown elsewhere.
    """
    if not isinstance(args, dict):
        return visible(readable(args))
    parts = []
    for name, value in args.items():
        if name == without or value is None:
            continue
        text = value if isinstance(value, str) else msgspec.json.encode(clean(value)).decode()
        block = "\n  " + text.strip("\n").replace("\n", "\n  ") if "\n" in text else f" {text}"
        parts.append(f"{name}:{block}")
    return visible("\n".join(parts))


def _label(text: str, cut: Cut | None) -> str:
    shown = line_count(text)
    if cut is None:
        return f"Output, {plural(shown, 'line')}"
    if cut.lines <= shown:  # one very long line
        return f"Output, {cut.end} part, {plural(cut.bytes, 'byte')} left out"
    return f"Output, {cut.end} {shown:,} of {plural(cut.lines, 'line')}"


def _decision(approval: ApprovalItem) -> list[Body]:
    remarks: list[Body] = [Remark(f"Careful: {one_line(warning, 400)}") for warning in approval.warnings]
    if approval.edited:
        asked = one_line(describe(approval.tool_name, approval.args, approval.tool_kind).subject, 400)
        who = " ".join(filter(None, (who_words(approval.by), delay_words(approval))))
        remarks.append(Remark("Asked for", asked, f"; edited and approved {who}".rstrip() + "."))
    return remarks
