"""What a turn changed in its workspace, as sections of its document."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import replace

from nbharness.state import ChangesItem, Item, ToolItem
from nbharness.transcript.outline import Note, Section, Title
from nbharness.transcript.patch import diff_of
from nbharness.transcript.stale import reload_command
from nbharness.transcript.verbs import describe
from nbharness.transcript.visible import one_line
from nbharness.transcript.words import changes, plural

__all__ = ["change_notes", "change_sections", "change_title"]

NOT_ASKED = "not asked"
_NAMED = 20  # names of a list that stand in a row
_WRITES = frozenset({"write", "edit", "delete", "move"})


def change_sections(item: ChangesItem, whole: list[Item], workspace: str) -> list[Section]:
    """Return the title, a diff a file and what no diff shows; nothing when nothing is different.

    Args:
        item: What is different, perhaps trimmed.
        whole: All items of the turn; a file that none of its tool calls names is marked.
        workspace: Where relative paths begin.
    """
    notes = change_notes(item)
    if not item.files and not item.diffs and not notes:
        return []
    reported = _reported(whole, workspace)
    diffs = [
        replace(diff_of(diff), remark="" if _place(diff.path, workspace) in reported else NOT_ASKED)
        for diff in item.diffs
    ]
    hidden = item.files - len(item.diffs)
    more = [Note("Note", f"{plural(hidden, 'file')} more, not shown.")] if hidden > 0 else []
    return [change_title(item), *diffs, *more, *notes]


def change_title(item: ChangesItem) -> Title:
    """Return the line that sums up what is different."""
    return Title("Changed in the workspace", f"{plural(item.files, 'file')} {changes(item.added, item.removed)}")


def change_notes(item: ChangesItem) -> list[Note]:
    """Return what no diff shows, by name, and which imported modules are out of date."""
    notes = []
    if item.ignored:
        notes.append(Note("New, but ignored by git and so not shown", _row(item.ignored)))
    if item.nested:
        notes.append(Note("Repositories inside, not looked into", _row(item.nested)))
    if item.stale_modules:
        command = reload_command(item.stale_modules[:_NAMED])
        how = f"; `{command}` loads the new one" if command else ""
        notes.append(Note("Careful", f"the kernel still runs the old code of {_row(item.stale_modules)}{how}."))
    return notes


def _row(names: list[str]) -> str:
    shown = ", ".join(one_line(name).replace("`", "'") for name in names[:_NAMED])
    hidden = len(names) - _NAMED
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown


def _reported(items: Iterable[Item], workspace: str) -> set[str]:
    """Return the files that tool calls say they changed, by their diffs or, where there is none, by their arguments."""
    paths: set[str] = set()
    for item in items:
        if not isinstance(item, ToolItem):
            continue
        paths.update(diff.path for diff in item.diffs)
        described = describe(item.name, item.args, item.tool_kind, item.title)
        if described.kind in _WRITES and described.is_code:
            paths.update(described.subject.split(", "))
    return {_place(path, workspace) for path in paths}


def _place(path: str, workspace: str) -> str:
    """Return a path relative to the workspace, whichever way it was named."""
    root = _rooted(workspace or "/")
    return posixpath.relpath(posixpath.join(root, _rooted(path.replace("\\", "/"))), root)


def _rooted(path: str) -> str:
    # A home directory that was masked is a root like any other.
    return f"/{path}" if path.startswith("~/") else path
