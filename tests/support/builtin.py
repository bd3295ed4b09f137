"""The built-in agent with a fake model, over real HTTP, in each of the wire forms."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from support.port import Person, RecordingPort, approves, run_turn

from nbharness.adapters.base import AgentSession
from nbharness.adapters.builtin import BuiltinAdapter
from nbharness.adapters.builtin.faults import Patience
from nbharness.approvals import ApprovalMode
from nbharness.events import Event, Unknown
from nbharness.testing.fakellm import Call, Fail, FakeLLM, Reply, Request, Script, Step

WIRES = {
    "anthropic": "anthropic:claude-sonnet-5-5",
    "responses": "openai:gpt-6.1-terra",
    "chat": "openai-chat:my-model",
}
"""A model for each wire form of the extra ``agent``."""

MODELS = {**WIRES, "gemini": "google:gemini-3.8-flash"}
"""A model for each wire form, that of ``agent-google`` too."""

DONE = Reply(text="All done.")
TOO_LONG = {
    "anthropic": Fail(status=400, kind="invalid_request_error", message="prompt is too long: 213 tokens > 200 maximum"),
    "responses": Fail(status=400, kind="context_length_exceeded", message="too long"),
    "chat": Fail(status=400, kind="context_length_exceeded", message="too long"),
    "gemini": Fail(
        status=400,
        kind="INVALID_ARGUMENT",
        message="The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
}
"""How each provider says that a conversation does not fit."""

QUICK = Patience(retries=2, first_s=0.01)
_KEY = "sk-not-a-key-of-anybody-0123456789"


def call(tool: str, **args: Any) -> Reply:
    """An answer that is one tool call."""
    return Reply(calls=[Call(tool=tool, args=args)])


def bash(command: str) -> Reply:
    return call("bash", command=command)


def write(path: str, content: str = "written\n") -> Reply:
    return call("write", path=path, content=content)


def environment(url: str, home: Path) -> dict[str, str]:
    """Variables with which every model is the fake one."""
    return {
        "NBHARNESS_HOME": str(home),
        "ANTHROPIC_API_KEY": _KEY,
        "ANTHROPIC_BASE_URL": url,
        "OPENAI_API_KEY": _KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "GOOGLE_API_KEY": _KEY,
        "GOOGLE_GEMINI_BASE_URL": url,
    }


class Builtin:
    """The agent, ready to run turns in one workspace."""

    def __init__(self, model: FakeLLM, workspace: Path, name: str) -> None:
        self.model = model
        self.workspace = workspace
        self.adapter = BuiltinAdapter(QUICK)
        self.session: AgentSession | None = None
        self.name = name
        self._turns = 0

    @property
    def requests(self) -> list[Request]:
        return self.model.requests

    def file(self, name: str) -> Path:
        return self.workspace / name

    def script(self, *steps: Step) -> None:
        """Replace what the model says in the turn that runs."""
        self.model.scripts[self._script] = steps

    async def turn(
        self,
        *steps: Step,
        person: Person | None = approves,
        messages: Iterable[str] = (),
        on_event: Callable[[Event | Unknown], None] = lambda _event: None,
        approval_mode: ApprovalMode = "require",
        plan_mode: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> RecordingPort:
        """Run a turn in which the model says these things."""
        self._turns += 1
        self.script(*steps)
        await self.open()
        with mock.patch.dict(os.environ, {"NBHARNESS_MODEL": self.name}):
            return await run_turn(
                self.adapter,
                self.workspace,
                f"Work. SCRIPT:{self._script}",
                session=self.session,
                person=person,
                messages=messages,
                on_event=on_event,
                approval_mode=approval_mode,
                plan_mode=plan_mode,
                options=options,
            )

    async def open(self, session_id: str | None = None, *, fork: bool = False) -> None:
        """Open a session, unless one is open or another is named."""
        if self.session is None or session_id is not None:
            await self.close()
            self.session = await self.adapter.open_session(self.workspace, session_id, fork=fork)

    async def close(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            await session.close()

    @property
    def _script(self) -> str:
        return f"turn-{self._turns}"


@contextlib.contextmanager
def builtin(place: Path, wire: str) -> Iterator[Builtin]:
    """The agent within the context; `place` is an empty directory."""
    workspace = place / "workspace"
    workspace.mkdir()
    scripts: dict[str, Script] = {}
    with FakeLLM(scripts) as model, mock.patch.dict(os.environ, environment(model.url, place / "home")):
        yield Builtin(model, workspace, MODELS[wire])
