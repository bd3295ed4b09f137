"""The tools of one turn: each call is asked about, run, and told what is known of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nbharness.adapters.base import TurnPort
from nbharness.adapters.builtin.faults import CallFailed
from nbharness.adapters.builtin.preview import preview
from nbharness.approvals import ApprovalRequest, Decision
from nbharness.events.repair import in_words
from nbharness.tools.base import Tool, ToolContext, ToolError, ToolOutput

__all__ = ["Toolbox"]

_NOTHING = "(no output)"


class Toolbox:
    """Runs the tools of one turn. Belongs to its loop.

    Args:
        tools: The tools.
        workspace: Directory that they work in.
        environment: Variables of the programs that they start.
        port: The turn; it answers whether a call may run.
        say: Takes what is to be shown.
        call_id: Returns the id under which a call was shown.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        workspace: Path,
        environment: Mapping[str, str],
        port: TurnPort,
        say: Callable[[Mapping[str, Any]], None],
        call_id: Callable[[str], str],
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self._workspace = workspace
        self._environment = environment
        self._port = port
        self._say = say
        self._call_id = call_id

    async def call(self, name: str, args: dict[str, Any], call_id: str) -> str:
        """Run a tool, asking first if it may change something.

        Args:
            name: The tool.
            args: Its arguments.
            call_id: The model's id of the call.

        Returns:
            The result, for the model.

        Raises:
            CallFailed: It was not allowed, or failed.
        """
        tool = self.tools[name]
        decision = await self._port.ask(
            ApprovalRequest(
                tool_name=name,
                args=args,
                tool_call_id=self._call_id(call_id),
                mutates=tool.asks,
                every_mode=tool.every_mode,
                kind=tool.kind,
                diffs=await preview(tool, args, self._workspace),
            )
        )
        if not decision.approved:
            raise CallFailed(_refusal(decision))
        if not isinstance(decision.args, dict):
            raise CallFailed(f"the edited arguments are no object: {decision.args!r}")
        result = await self._run(tool, decision.args, call_id)
        if decision.edited:
            # The history holds the arguments as the model gave them.
            ran = msgspec.json.encode(decision.args).decode()
            return f"The user changed the arguments; what ran is {name} {ran}\n{result}"
        return result

    async def _run(self, tool: Tool, args: dict[str, Any], call_id: str) -> str:
        """Run a tool; the boundary where whatever its code raises becomes a result."""
        streamed: list[str] = []

        def write(text: str) -> None:
            if text:
                streamed.append(text)
                self._say({"event_kind": "tool_output", "tool_call_id": call_id, "tool_name": tool.name, "text": text})

        context = ToolContext(workspace=self._workspace, write=write, environment=self._environment)
        began = time.monotonic()
        output: ToolOutput | None = None
        try:
            output = await tool.run(context, args)
        except ToolError as error:
            raise CallFailed(str(error)) from error
        except Exception as error:
            raise CallFailed(f"{type(error).__name__}: {in_words(error)}") from error
        finally:
            took_ms = round(1000 * (time.monotonic() - began))
            if output is not None and streamed and output.text.startswith(shown := "".join(streamed)):
                # A note at the end, such as the exit code: said too, the whole need not be said and kept twice.
                write(output.text.removeprefix(shown))
            self._tell(call_id, took_ms, output, "".join(streamed))
        return output.text or _NOTHING

    def _tell(self, call_id: str, duration_ms: int, output: ToolOutput | None, streamed: str) -> None:
        known = output or ToolOutput(text="")
        self._say(
            {
                "event_kind": "tool_done",
                "tool_call_id": call_id,
                "duration_ms": duration_ms,
                "exit_code": known.exit_code,
                "diffs": [msgspec.to_builtins(diff) for diff in known.diffs],
                "streamed": bool(streamed) and known.text == streamed,
            }
        )
        if known.todos is not None:
            self._say({"event_kind": "todos", "todos": [msgspec.to_builtins(todo) for todo in known.todos]})


def _refusal(decision: Decision) -> str:
    """Return what the model is told about a call that did not run."""
    reason = f": {decision.reason}" if decision.reason else ""
    match decision.by:
        case "rule":
            return f"Not run: a rule of the user forbids it{reason}. Find another way, or say why there is none."
        case "mode":
            return f"Not run{reason}."
        case "nobody" | "turn":
            return f"Not run{reason or ': nobody could be asked'}. Go on without it, and say at the end what is left."
        case _:
            return f"The user does not allow this{reason}. Do not try the same again; do as they say, or ask them."
