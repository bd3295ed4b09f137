"""What the demo agent can do: speak, think, keep a checklist, listen, and use a tool after asking."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbharness.adapters.demo.agent.files import ToolError
from nbharness.adapters.demo.agent.messages import (
    Answer,
    Call,
    Checklist,
    FileDelta,
    Item,
    Link,
    MayI,
    Progress,
    Result,
    Text,
    Thought,
)

__all__ = ["Outcome", "Stage"]

_WORDS = re.compile(r"\s*\S+\s*")
_BREATH_WORDS = 8

_OVERHEARD = """\
You added:

> {text}

I read it, but I am a script and go on with mine. A real agent would take it up from here."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the use of a tool ended.

    Attributes:
        ok: Whether it worked.
        text: What it found, or why it did not work.
        exit: Exit status of a command.
        files: Files that it changed.
        refused: The answer when it was not allowed to run.
    """

    ok: bool
    text: str | None = None
    exit: int | None = None
    files: tuple[FileDelta, ...] = ()
    refused: Answer | None = None


Work = Callable[[Any, Callable[[str], None]], Awaitable[Outcome]]
"""Does what a tool does, with the arguments that were allowed; the callable takes output as it comes."""


class Stage:
    """One turn of the agent, as its script sees it.

    Args:
        link: Whoever drives the agent.
        workspace: Directory to work in.
        delay_s: Seconds between two words; 0 for as fast as possible.
    """

    def __init__(self, link: Link, workspace: Path, delay_s: float) -> None:
        self.link = link
        self.workspace = workspace
        self.delay_s = delay_s
        self.answer = ""
        """The last message but asides."""
        self._items: list[str] = []
        self._at = 0
        self._parts = 0
        self.calls = 0
        """Tool calls so far; the last one is `t<calls>`."""

    async def say(self, text: str, *, pace: float = 1) -> None:
        """Speak a whole message word by word; the last one is the answer. A higher `pace` is slower."""
        self.answer = text
        await self.mention(text, pace=pace)

    async def mention(self, text: str, *, inside: str = "", pace: float = 1) -> None:
        """Speak a message that is no answer; `inside` is the call of the sub-agent that speaks."""
        self._parts += 1
        part = f"m{self._parts}"
        for word in _WORDS.findall(text):
            self.link.send(Text(text=word, part=part, inside=inside))
            await asyncio.sleep(self.delay_s * pace)

    async def think(self, text: str) -> None:
        """Think aloud, twice as fast as speaking."""
        for word in _WORDS.findall(text):
            self.link.send(Thought(text=word))
            await asyncio.sleep(self.delay_s / 2)

    def checklist(self, items: Sequence[str]) -> None:
        """Begin a checklist; its first line is being done."""
        self._items, self._at = list(items), 0
        self._show_checklist()

    async def step(self) -> None:
        """Tick the line that was being done and begin the next; answer what the user said meanwhile."""
        if self._at < len(self._items):
            self._at += 1
            self._show_checklist()
        await asyncio.sleep(self.delay_s * _BREATH_WORDS)
        await self.listen()

    async def listen(self) -> None:
        """Answer what the user said meanwhile."""
        while (text := self.link.hear()) is not None:
            await self.mention(_OVERHEARD.format(text=text.replace("\n", "\n> ")))

    async def use(
        self,
        tool: str,
        args: Any,
        work: Work,
        *,
        changes: bool,
        why: str = "",
        files: Sequence[FileDelta] = (),
        inside: str = "",
    ) -> Outcome:
        """Use a tool: announce it, ask, do what was allowed, report.

        Args:
            tool: Its name.
            args: What to do; another person may change it before allowing it.
            work: Does it.
            changes: Whether it may change something.
            why: What it is good for.
            files: What it is meant to change.
            inside: Call of the sub-agent that uses it.
        """
        self.calls += 1
        call = f"t{self.calls}"
        self.link.send(Call(id=call, tool=tool, input=args, inside=inside))
        answer = await self.link.ask(
            MayI(call=call, tool=tool, input=args, changes=changes, why=why, files=list(files))
        )
        began = time.monotonic()
        outcome = await self._work(work, answer, call)
        self.link.send(
            Result(
                id=call,
                ok=outcome.ok,
                ms=round(1000 * (time.monotonic() - began)),
                text=outcome.text,
                exit=outcome.exit,
                files=list(outcome.files),
            )
        )
        return outcome

    async def _work(self, work: Work, answer: Answer, call: str) -> Outcome:
        if not answer.allowed:
            reason = f": {answer.reason}" if answer.reason else ""
            return Outcome(ok=False, text=f"Not allowed{reason}", refused=answer)
        try:
            return await work(answer.input, lambda text: self.link.send(Progress(id=call, text=text)))
        except ToolError as error:
            return Outcome(ok=False, text=str(error))

    def _show_checklist(self) -> None:
        self.link.send(
            Checklist(
                items=[
                    Item(text=text, state="done" if place < self._at else "doing" if place == self._at else "open")
                    for place, text in enumerate(self._items)
                ]
            )
        )
