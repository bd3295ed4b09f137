"""What the author of an adapter says about the agent, so that the checks know what to ask of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from nbharness.adapters.base import Adapter

__all__ = ["EDITED", "RAN", "WAITING", "WRITTEN", "AgentUnderTest", "Setup", "Task"]

WRITTEN, RAN, EDITED, WAITING = "written.txt", "ran.txt", "edited.txt", "waiting.pid"
"""Files that the tasks make in the workspace."""

Task: TypeAlias = Literal["say", "write", "run", "wait", "question", "plan", "todos", "flood", "malformed", "long_line"]
"""What the agent must be able to be made to do; each is a prompt of `AgentUnderTest.tasks`.

* ``say``: answer, using no tool.
* ``write``: make the file ``written.txt`` in the workspace, asking first if it can ask.
* ``run``: run a command that makes the file ``ran.txt``, asking first if it can ask.
* ``wait``: run a command that writes its process id to ``waiting.pid`` and then lives for a minute.
* ``question``: ask a question and wait for the answer.
* ``plan``: propose a plan (the turn is in plan mode).
* ``todos``: make a checklist.
* ``flood``: say a great deal, in many small pieces.
* ``malformed``: send lines that are no messages of its protocol, then answer.
* ``long_line``: send one line of 300 MB, then answer.
"""


class AgentUnderTest(msgspec.Struct, frozen=True, kw_only=True):
    """An agent, ready to be checked.

    Attributes:
        create: Returns a new adapter.
        workspace: Empty directory to work in.
        tasks: Prompts; what has none is not checked, and the report says so.
        said: What the agent answers to a task in the end, exactly, where the author knows.
        edit: Returns the arguments with which the command of ``run`` makes ``edited.txt`` instead.
        written: File that ``write`` makes, where it is another than ``written.txt``.
        turn: Further fields of each turn's :class:`~nbharness.spec.TurnSpec`.
        turns: Such fields for the turns of one task.
        patience_s: Seconds that one turn may take.
    """

    create: Callable[[], Adapter]
    workspace: Path
    tasks: Mapping[Task, str]
    said: Mapping[Task, str] = msgspec.field(default_factory=dict)
    edit: Callable[[Any], Any] | None = None
    written: str = WRITTEN
    turn: Mapping[str, Any] = msgspec.field(default_factory=dict)
    turns: Mapping[Task, Mapping[str, Any]] = msgspec.field(default_factory=dict)
    patience_s: float = 60.0


Setup: TypeAlias = Callable[[Path], AbstractContextManager[AgentUnderTest]]
"""Given an empty directory, returns an agent that is ready within the context, say with a fake model that serves it."""
