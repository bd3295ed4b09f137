"""The Claude adapter with the fake Claude Code of ``fakes/claude_code.py``.

A report: ``PYTHONPATH=tests python -m nbharness.testing.conformance --agent support.fake_claude:fake``.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

from support.port import Person, RecordingPort, approves
from support.processes import FAKES

from nbharness.adapters.base import TurnRequest
from nbharness.adapters.claude import ClaudeAdapter
from nbharness.adapters.claude.session import ClaudeSession
from nbharness.events import Event, Unknown
from nbharness.testing.conformance import EDITED, RAN, AgentUnderTest
from nbharness.testing.conformance.builtin import environment, workspace_in

__all__ = ["Talk", "fake", "opened", "program"]

PIECES = 20_000
LONG_LINE = 300 * 2**20


class Talk:
    """One session and its turns.

    Args:
        session: The session.
        workspace: Where it works.
    """

    def __init__(self, session: ClaudeSession, workspace: Path) -> None:
        self.session = session
        self.workspace = workspace

    def port(
        self,
        task: str,
        *,
        person: Person | None = approves,
        on_event: Callable[[Event | Unknown], None] = lambda _event: None,
        **more: Any,
    ) -> tuple[TurnRequest, RecordingPort]:
        """A turn that has not begun."""
        request = TurnRequest(turn_id="turn", task=task, workspace=self.workspace, **more)
        return request, RecordingPort(request, person=person, on_event=on_event)

    async def run(self, task: str, **more: Any) -> RecordingPort:
        """Run a turn and return what passed."""
        request, port = self.port(task, **more)
        await self.session.run_turn(request, port)
        return port

    @property
    def pid(self) -> int:
        """Claude's process id."""
        assert self.session._process is not None
        return self.session._process.pid


def program(folder: Path, *options: str) -> Path:
    """Write a program below `folder` that is the fake one with these options, and return its path."""
    made = folder / "claude"
    argv = [sys.executable, "-I", "-S", str(FAKES / "claude_code.py"), *options]
    made.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n')
    made.chmod(0o700)
    return made


@contextlib.asynccontextmanager
async def opened(folder: Path, *options: str, session_id: str | None = None, fork: bool = False) -> AsyncIterator[Talk]:
    """A session with the fake one; closed in the end."""
    workspace = folder / "workspace"
    workspace.mkdir()
    session = await ClaudeAdapter(program(folder, *options)).open_session(workspace, session_id, fork=fork)
    try:
        yield Talk(session, workspace)
    finally:
        await session.close()


@contextlib.contextmanager
def fake(folder: Path) -> Iterator[AgentUnderTest]:
    """The fake one, made ready for the conformance checks."""
    made = program(folder)
    with environment(folder):
        yield AgentUnderTest(
            create=lambda: ClaudeAdapter(made),
            workspace=workspace_in(folder),
            tasks={
                "say": "say hello",
                "write": "write",
                "run": "do run",
                "wait": "do wait",
                "question": "question",
                "plan": "plan",
                "todos": "todos",
                "flood": f"flood {PIECES}",
                "malformed": "malformed",
                "long_line": f"long {LONG_LINE}",
            },
            said={"say": "hello", "malformed": "still here", "flood": "".join(f"{one} " for one in range(PIECES))},
            edit=lambda args: {**args, "command": args["command"].replace(RAN, EDITED)},
        )
