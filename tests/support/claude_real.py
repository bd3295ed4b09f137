"""The real Claude Code in a workspace of its own, driven by a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.port import Person, RecordingPort, approves

from nbharness.adapters.base import TurnRequest
from nbharness.adapters.claude import ClaudeAdapter
from nbharness.adapters.claude.session import ClaudeSession
from nbharness.events import Event, Unknown
from nbharness.process.supervisor import descendants
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Step

__all__ = ["RealClaude", "bash", "call"]

OnEvent = Callable[[Event | Unknown], None]


def call(tool: str, **args: Any) -> Reply:
    return Reply(calls=[Call(tool=tool, args=args)])


def bash(command: str) -> Reply:
    return call("Bash", command=command, description="Do it")


class RealClaude:
    """A session of the real Claude Code, and the model that drives it.

    Args:
        workspace: Directory to work in, made here.
        model: Serves already.
    """

    def __init__(self, workspace: Path, model: FakeLLM) -> None:
        workspace.mkdir()
        self.workspace = workspace.resolve()
        self.model = model
        self.session: ClaudeSession
        self.left: list[int] = []
        """What Claude had started when it was aborted."""

    @property
    def pid(self) -> int:
        assert self.session._process is not None
        return self.session._process.pid

    @property
    def heard(self) -> str:
        """The model's last request."""
        return str(self.model.requests[-1].body["messages"])

    def file(self, name: str) -> Path:
        return self.workspace / name

    async def open(self, session_id: str = "", *, fork: bool = False) -> None:
        self.session = await ClaudeAdapter().open_session(self.workspace, session_id or None, fork=fork)

    async def turn(
        self,
        *steps: Step,
        task: str = "go",
        person: Person | None = approves,
        on_event: OnEvent = lambda _event: None,
        **more: Any,
    ) -> RecordingPort:
        """Run a turn in which the model says these steps."""
        script = f"step{len(self.model.scripts)}"
        self.model.scripts[script] = steps
        request = TurnRequest(
            turn_id="turn",
            task=f"{task} SCRIPT:{script}",
            workspace=self.workspace,
            **{"model": "claude-sonnet-4-5", **more},
        )
        port = RecordingPort(request, person=person, on_event=on_event)
        await self.session.run_turn(request, port)
        return port

    async def aborted(self, until: Callable[[Event | Unknown], bool], *steps: Step, **more: Any) -> None:
        """Run a turn and abort it at an event."""
        reached = asyncio.Event()

        def on_event(event: Event | Unknown) -> None:
            if until(event):
                reached.set()

        running = asyncio.create_task(self.turn(*steps, on_event=on_event, **more))  # noqa: TID251 (the test is its owner)
        async with asyncio.timeout(60):
            await reached.wait()
        self.left = descendants(self.pid)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
