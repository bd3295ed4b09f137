"""The demo agent: a program of its own, in the same process. It answers no question and needs no key."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nbharness.adapters.demo.agent import scenarios, texts
from nbharness.adapters.demo.agent.fix import find_faults, fix
from nbharness.adapters.demo.agent.memory import Memory
from nbharness.adapters.demo.agent.messages import Done, Failed, Hello, Link, Warn
from nbharness.adapters.demo.agent.note import leave_note
from nbharness.adapters.demo.agent.stage import Stage

__all__ = ["work_on"]


async def work_on(
    task: str, *, link: Link, workspace: Path, memory: Memory, delay_s: float, plan_mode: bool = False
) -> None:
    """Work on one task; what happens goes through the link.

    Args:
        task: What the user asked.
        link: Whoever drives the agent.
        workspace: Directory to work in.
        memory: The session.
        delay_s: Seconds between two words.
        plan_mode: Put a plan forward before changing anything.

    Raises:
        CrashError: The agent died, as one scenario wants it.
    """
    stage = Stage(link, workspace, delay_s)
    link.send(Hello(session=memory.session_id))
    if scenarios.is_scenario(task):
        await _play(stage, task, memory)
        return
    try:
        deed = await _tell(stage, task, memory, plan_mode=plan_mode)
    except asyncio.CancelledError:
        _remember(memory, "I was stopped before I had finished", link)
        raise
    _remember(memory, deed, link)
    await stage.listen()
    link.send(Done(text=stage.answer))


async def _tell(stage: Stage, task: str, memory: Memory, *, plan_mode: bool) -> str:
    if memory.deeds:
        await stage.say(texts.AGAIN.format(deed=memory.deeds[-1]))
    faults = find_faults(stage.workspace)
    if faults:
        return await fix(stage, faults, plan_mode=plan_mode)
    return await leave_note(stage, task, plan_mode=plan_mode)


async def _play(stage: Stage, task: str, memory: Memory) -> None:
    found = scenarios.find(task)
    if found is None:
        named = task.strip().partition(":")[2].strip().partition("\n")[0]
        valid = ", ".join(scenarios.SCENARIOS)
        stage.link.send(Failed(text=f"unknown scenario: {named!r}. Valid: {valid}", code="sdk_error"))
        return
    scenario, count = found
    # First, since a scenario may end in a crash: the session was announced, so it can be taken up again.
    _remember(memory, f"I played {task.strip()}", stage.link)
    failed = await scenario.play(stage, count)
    stage.link.send(failed or Done(text=stage.answer))


def _remember(memory: Memory, deed: str, link: Link) -> None:
    try:
        memory.add(deed)
    except OSError as error:
        link.send(Warn(text=f"This session cannot be taken up again after a restart: {error}"))
