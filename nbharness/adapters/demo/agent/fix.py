"""The main story: find the sample project's fault, fix it, prove it."""

from __future__ import annotations

from pathlib import Path

from nbharness.adapters.demo.agent import texts
from nbharness.adapters.demo.agent.change import Job, carry_out, listed, look_around
from nbharness.adapters.demo.agent.files import ToolError, read_text
from nbharness.adapters.demo.agent.patch import FileChange
from nbharness.adapters.demo.agent.stage import Outcome, Stage
from nbharness.adapters.demo.agent.tools import PYTHON, shell
from nbharness.sample import fixed, is_ours

__all__ = ["find_faults", "fix"]

_RUN_TESTS = f"{PYTHON} run_tests.py"
_FOUND = {"shop/cart.py": "where the test fails", "shop/refund.py": "the same fault, which no test has found yet"}


def find_faults(workspace: Path) -> list[FileChange]:
    """Return the changes that fix the sample project; none when the workspace is something else."""
    changes = []
    for name in _FOUND:
        try:
            before = read_text(workspace, name)
        except ToolError:
            continue
        if before is not None and (after := fixed(name, before)) != before:
            changes.append(FileChange(name, before, after))
    # Without the first there is no failing test, and another story to tell.
    return changes if changes and changes[0].path == "shop/cart.py" else []


async def fix(stage: Stage, changes: list[FileChange], *, plan_mode: bool) -> str:
    """Fix what :func:`find_faults` found.

    Returns:
        What was done, as a clause for the session's memory.
    """
    await stage.think(texts.FIX_THOUGHT)
    await stage.say(texts.FIX_BEGIN)
    stage.checklist(["Look around", "See the test fail", "Round half up", "Run the tests again"])
    await look_around(stage)
    await stage.step()
    await _run_tests(stage, "See the failing test")
    await stage.think(texts.FIX_CAUSE_THOUGHT)
    files = texts.listed(f"`{change.path}`: {_FOUND[change.path]}" for change in changes)
    await stage.say(texts.FIX_CAUSE.format(files=files))
    await stage.step()
    job = Job(changes, "Round half a cent up", "Round half up", f"Run the tests with `{_RUN_TESTS}`")
    applied = await carry_out(stage, job, plan_mode=plan_mode)
    if applied is None:
        return "I wanted to round half a cent up, and nothing was changed"
    await stage.step()
    tests = await _run_tests(stage, "See whether the tests pass now") if applied.check else None
    if tests is not None and tests.ok:
        await stage.step()
    await stage.say(_verdict(tests).format(files=listed(applied.files)))
    return f"I changed {' and '.join(f'`{file.path}`' for file in applied.files)} to round half a cent up"


async def _run_tests(stage: Stage, why: str) -> Outcome:
    # Tests can do anything. Only those that we wrote ourselves certainly change nothing.
    return await shell(stage, _RUN_TESTS, changes=not is_ours(stage.workspace), why=why)


def _verdict(tests: Outcome | None) -> str:
    if tests is None or tests.refused is not None:
        return texts.FIX_UNCHECKED
    return texts.FIX_DONE if tests.ok else texts.FIX_STILL_RED
