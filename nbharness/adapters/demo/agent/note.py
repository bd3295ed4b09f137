"""The other story, for any workspace: leave a note, and touch nothing else."""

from __future__ import annotations

from pathlib import Path

from nbharness.adapters.demo.agent import texts
from nbharness.adapters.demo.agent.change import Job, carry_out, look_around
from nbharness.adapters.demo.agent.files import ToolError, read_text
from nbharness.adapters.demo.agent.patch import FileChange
from nbharness.adapters.demo.agent.stage import Stage
from nbharness.adapters.demo.agent.tools import shell

__all__ = ["leave_note"]

_NOTES = "NOTES.md"
_MAX_CHARS = 80


async def leave_note(stage: Stage, task: str, *, plan_mode: bool) -> str:
    """Add one line about the task to ``NOTES.md``.

    Returns:
        What was done, as a clause for the session's memory.
    """
    await stage.think(texts.NOTE_THOUGHT)
    await stage.say(texts.NOTE_BEGIN)
    stage.checklist(["Look around", "Leave a note", "Read it back"])
    await look_around(stage)
    await stage.step()
    line = _line(task)
    try:
        changes = [_with_line(stage.workspace, line)]
    except ToolError as error:
        await stage.say(texts.NOT_APPLIED.format(problem=error))
        return "I could not leave a note"
    job = Job(changes, "Leave a note about the task", "Add one line", "Show the end of it")
    applied = await carry_out(stage, job, plan_mode=plan_mode)
    if applied is None:
        return "I wanted to leave a note, and nothing was changed"
    await stage.step()
    if applied.check:
        await shell(stage, f"tail -n 5 {_NOTES}", changes=False)
        await stage.step()
    await stage.say(texts.NOTE_DONE.format(folder=stage.workspace.name))
    return f"I left a note in `{_NOTES}`"


def _line(task: str) -> str:
    words = " ".join("".join(char if char.isprintable() else " " for char in task).split())
    return f"- Asked: {words if len(words) <= _MAX_CHARS else words[:_MAX_CHARS] + '…'}"


def _with_line(workspace: Path, line: str) -> FileChange:
    before = read_text(workspace, _NOTES)
    end = "\r\n" if before and "\r\n" in before else "\n"
    gap = end if before and not before.endswith("\n") else ""
    return FileChange(_NOTES, before, f"{before or ''}{gap}{line}{end}")
