"""Agents as Python values: ``agent(name)``, ``mock(…)`` and ``noop()``, each with ``run(task) -> CodingHandle``."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from nbharness.adapters.base import Adapter
from nbharness.adapters.mock import MockAdapter, NoopAdapter
from nbharness.adapters.registry import create_adapter
from nbharness.agents import select
from nbharness.approvals import ApprovalMode
from nbharness.config import load, rules_path
from nbharness.errors import ConfigError, TurnAborted, TurnFailed
from nbharness.handle import CodingHandle
from nbharness.policy import Callback, Policy, RuleBook
from nbharness.results import CodingResult
from nbharness.runtime import runtime
from nbharness.signals import AbortSignal
from nbharness.spec import TurnSpec
from nbharness.tools import Tool, from_callable

__all__ = ["CodingAgent", "CodingTask", "CodingTool", "agent", "coding_tool_input_schema", "mock", "noop"]

coding_tool_input_schema: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task": {"type": "string", "description": "The brief: what to do, and how to know that it is done."},
        "sessionId": {"type": "string", "description": "Session of an earlier run to go on with."},
    },
    "required": ["task"],
    "additionalProperties": False,
}
"""JSON Schema of the tool form's two inputs."""


_TURN_FIELDS = (
    "approval_timeout_s",
    "budget",
    "command",
    "conversation",
    "environment",
    "fork",
    "instructions",
    "mcp_servers",
    "mode",
    "rules",
    "session_id",
    "trust_project",
)


Tools: TypeAlias = str | Sequence[str | Tool | Callable[..., Any]]
"""Tools for an agent: functions and tools of this process, and names of tools that it knows."""


class CodingTask(msgspec.Struct, kw_only=True):
    """A brief with its circumstances.

    Attributes:
        task: What to do.
        session_id: A session of the agent's to take up again.
        signal: Stops the run when it is thrown.
    """

    task: str
    session_id: str | None = None
    signal: AbortSignal | threading.Event | None = None


