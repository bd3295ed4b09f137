"""The real Codex in a workspace of its own, driven by a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.port import Person, RecordingPort, approves

from nbharness.adapters.base import TurnRequest
from nbharness.adapters.codex import CodexAdapter
from nbharness.adapters.codex.session import CodexSession
from nbharness.events import Event, Unknown
from nbharness.process.supervisor import descendants
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Step

OnEvent = Callable[[Event | Unknown], None]


def call(tool: str, args: dict[str, Any] | str) -> Reply:
    return Reply(calls=[Call(tool=tool, args=args)])


def run(command: str, **more: Any) -> Reply:
    return call("exec_command", {"cmd": command, **more})


def patch(*lines: str) -> Reply:
    return call("apply_patch", "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]))


def plan(text: str) -> Reply:
    return Reply(text=f"<proposed_plan>\n{text}\n</proposed_plan>")


class RealCodex:
    """A session of the real Codex, and the model that drives it.

    Args:
        workspace: Directory to work in, made here.
        model: Serves already.
    """

    def __init__(self, workspace: Path, model: FakeLLM) -> None:
        workspace.mkdir()
        self.workspace = workspace
        self.model = model
        self.session: CodexSession
        self.left: list[int] = []
        """What Codex had started when it was aborted."""

    @property
    def pid(self) -> int:
        server = self.session._server
        assert server is not None
        return server._rpc._link._process.pid

    @property
    def heard(self) -> str:
        """The model's last request."""
        return str(self.model.requests[-1].body["input"])

    def file(self, name: str) -> Path:
        return self.workspace / name

    async def open(self, session_id: str = "", *, fork: bool = False) -> None:
        self.session = await CodexAdapter().open_session(self.workspace, session_id or None, fork=fork)

    async def turn(
        self,
        *steps: Step,
        task: str = "go",
        person: Person | None = approves,
        messages: tuple[str, ...] = (),
        on_event: OnEvent = lambda _event: None,
        **more: Any,
    ) -> RecordingPort:
        """Run a turn in which the model says these steps."""
        script = f"step{len(self.model.scripts)}"
        self.model.scripts[script] = steps
        request = TurnRequest(turn_id="turn", task=f"{task} SCRIPT:{script}", workspace=self.workspace, **more)
        port = RecordingPort(request, person=person, messages=messages, on_event=on_event)
        await self.session.run_turn(request, port)
        return port

    async def aborted(self, until: type[Event], *steps: Step, **more: Any) -> list[Event | Unknown]:
        """Run a turn and abort it at the first event of a kind; return what came until then."""
        seen: list[Event | Unknown] = []
        reached = asyncio.Event()

        def on_event(event: Event | Unknown) -> None:
            seen.append(event)
            if isinstance(event, until):
                reached.set()

        running = asyncio.create_task(self.turn(*steps, on_event=on_event, **more))  # noqa: TID251 (the test is its owner)
        async with asyncio.timeout(30):
            await reached.wait()
        self.left = descendants(self.pid)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return seen
