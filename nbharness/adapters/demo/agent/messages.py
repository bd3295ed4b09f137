"""The demo agent's own language: what it says while it works, and what it is told.

A real agent writes such messages to a pipe as JSON, and its maker decides what they look like. Only `translate.py`
and `adapter.py` know them. Every message has a ``kind``.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import msgspec


class FileDelta(msgspec.Struct, frozen=True, kw_only=True):
    """A change to one file, made or intended; `diff` is a unified diff."""

    path: str
    diff: str
    added: int
    removed: int


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the checklist."""

    text: str
    state: Literal["open", "doing", "done"]


class _Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Base of the messages."""


class Hello(_Message, frozen=True, kw_only=True, tag="hello"):
    """First message: the session, by which the agent can be found again."""

    session: str


class Text(_Message, frozen=True, kw_only=True, tag="text"):
    """More of the answer; another `part` begins another message."""

    text: str
    part: str
    inside: str = ""


class Thought(_Message, frozen=True, kw_only=True, tag="thought"):
    """More of what the agent thinks."""

    text: str


class Checklist(_Message, frozen=True, kw_only=True, tag="checklist"):
    """The whole checklist, each time it changes."""

    items: list[Item]


class Call(_Message, frozen=True, kw_only=True, tag="call"):
    """A tool is about to be used; `inside` is the call of the sub-agent that uses it."""

    id: str
    tool: str
    input: Any
    inside: str = ""


class Progress(_Message, frozen=True, kw_only=True, tag="progress"):
    """More output of a tool that runs."""

    id: str
    text: str


class Result(_Message, frozen=True, kw_only=True, tag="result"):
    """A tool is done; without `text` its progress is the output. `ms` is how long it worked."""

    id: str
    ok: bool
    ms: int
    text: str | None = None
    exit: int | None = None
    files: list[FileDelta] = []


class Warn(_Message, frozen=True, kw_only=True, tag="warn"):
    """Something the user should know."""

    text: str


class Done(_Message, frozen=True, kw_only=True, tag="done"):
    """Last message of a turn: the final answer."""

    text: str


class Failed(_Message, frozen=True, kw_only=True, tag="failed"):
    """Last message of a turn that failed; `retry_s` says when to try again."""

    text: str
    code: str
    retry_s: float | None = None


Message: TypeAlias = Hello | Text | Thought | Checklist | Call | Progress | Result | Warn | Done | Failed
"""Everything the agent says."""


class MayI(msgspec.Struct, frozen=True, kw_only=True):
    """The agent asks before it uses a tool, and waits for the answer."""

    call: str
    tool: str
    input: Any
    changes: bool
    why: str = ""
    files: list[FileDelta] = []


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a question or a plan; `input` is what to use instead of what was asked for."""

    allowed: bool
    input: Any
    by: str = ""
    reason: str = ""


class Link(Protocol):
    """What connects the agent to whoever drives it."""

    def send(self, message: object) -> None:
        """Say something."""

    async def ask(self, question: MayI) -> Answer:
        """Ask, and wait for the answer."""

    async def propose(self, plan: str) -> Answer:
        """Put a plan forward, and wait for the answer; its `input` is the plan to follow."""

    def hear(self) -> str | None:
        """Return what the user said meanwhile, or ``None``."""


class CrashError(Exception):
    """The agent dies in the middle of its work.

    Attributes:
        exit_code: What its process would exit with.
        stderr: The last of what it wrote to standard error.
    """

    def __init__(self, exit_code: int, stderr: str) -> None:
        super().__init__(f"exit code {exit_code}")
        self.exit_code = exit_code
        self.stderr = stderr
