"""The tools of the turn that runs: each call is asked about here, whatever the agent's own settings allow."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nbharness.adapters.base import TurnPort
from nbharness.approvals import ApprovalRequest, Decision
from nbharness.events.repair import in_words
from nbharness.tasks import TaskOwner
from nbharness.tools.base import Tool, ToolContext, ToolError

__all__ = ["Offer"]

_STOP_S = 1.0


class Offer:
    """What one turn offers. Belongs to its loop.

    Args:
        tools: The tools.
        workspace: Directory that they work in.
        environment: Variables of the programs that they start.
        port: The turn; it answers whether a call may run.
    """

    def __init__(
        self, tools: Sequence[Tool], *, workspace: Path, environment: Mapping[str, str], port: TurnPort
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self._context = ToolContext(workspace=workspace, write=_ignore, environment=environment)
        self._port = port
        self._calls = TaskOwner()

    async def call(self, name: str, args: Any) -> str:
        """Run a tool, asking first if it may change something; return its result, for the model.

        Raises:
            ToolError: There is no such tool, it was not allowed, it failed, or the turn ended first.
        """
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = self._calls(self._answer(name, args, answer), f"call of {name}")
        try:
            return await answer
        finally:
            task.cancel()

    async def close(self) -> None:
        """Stop the calls that run or wait: what the turn was allowed ends with it."""
        await self._calls.close(_STOP_S)

    async def _answer(self, name: str, args: Any, answer: asyncio.Future[str]) -> None:
        """Make a call in a task of its own, so that it can be stopped without its request's."""
        error = ToolError("the turn has ended")
        try:
            said = await self._call(name, args)
            if not answer.done():
                answer.set_result(said)
        except ToolError as failure:
            error = failure
        finally:
            if not answer.done():
                answer.set_exception(error)

    async def _call(self, name: str, args: Any) -> str:
        if name not in self.tools:
            raise ToolError(f"no tool is called {name!r}. Valid: {', '.join(self.tools)}")
        tool = self.tools[name]
        decision = await self._port.ask(
            ApprovalRequest(tool_name=name, args=args, mutates=tool.asks, every_mode=tool.every_mode, kind=tool.kind)
        )
        if not decision.approved:
            raise ToolError(_refusal(decision))
        if not isinstance(decision.args, dict):
            raise ToolError(f"the edited arguments are no object: {decision.args!r}")
        text = await self._run(tool, decision.args)
        if decision.edited:
            ran = msgspec.json.encode(decision.args).decode()
            return f"The user changed the arguments; what ran is {name} {ran}\n{text}"
        return text

    async def _run(self, tool: Tool, args: dict[str, Any]) -> str:
        """Run a tool; the boundary where whatever its code raises becomes a result."""
        try:
            return (await tool.run(self._context, args)).text or "(no output)"
        except ToolError:
            raise
        except Exception as error:
            raise ToolError(f"{type(error).__name__}: {in_words(error)}") from error


def _refusal(decision: Decision) -> str:
    reason = f": {decision.reason}" if decision.reason else ""
    if decision.by in {"rule", "mode"}:
        return f"Not run: a rule or mode of the user forbids it{reason}."
    if decision.by in {"nobody", "turn"}:
        return f"Not run{reason or ': nobody could be asked'}."
    return f"The user does not allow this{reason}. Do not try the same again."


def _ignore(_text: str) -> None:
    """The agent's own card shows the result; there is none of ours to stream into."""
