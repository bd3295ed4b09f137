"""What every change of the demo agent goes through: look around, agree on a plan if need be, ask, apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nbharness.adapters.demo.agent import texts
from nbharness.adapters.demo.agent.messages import FileDelta
from nbharness.adapters.demo.agent.patch import FileChange
from nbharness.adapters.demo.agent.plan import follow, proposal
from nbharness.adapters.demo.agent.stage import Stage
from nbharness.adapters.demo.agent.tools import apply_patch, read, shell

__all__ = ["Applied", "Job", "carry_out", "listed", "look_around"]

_LIST_FILES = "ls -1p | head -n 40"
_READMES = ("README.md", "README.rst", "README.txt", "README")


@dataclass(frozen=True, slots=True)
class Job:
    """A change that the agent wants to make.

    Attributes:
        changes: The files, before and after.
        why: What it is good for, for the approval.
        how: What is done to each file, for the plan.
        check: How the result is checked, for the plan.
    """

    changes: list[FileChange]
    why: str
    how: str
    check: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What really was changed, and whether the user wants it checked."""

    files: tuple[FileDelta, ...]
    check: bool


async def look_around(stage: Stage) -> None:
    """List the workspace and read its README, if there is one."""
    await shell(stage, _LIST_FILES, changes=False)
    for name in _READMES:
        if (stage.workspace / name).is_file():
            await read(stage, name)
            return


async def carry_out(stage: Stage, job: Job, *, plan_mode: bool) -> Applied | None:
    """Make a change after asking; say so when it comes to nothing and return ``None``."""
    changes, check = job.changes, True
    if plan_mode:
        answer = await stage.link.propose(proposal(job.changes, job.how, job.check))
        if not answer.allowed:
            await stage.say(texts.refusal(answer, "the plan"))
            return None
        steps = follow(answer.input, job.changes)
        changes, check = steps.changes, steps.check
        if steps.unknown:
            await stage.say(texts.PLAN_UNKNOWN.format(lines=texts.listed(steps.unknown)))
        if not changes:
            await stage.say(texts.PLAN_EMPTY)
            return None
    patch = await apply_patch(stage, changes, job.why)
    if patch.refused is not None:
        await stage.say(texts.refusal(patch.refused, "the patch"))
    elif not patch.ok:
        await stage.say(texts.NOT_APPLIED.format(problem=patch.text))
    return Applied(patch.files, check) if patch.ok else None


def listed(files: Sequence[FileDelta]) -> str:
    """Return changed files as a Markdown list."""
    return texts.listed(f"`{file.path}` +{file.added} -{file.removed}" for file in files)
