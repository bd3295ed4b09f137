"""Drives the demo agent: opens its sessions, hands on what it says, and answers what it asks."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from nbharness import config
from nbharness.adapters.base import AgentStatus, Capabilities, TurnPort, TurnRequest
from nbharness.adapters.demo.agent.memory import Memory
from nbharness.adapters.demo.agent.messages import Answer, CrashError, MayI
from nbharness.adapters.demo.agent.program import work_on
from nbharness.adapters.demo.translate import Translator, file_diff
from nbharness.approvals import ApprovalRequest
from nbharness.errors import AdapterError, AdapterProcessError, ConfigError

__all__ = ["DemoAdapter", "DemoSession", "create"]

_DELAY_VARIABLE = "NBHARNESS_DEMO_DELAY_MS"
_DELAY_MS = 30.0
_MAX_DELAY_MS = 10_000.0


def create() -> DemoAdapter:
    """Return the adapter, at the pace of ``NBHARNESS_DEMO_DELAY_MS`` or else of a quick speaker.

    Raises:
        ConfigError: The variable is no usable number.
    """
    return DemoAdapter(_checked_ms(os.environ.get(_DELAY_VARIABLE) or _DELAY_MS, _DELAY_VARIABLE))


class DemoAdapter:
    """A scripted agent that needs no key and does real work in the workspace.

    Args:
        delay_ms: Milliseconds between two words; 0 for as fast as possible.
    """

    name = "demo"
    capabilities = Capabilities(
        approvals=True,
        edited_args=True,
        plan=True,
        todos=True,
        resume=True,
        steer=True,
        terminal_output=True,
        options=frozenset({"delay_ms"}),
    )
    unasked = ("It reads files and runs the project's tests where its script says so without asking.",)

    def __init__(self, delay_ms: float = _DELAY_MS) -> None:
        self._delay_ms = delay_ms

    def status(self) -> AgentStatus:
        """Return that it is there: it is part of nbharness."""
        return AgentStatus(installed=True)

    async def open_session(
        self,
        workspace: Path,  # noqa: ARG002 (each turn names it)
        session_id: str | None = None,
        *,
        fork: bool = False,  # noqa: ARG002 (it cannot)
    ) -> DemoSession:
        """Open a session, or take one up again.

        Raises:
            AdapterError: There is no such session.
        """
        folder = config.home() / "demo-sessions"
        try:
            memory = Memory.new(folder) if session_id is None else Memory.load(folder, session_id)
        except LookupError as error:
            message = f"the demo agent has no session {session_id!r} in {folder}; start a new conversation"
            raise AdapterError(message) from error
        return DemoSession(memory, self._delay_ms)


class DemoSession:
    """One session of the demo agent. It holds no process between turns.

    Args:
        memory: What the agent remembers.
        delay_ms: Milliseconds between two words, unless a turn says otherwise.
    """

    def __init__(self, memory: Memory, delay_ms: float) -> None:
        self._memory = memory
        self._delay_ms = delay_ms

    @property
    def session_id(self) -> str:
        """The agent's id of this session."""
        return self._memory.session_id

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        """Run one turn to its end.

        Raises:
            AdapterProcessError: The agent died.
            ConfigError: The option ``delay_ms`` is no usable number.
        """
        delay_ms = _checked_ms(request.options.get("delay_ms", self._delay_ms), "delay_ms")
        try:
            await work_on(
                request.task,
                link=_PortLink(port),
                workspace=request.workspace,
                memory=self._memory,
                delay_s=delay_ms / 1000,
                plan_mode=request.plan_mode,
            )
        except CrashError as error:
            message = f"the demo agent died: {error.stderr}"
            raise AdapterProcessError(message, exit_code=error.exit_code, stderr=error.stderr) from error

    async def close(self) -> None:
        """Do nothing: what the agent remembers is kept already."""


class _PortLink:
    """Connects the agent to the port of one turn."""

    def __init__(self, port: TurnPort) -> None:
        self._port = port
        self._translator = Translator()

    def send(self, message: object) -> None:
        """Hand on what the agent says."""
        for event in self._translator.translate(msgspec.to_builtins(message)):
            self._port.emit(event)

    async def ask(self, question: MayI) -> Answer:
        """Let the approval desk answer; the agent uses the arguments of the answer, which may be edited."""
        decision = await self._port.ask(
            ApprovalRequest(
                tool_name=question.tool,
                args=question.input,
                message=question.why or None,
                tool_call_id=question.call,
                mutates=question.changes,
                diffs=tuple(file_diff(file) for file in question.files),
            )
        )
        return Answer(allowed=decision.approved, input=decision.args, by=decision.by, reason=decision.reason)

    async def propose(self, plan: str) -> Answer:
        """Let a person read the plan."""
        answer = await self._port.propose(plan)
        return Answer(allowed=answer.approved, input=answer.plan, by=answer.by, reason=answer.reason)

    def hear(self) -> str | None:
        """Return what the user said meanwhile, or ``None``."""
        message = self._port.take_message()
        return None if message is None else message.text


def _checked_ms(value: object, where: str) -> float:
    try:
        number = msgspec.convert(value, float, strict=False)
    except msgspec.ValidationError:
        number = -1.0
    if not 0 <= number <= _MAX_DELAY_MS:
        raise ConfigError(f"{where}: {value!r} is not valid. Valid: milliseconds from 0 to {_MAX_DELAY_MS:g}")
    return number
