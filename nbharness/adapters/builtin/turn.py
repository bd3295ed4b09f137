"""One turn of the built-in agent: the engine runs, and what it needs of the turn is here."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.adapters.builtin import compaction
from nbharness.adapters.builtin.choices import TODO, Choices
from nbharness.adapters.builtin.engine import Engine, History, Message, spoken, without_ruins
from nbharness.adapters.builtin.faults import ModelFault, Patience, as_error, notice_of
from nbharness.adapters.builtin.own_tools import ASK, PLAN, ask_tool, plan_tool
from nbharness.adapters.builtin.record import Record
from nbharness.adapters.builtin.toolbox import Toolbox
from nbharness.adapters.builtin.translate import Translator

__all__ = ["BuiltinTurn"]

_ALL = 100
_DOLLAR_DIGITS = 9


class BuiltinTurn:
    """Runs one turn; it is the engine's :class:`~nbharness.adapters.builtin.engine.Bridge`.

    Args:
        engine: The model.
        history: What was said before; it grows with what is said now.
        record: Keeps it.
        request: What to do.
        port: The turn.
        choices: What to use.
        environment: Variables of the programs that the tools start.
        instructions: The system prompt.
        patience: How long to wait for the provider.
        sleep: Waits so many seconds.

    Attributes:
        planning: True until a plan is approved; then only what changes nothing is offered.
    """

    def __init__(
        self,
        engine: Engine,
        history: History,
        record: Record[Message],
        request: TurnRequest,
        port: TurnPort,
        choices: Choices,
        *,
        environment: Mapping[str, str],
        instructions: str,
        patience: Patience,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.planning = request.plan_mode
        self._engine = engine
        self._history = history
        self._record = record
        self._request = request
        self._port = port
        self._instructions = instructions
        self._effort = choices.effort
        self._window = choices.window or engine.context_window
        self._patience = patience
        self._sleep = sleep
        self._usage: dict[str, Any] = {}
        self._context = 0
        self._answered_at = 0
        self._progress = False
        self._untold = True
        tools = [*choices.tools, ask_tool(port), *([plan_tool(port, self)] if request.plan_mode else [])]
        self._translator = Translator({tool.name: tool.kind for tool in tools}, frozenset({ASK, PLAN, TODO}))
        self._toolbox = Toolbox(
            tools,
            workspace=request.workspace,
            environment=environment,
            port=port,
            say=self.say,
            call_id=self._translator.call_id,
        )

    async def run(self, session_id: str) -> None:
        """Run to the end, and emit it.

        Raises:
            AdapterError: The provider cannot be used.
            asyncio.CancelledError: The turn was aborted; what was said until then is remembered.
        """
        self.say({"event_kind": "session", "session_id": session_id, "model": self._engine.name})
        prompt: str | None = self._request.task
        output = ""
        try:
            while prompt is not None:
                output = await self._answer(prompt)
                late = self._port.take_message()
                prompt = None if late is None else late.text
        except ModelFault as fault:
            raise as_error(fault, self._engine.name) from fault
        finally:
            for event in self._translator.finish():
                self._port.emit(event)
            await self._keep(self._history)
        self.say({"event_kind": "run_end", "output": output})

    def say(self, said: Mapping[str, Any]) -> None:
        """Take what happens."""
        if said["event_kind"] == "model_response":
            said = {**said, "usage": self._total(said["usage"])}
        for event in self._translator.translate(said):
            self._port.emit(event)

    async def call(self, name: str, args: dict[str, Any], call_id: str) -> str:
        """Run a tool; see :meth:`Toolbox.call`."""
        return await self._toolbox.call(name, args, call_id)

    def offers(self, name: str) -> bool:
        """Tell whether the model may use a tool now."""
        if name == PLAN:
            return self.planning
        return not (self.planning and self._toolbox.tools[name].asks)

    async def before_request(self, history: History) -> History:
        """Return the history with what the user said meanwhile, made short where it must be."""
        while (message := self._port.take_message()) is not None:
            history = [*history, spoken(message.text)]
        await self._keep(history)
        if self._window and (full := self._filled(history) / self._window) > compaction.SHARE:
            shown = f"{full * _ALL:.0f} % of what the model can hold"
            history = await self._shortened(history, f"The conversation fills {shown}")
            await self._keep(history)
        return history

    async def _answer(self, prompt: str) -> str:
        """Let the engine run until it has an answer, through what time or a shorter history can heal."""
        said: str | None = prompt
        tried, shortened = 0, False
        while True:
            self._progress = False
            try:
                return await self._run(said)
            except ModelFault as fault:
                self._history[:] = without_ruins(self._history)
                if self._progress:
                    tried, shortened = 0, False
                if fault.kind == "overflow" and not shortened:
                    shortened = True
                    self._history[:] = await self._shortened(
                        self._history, "The conversation is too long for the model"
                    )
                else:
                    await self._wait(fault, tried)
                    tried += 1
                said = None

    async def _run(self, prompt: str | None) -> str:
        return await self._engine.run(
            prompt,
            self._history,
            bridge=self,
            instructions=self._instructions,
            tools=list(self._toolbox.tools.values()),
            effort=self._effort,
        )

    async def _wait(self, fault: ModelFault, tried: int) -> None:
        """Wait until it may be tried again.

        Raises:
            ModelFault: There is no use in that.
        """
        wait_s = self._patience.wait_s(fault, tried)
        if wait_s is None:
            raise fault
        message = notice_of(fault, wait_s, tried, self._patience.retries)
        self.say({"event_kind": "notice", "message": message, "level": "warning", "again": True})
        await self._sleep(wait_s)

    def _total(self, used: Mapping[str, Any]) -> dict[str, Any]:
        """Add what one request consumed to what the turn did; a cost of which a part is unknown is unknown."""
        first = not self._usage
        before, self._progress = self._usage, True
        added = {name: before.get(name, 0) + used[name] for name in ("inputTokens", "outputTokens", "cachedTokens")}
        self._usage = {**used, **added, "modelCalls": before.get("modelCalls", 0) + 1}
        self._usage["totalTokens"] = added["inputTokens"] + added["outputTokens"]
        if "costUsd" in used and (first or "costUsd" in before):
            self._usage["costUsd"] = round(before.get("costUsd", 0.0) + used["costUsd"], _DOLLAR_DIGITS)
        else:
            self._usage.pop("costUsd", None)
        if self._window:
            self._usage["contextWindow"] = self._window
        self._context = used["contextTokens"]
        # What the model has answered to is counted by it, what came since then by us.
        self._answered_at = len(self._record.lines) + 1
        return self._usage

    def _filled(self, history: History) -> int:
        """Return about how many tokens a request would have."""
        lines = self._record.lines
        known = self._context if self._answered_at else 0
        return known + compaction.estimated_tokens(sum(map(len, lines[self._answered_at : len(history)])))

    async def _shortened(self, history: History, why: str) -> History:
        """Return a history in which a summary stands for its earlier part."""
        self.say({"event_kind": "notice", "message": f"{why}; its earlier part is summarised now."})
        await self._keep(history)
        window = self._window or compaction.USUAL_WINDOW
        plain = [json.loads(line) for line in self._record.lines]
        start = compaction.tail_start(plain, window)
        try:
            asked = compaction.ASK.format(record=compaction.transcript(plain[:start], window))
            summary = await self._engine.ask(asked, self)
        except ModelFault as fault:
            summary = ""
            message = f"The earlier part could not be summarised and is left out. The provider says: {fault}"
            self.say({"event_kind": "notice", "message": message, "level": "warning"})
        self._context = self._answered_at = 0
        return [spoken(compaction.opening(summary, self._request.task)), *history[start:]]

    async def _keep(self, history: History) -> None:
        try:
            await self._record.keep(history)
        except OSError as error:
            if self._untold:
                self._untold = False
                message = f"What is said here cannot be kept, so it is forgotten when this process ends: {error}"
                self.say({"event_kind": "notice", "message": message, "level": "warning"})
