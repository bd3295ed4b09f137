"""What waits for an answer, as lines for a terminal. Nothing hides: every character of it is shown."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from nbharness.events import ApprovalRequired, FileDiff, PlanProposed
from nbharness.events.repair import clean
from nbharness.transcript.ink import Ink
from nbharness.transcript.patch import line_kinds
from nbharness.transcript.visible import visible

__all__ = ["argument_lines", "block_lines", "card_lines"]

_INDENT = "  "
_GUTTER = f"{_INDENT}│ "
_LOOKS_LIKE_JSON = re.compile(r"true|false|null|-?\d[\d.eE+-]*|[\[{\"].*|")


def card_lines(question: ApprovalRequired | PlanProposed, ink: Ink) -> list[str]:
    """Return the whole question: what is asked, the exact arguments, what would change, and what to beware of."""
    if isinstance(question, PlanProposed):
        return [ink.asks("The agent proposes a plan:"), *block_lines(question.plan)]
    lines = [ink.asks(f"The agent wants to use {visible(question.tool_name)}:")]
    lines += argument_lines(question.args, ink)
    for diff in question.diffs if isinstance(question.diffs, list) else ():
        if not _is_in_arguments(diff, question.args):
            lines += _diff_lines(diff, ink)
    if question.message:
        lines += [ink.muted(f"{_INDENT}it says: {line}") for line in visible(question.message).splitlines()]
    for warning in question.warnings if isinstance(question.warnings, list) else ():
        lines.append(ink.asks(f"{_INDENT}! {visible(warning)}"))
    return lines


def argument_lines(args: Any, ink: Ink) -> list[str]:
    """Return arguments, one a line, text of several lines as a block; what could be taken for JSON in quotes."""
    if not isinstance(args, dict) or not args:
        return block_lines(_in_words(args)) if args else [f"{_INDENT}(no arguments)"]
    width = max(len(visible(str(name))) for name in args)
    lines = []
    for name, value in args.items():
        shown = _in_words(value)
        if "\n" in shown:
            is_diff = shown.startswith("--- ") and "\n@@ " in shown
            block = _coloured(shown, ink) if is_diff else block_lines(shown)
            lines += [f"{_INDENT}{visible(str(name))}:", *block]
        else:
            lines.append(f"{_INDENT}{visible(str(name)).ljust(width)}  {visible(shown)}")
    return lines


def _diff_lines(diff: FileDiff, ink: Ink) -> list[str]:
    lines = [ink.strong(f"{_INDENT}{visible(diff.path)} +{diff.added} -{diff.removed}")]
    lines += _coloured(diff.patch.removesuffix("\n"), ink)
    if isinstance(diff.truncated, int):
        lines.append(ink.asks(f"{_INDENT}… {diff.truncated} bytes of this diff are left out"))
    return lines


def _is_in_arguments(diff: FileDiff, args: Any) -> bool:
    """Tell whether the whole diff is an argument, or a part of one, and so on view already."""
    values = args.values() if isinstance(args, dict) else ()
    return any(isinstance(value, str) and diff.patch.strip("\n") in value for value in values)


def block_lines(text: str) -> list[str]:
    """Return text line by line behind a gutter, everything in it visible."""
    return [f"{_GUTTER}{line}" for line in visible(text).split("\n")]


def _coloured(patch: str, ink: Ink) -> list[str]:
    """Return a unified diff as a block, coloured."""
    lines = visible(patch).split("\n")
    return [_GUTTER + ink.of(kind)(line) for line, kind in zip(lines, line_kinds(lines), strict=True)]


def _in_words(value: Any) -> str:
    if isinstance(value, str) and ("\n" in value or not _LOOKS_LIKE_JSON.fullmatch(value)):
        return value
    return msgspec.json.encode(clean(value)).decode()
