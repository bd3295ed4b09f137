"""Named scenarios: a task that begins with ``scenario:`` shows one thing that agents do, good or bad.

``scenario: many tools`` runs it, ``scenario: many tools 7`` says how many, ``scenario: help`` lists them all.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from nbharness.adapters.demo.agent.messages import CrashError, Failed
from nbharness.adapters.demo.agent.stage import Outcome, Stage
from nbharness.adapters.demo.agent.tools import PYTHON, read, shell

__all__ = ["SCENARIOS", "Scenario", "find", "is_scenario"]

_TASK = re.compile(r"scenario:\s*(?P<name>[a-z -]*[a-z])?\s*(?P<count>\d{1,6})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario.

    Attributes:
        about: What it shows, for the list.
        play: Plays it; the number is how many. Returns the end of the turn when it fails.
        count: How many when the task does not say.
    """

    about: str
    play: Callable[[Stage, int], Awaitable[Failed | None]]
    count: int = 1


def is_scenario(task: str) -> bool:
    """Tell whether a task asks for a scenario."""
    return task.lstrip().lower().startswith("scenario:")


def find(task: str) -> tuple[Scenario, int] | None:
    """Return the scenario that a task names, and how many; ``None`` when there is none by that name."""
    match = _TASK.match(task.strip())
    scenario = SCENARIOS.get((match["name"] or "help").lower()) if match else None
    if match is None or scenario is None:
        return None
    return scenario, int(match["count"] or scenario.count)


async def _help(stage: Stage, _count: int) -> None:
    lines = [f"| `scenario: {name}` | {scenario.about} |" for name, scenario in SCENARIOS.items()]
    head = ["| task | shows |", "| :--- | :--- |"]
    await stage.say("\n".join(["### Scenarios of the demo agent", "", *head, *lines]))


async def _failure(stage: Stage, _count: int) -> Failed:
    await stage.say("I'll read the settings first.")
    await shell(stage, "cat settings.that-do-not-exist.toml", changes=False)
    await stage.say("Without them I can't go on.")
    return Failed(text="the settings are missing, as this scenario wants it", code="sdk_error")


async def _rate_limited(stage: Stage, count: int) -> Failed:
    await stage.say("One moment, I am asking the model.")
    message = f"the provider takes no requests for the next {count} s, as this scenario wants it"
    return Failed(text=message, code="rate_limited", retry_s=count)


async def _crash(stage: Stage, count: int) -> None:
    async def work(_args: object, show: Callable[[str], None]) -> Outcome:
        show("compiling 3 of 17\n")
        await asyncio.sleep(stage.delay_s)
        raise CrashError(count, "Segmentation fault, as this scenario wants it")

    await stage.say("This will take a moment.")
    await stage.use("build", {"target": "all"}, work, changes=False)


async def _long_output(stage: Stage, count: int) -> None:
    await stage.say(f"Here come {count} lines.")
    program = f'for n in range(1, {count} + 1): print("\\033[36mline", n, "\\033[0m" + "=" * (n % 60))'
    await shell(stage, f"{PYTHON} -c '{program}'", changes=False)
    await stage.say("That was all of it.")


async def _many_tools(stage: Stage, count: int) -> None:
    async def work(_args: object, _show: Callable[[str], None]) -> Outcome:
        inside = f"t{stage.calls}"
        await stage.mention("I look at the folder for you.", inside=inside)
        listing = await shell(stage, "ls -1p | head -n 40", changes=False, inside=inside)
        await read(stage, "README.md", inside=inside)
        return Outcome(ok=listing.ok, text="The folder is there.")

    await stage.say(f"First a sub-agent, then {count} steps of my own.")
    await stage.use("task", {"description": "Look at the folder"}, work, changes=False)
    for number in range(1, count + 1):
        await shell(stage, f"echo step {number} of {count}", changes=False)
        await stage.listen()
    await stage.say(f"All {count} steps are done.")


async def _many_approvals(stage: Stage, count: int) -> None:
    await stage.say(f"I'd like to do {count} things at once. Approve some, reject some, or all of them together.")
    asked = [
        shell(stage, f"echo number {number} ran", changes=True, why=f"Number {number} of {count}; it only prints")
        for number in range(1, count + 1)
    ]
    outcomes = await asyncio.gather(*asked)
    ran = sum(outcome.ok for outcome in outcomes)
    await stage.say(f"{ran} of {count} ran, {count - ran} did not.")


async def _slow_stream(stage: Stage, count: int) -> None:
    for number in range(1, count + 1):
        await stage.say(f"Paragraph {number} of {count}. {_SLOW_TEXT}", pace=8)
        await stage.listen()


async def _malformed_event(stage: Stage, _count: int) -> None:
    await stage.say("Next I say three things that nobody understands.")
    stage.link.send({"kind": "session.compacted", "tokens_before": 181_000, "tokens_after": 24_000})
    stage.link.send({"kind": "text", "text": None})
    stage.link.send("Segmentation fault (not JSON at all)")
    await stage.say("And the turn goes on all the same.")


_SLOW_TEXT = """\
A long answer that comes slowly leaves time to scroll, to switch tabs, to reload the page, to run another cell, or to \
press Stop in the middle of a sentence."""

SCENARIOS = {
    "help": Scenario("this list", _help),
    "failure": Scenario("a tool that fails, and a turn that fails", _failure),
    "rate limited": Scenario("a provider that asks to wait; a number says how many seconds", _rate_limited, 30),
    "crash": Scenario("an agent that dies while a tool runs", _crash),
    "long output": Scenario("a command with many lines; a number says how many", _long_output, 5000),
    "many tools": Scenario("a sub-agent and many tool calls; a number says how many", _many_tools, 40),
    "many approvals": Scenario("approvals that wait together; a number says how many", _many_approvals, 3),
    "slow stream": Scenario("text that comes slowly; a number says how many paragraphs", _slow_stream, 3),
    "malformed event": Scenario("messages that cannot be read, in a turn that goes on", _malformed_event),
}
"""Every scenario by its name."""