class CodingTool(msgspec.Struct, frozen=True, kw_only=True):
    """An agent in the form in which another model can call it.

    Called with the arguments by name it is a plain function tool: it returns what the agent says at the end, as text.

    Attributes:
        name: Tool name.
        description: What the calling model is told.
        schema: JSON Schema of the arguments.
        execute: Runs the agent with such arguments; raises where awaiting a handle would give an error result.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    execute: Callable[[Mapping[str, Any]], Awaitable[CodingResult]]

    async def __call__(self, **arguments: Any) -> str:
        """Run the agent and return its answer; raises as :meth:`CodingAgent.execute`."""
        return (await self.execute(arguments)).output.text


class CodingAgent:
    """An agent bound to a workspace and to settings. Making one starts nothing.

    Attributes:
        name: Name of the agent, and of its tool form.
        description: What a calling model is told.
        schema: JSON Schema of the tool form's arguments.
    """

    schema = coding_tool_input_schema

    def __init__(self, adapter: Adapter, spec: TurnSpec, *, name: str, policy: Policy | None, record: bool) -> None:
        self.name = name
        declared = spec.definition.description if spec.definition is not None else ""
        self.description = declared or f"Does coding work in {spec.workspace} with the agent {name}."
        self._adapter = adapter
        self._spec = spec
        self._policy = policy
        self._record = record

    def run(self, task: str | CodingTask) -> CodingHandle:
        """Start a turn in a conversation of its own and return its handle.

        Raises:
            ConfigError: If something about the task is wrong; nothing was started.
            WorkspaceError: If the workspace cannot be used.
        """
        brief = task if isinstance(task, CodingTask) else CodingTask(task=task)
        spec = msgspec.structs.replace(
            self._spec, task=brief.task, session_id=brief.session_id or self._spec.session_id
        )
        return runtime().start(
            spec, adapter=self._adapter, policy=self._policy, signal=brief.signal, record=self._record
        )

    async def execute(self, arguments: Mapping[str, Any]) -> CodingResult:
        """Run as a tool; cancelling the call stops the turn, which nobody else knows of.

        Args:
            arguments: ``task`` and, optionally, ``sessionId``.

        Raises:
            ConfigError: If the arguments are not those, or something about them is wrong.
            TurnFailed: If the turn failed.
            TurnAborted: If it was stopped.
        """
        handle = self.run(_brief(arguments))
        try:
            result = await handle
        except asyncio.CancelledError:
            handle.abort()
            raise
        if result.error is None:
            return result
        kind = TurnFailed if result.status in {"error", "max_turns"} else TurnAborted
        raise kind(result.error.message, turn_id=handle.turn_id, code=result.error.code)

    def as_tool(self, *, name: str | None = None, description: str | None = None) -> CodingTool:
        """Return the tool form, perhaps under another name or description."""
        return CodingTool(
            name=name or self.name,
            description=description or self.description,
            schema=self.schema,
            execute=self.execute,
        )


def agent(
    name: str | None = None,
    *,
    workspace: str | Path = ".",
    definition: str | None = None,
    model: str | None = None,
    approval: ApprovalMode | None = None,
    approve: Callback | None = None,
    plan: bool | None = None,
    timeout_s: float | None = None,
    tools: Tools = (),
    record: bool = True,
    **more: Any,
) -> CodingAgent:
    """Return an agent that works in a directory.

    Args:
        name: A registered agent; by default the configured one, or else the first that can work.
        workspace: Directory to work in.
        definition: An agent that the workspace declares: the name of a folder in its ``agents``, read now.
        model: Model, if the agent lets it be chosen.
        approval: ``require``, ``auto`` or ``off``; by default the configured mode.
        approve: Answers approvals: gets tool name and arguments, returns ``True``, ``False`` or ``None`` (ask).
        plan: Propose a plan before changing anything.
        timeout_s: Seconds a turn may work; by default the configured ones.
        tools: Further tools: functions of this process, whose signature and docstring the model sees; or names of
            those that the built-in agent knows, such as ``fetch``.
        record: Keep turns in the store.
        **more: Further fields of a turn, such as ``budget``, ``mode``, ``command``, ``trust_project`` or
            ``mcp_servers``, and options of this agent alone.

    Raises:
        UnknownName: No such agent, or none such in the workspace; the message lists those that exist.
        NotSupported: The agent cannot honour an option.
    """
    place = Path(workspace).expanduser().resolve()
    spec = TurnSpec.over(
        load(),
        agent=name,
        workspace=place,
        definition=select(place, definition) if definition else None,
        model=model,
        approval_mode=approval,
        plan_mode=plan,
        timeout_s=timeout_s,
        options=_with_named(tools, {field: more[field] for field in more if field not in _TURN_FIELDS}),
        tools=_own(tools),
        **{field: more[field] for field in more if field in _TURN_FIELDS},
    )
    return _found(spec, approve, record=record)


def mock(
    responses: Sequence[Mapping[str, Any]] = (),
    *,
    artifacts: Sequence[Mapping[str, Any]] = (),
    delay_ms: float = 0,
    simulate_error: Mapping[str, Any] | None = None,
    name: str = "mock",
) -> CodingAgent:
    """Return an agent that replays a script; it needs no model, no process and no file.

    Args:
        responses: What it says and does, in the ADK's words: ``{"type": "assistant", "text": …}``,
            ``{"type": "thought", "text": …}``, ``{"type": "tool_call", "name": …, "args": …}``,
            ``{"type": "tool_result", "name": …, "result": …}``.
        artifacts: Listed in ``result.output.value.metadata["artifacts"]``.
        delay_ms: Milliseconds between responses.
        simulate_error: ``{"after": n, "message": …, "code": …}`` fails the turn after `n` responses.
        name: Its name.

    Raises:
        ConfigError: If the script cannot be played; the message says which part.
    """
    adapter = MockAdapter(
        responses=responses, artifacts=artifacts, delay_ms=delay_ms, simulate_error=simulate_error, name=name
    )
    return CodingAgent(adapter, _scripted(name), name=name, policy=None, record=False)


def noop(*, name: str = "noop") -> CodingAgent:
    """Return an agent that completes at once and changes nothing."""
    return CodingAgent(NoopAdapter(name=name), _scripted(name), name=name, policy=None, record=False)


def _found(spec: TurnSpec, approve: Callback | None, *, record: bool) -> CodingAgent:
    adapter = create_adapter(spec.agent)
    spec.check_circumstances(adapter.capabilities)
    policy = Policy([*RuleBook(rules_path()).load(), *spec.rules], [approve] if approve else [])
    return CodingAgent(adapter, spec, name=spec.agent, policy=policy, record=record)


def _with_named(tools: Tools, options: dict[str, Any]) -> dict[str, Any]:
    named = tools if isinstance(tools, str) else [tool for tool in tools if isinstance(tool, str)]
    return {**options, "tools": named} if named else options


def _own(tools: Tools) -> tuple[Tool, ...]:
    own = [tool for tool in tools if not isinstance(tool, str)]
    return tuple(tool if isinstance(tool, Tool) else from_callable(tool) for tool in own)


def _brief(arguments: object) -> CodingTask:
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    task, session_id = given.get("task"), given.get("sessionId") or given.get("session_id")
    if not isinstance(task, str) or not isinstance(session_id, str | None):
        message = f"the arguments are {arguments!r}; valid: task (text) and, optionally, sessionId (text)"
        raise ConfigError(message)
    return CodingTask(task=task, session_id=session_id)


def _scripted(name: str) -> TurnSpec:
    return TurnSpec(agent=name, workspace=Path.cwd(), timeout_s=None)
