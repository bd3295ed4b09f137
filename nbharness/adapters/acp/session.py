"""A session of an ACP agent: its process, started by the first turn and used again by the next."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from nbharness.adapters.acp.answers import CANCELLED
from nbharness.adapters.acp.choices import Chooser
from nbharness.adapters.acp.faults import INVALID_PARAMS, Refusal
from nbharness.adapters.acp.images import image_blocks
from nbharness.adapters.acp.launch import Launch, facts_for, launch_for
from nbharness.adapters.acp.link import AgentLink, Peer
from nbharness.adapters.acp.opening import introduce, take_up
from nbharness.adapters.acp.presets import Preset
from nbharness.adapters.acp.remarks import Remarks
from nbharness.adapters.acp.requests import TurnRequests
from nbharness.adapters.acp.settings import Settings
from nbharness.adapters.acp.terminals import Terminals
from nbharness.adapters.acp.translate import Translator
from nbharness.adapters.acp.usage import Totals, UsageMeter
from nbharness.adapters.acp.values import mapping, number_of, path_in, text_of
from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.errors import AdapterError, AdapterProcessError
from nbharness.events import Error, Notice, SessionStarted, SessionUpdated
from nbharness.process import ProcessGoneError
from nbharness.tasks import TaskOwner

__all__ = ["AcpSession"]

_CANCEL_GRACE_S = 1.0
"""How long an agent may take to end a turn that is aborted. With what follows it must be less than 2 s."""
_KILL_GRACE_S = 0.5
_CLOSE_GRACE_S = 1.0
_MAX_FAULTS = 3
_ABOUT_SESSION = {
    "available_commands_update",
    "config_option_update",
    "current_mode_update",
    "session_info_update",
    "usage_update",
}
"""Updates that count when no turn runs, or while a session's past is told again."""


class AcpSession:
    """One session. Belongs to the runtime's loop.

    Args:
        preset: The agent.
        workspace: Directory to work in.
        session_id: A session to take up; ``""`` for a new one.
        fork: Leave that session as it is and work in a copy.
    """

    def __init__(self, preset: Preset, workspace: Path, session_id: str, *, fork: bool) -> None:
        self._preset = self._facts = preset
        self._workspace = workspace
        self._session_id = session_id
        self._fork = fork
        self._greeted = ""
        self._link: AgentLink | None = None
        self._launch: Launch | None = None
        self._can: dict[str, Any] = {}
        self._settings = Settings()
        self._about: dict[str, SessionUpdated] = {}
        self._totals = Totals(cost_usd=None)
        self._tasks = TaskOwner()
        self._terminals = Terminals(self._tasks, self._on_terminal_output)
        self._turn: _Turn | None = None

    @property
    def session_id(self) -> str:
        """The agent's id of this session, ``""`` while it has none."""
        return "" if self._fork else self._session_id

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        """Run one turn to its end.

        Raises:
            AdapterError: The agent is not here, cannot start, died or refused; the message says how to go on.
        """
        self._greeted = ""
        while True:
            was_running = self._link is not None
            try:
                return await self._run(request, port)
            except ProcessGoneError:
                # It died unnoticed since its last turn, and nothing of this one has reached it.
                if not was_running:
                    raise

    async def _run(self, request: TurnRequest, port: TurnPort) -> None:
        try:
            link, launch = await self._ready(request, port)
            images = await self._images(request)
            await Chooser(self._facts, link, self._settings, self._session_id).choose(request)
        except (asyncio.CancelledError, AdapterError):
            await self._end(_KILL_GRACE_S)
            raise
        self._turn = turn = self._new_turn(request, port, launch)
        try:
            self._greet(port)
            events = turn.translator.finish(await self._prompt(link, turn, images))
        finally:
            self._turn = None
            self._totals = turn.translator.meter.totals
        for event in events:
            port.emit(event)

    async def close(self) -> None:
        """End the agent; it and all that it started are gone when this returns."""
        await self._end(_CLOSE_GRACE_S)
        await self._tasks.close(_CLOSE_GRACE_S)

    async def _ready(self, request: TurnRequest, port: TurnPort) -> tuple[AgentLink, Launch]:
        self._facts = facts_for(self._preset, request)
        launch = launch_for(self._facts, request)
        if self._link is not None and self._link.alive and launch == self._launch:
            return self._link, launch
        await self._end(_KILL_GRACE_S)
        peer = Peer(self._intake, self._on_fault, self._answer)
        link = await AgentLink.open(
            self._facts.name, launch.argv, cwd=self._workspace, env=launch.environment, peer=peer
        )
        self._link, self._launch = link, launch
        self._settings, self._about = Settings(), {}
        # A new process counts tokens from nothing; what a session cost it knows from before.
        self._totals = Totals(cost_usd=self._totals.cost_usd)
        self._can = await introduce(link, self._facts, launch)
        opened = await take_up(
            link,
            self._facts,
            launch,
            can=self._can,
            workspace=self._workspace,
            session_id=self._session_id,
            fork=self._fork,
        )
        if opened.is_new:
            self._totals = Totals()
            if self._session_id:
                text = f"{self._facts.name} cannot take up its earlier session: it goes on without memory of it."
                port.emit(Notice(message=text, level="warning"))
        self._session_id, self._fork = opened.session_id, False
        self._settings.take(opened.said)
        return link, launch

    def _new_turn(self, request: TurnRequest, port: TurnPort, launch: Launch) -> _Turn:
        meter = UsageMeter(self._totals, is_per_prompt=self._facts.counts_prompts)
        remarks = Remarks(self._facts.name, self._facts.login) if self._facts.remarks else None
        translator = Translator(str(self._workspace), self._settings, meter, remarks)
        requests = TurnRequests(
            workspace=self._workspace,
            environment=launch.environment,
            port=port,
            translator=translator,
            terminals=self._terminals,
        )
        return _Turn(request.task, port, translator, requests)

    def _greet(self, port: TurnPort) -> None:
        if self._greeted == self._session_id:
            return
        self._greeted = self._session_id
        model = self._settings.of("model").current
        port.emit(SessionStarted(session_id=self._session_id, model=model or UNSET))
        for event in (*self._settings.offers(), *self._about.values()):
            port.emit(event)

    async def _images(self, request: TurnRequest) -> list[dict[str, Any]]:
        images = request.options.get("images")
        return await asyncio.to_thread(image_blocks, self._facts.name, images, self._workspace, self._can)

    async def _prompt(self, link: AgentLink, turn: _Turn, images: list[dict[str, Any]]) -> dict[str, Any]:
        """Send the prompt and return its answer."""
        params = {"sessionId": self._session_id, "prompt": [{"type": "text", "text": turn.task}, *images]}
        outcome: list[dict[str, Any] | AdapterError] = []
        asking = self._tasks(_keep(link, params, outcome), f"prompt of a turn of {self._facts.name}")
        try:
            await asyncio.wait({asking})
        except asyncio.CancelledError:
            await self._stop(link, turn, asking)
            raise
        asking.result()
        if isinstance(outcome[0], AdapterError):
            for event in turn.translator.close_calls():
                turn.port.emit(event)
            if isinstance(outcome[0], AdapterProcessError):
                await self._end(0)
            raise outcome[0]
        return outcome[0]

    async def _stop(self, link: AgentLink, turn: _Turn, asking: asyncio.Task[None]) -> None:
        """Stop the turn. The agent lives on when it ended the turn in time and nothing that it ran may be left."""
        runs_something = turn.translator.has_running_calls
        turn.requests.stopping.set()
        try:
            await link.notify("session/cancel", {"sessionId": self._session_id})
            stopped, _ = await asyncio.wait({asking}, timeout=_CANCEL_GRACE_S)
            if runs_something or not stopped or not link.alive:
                await self._end(_KILL_GRACE_S)
            await self._terminals.aclose()
        except asyncio.CancelledError:
            await self._end(0)
            raise

    async def _end(self, grace_s: float) -> None:
        link, self._link = self._link, None
        if link is not None:
            await link.aclose(grace_s)
        await self._terminals.aclose()

    def _intake(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Take what must stay in the agent's order; return what is left for the connection."""
        method = message.get("method")
        if method == "session/update" and "id" not in message:
            self._on_update(mapping(message.get("params")).get("update"))
            return None
        if method == "session/request_permission" and self._turn is not None:
            events, asked = self._turn.translator.ask(message.get("params"))
            for event in events:
                self._turn.port.emit(event)
            return {**message, "params": asked}
        return message

    def _on_update(self, update: object) -> None:
        kind = text_of(mapping(update).get("sessionUpdate"))
        if self._turn is not None:
            for event in self._turn.translator.update(update):
                self._turn.port.emit(event)
                if isinstance(event, SessionUpdated):
                    self._about[kind] = event
        elif kind == "usage_update":
            cost = path_in(update, "cost", "amount", read=number_of)
            self._totals = self._totals if cost is None else replace(self._totals, cost_usd=cost)
        elif kind in _ABOUT_SESSION:
            for event in Translator(settings=self._settings).update(update):
                if isinstance(event, SessionUpdated):
                    self._about[kind] = event

    def _on_fault(self, code: str, text: str) -> None:
        if self._turn is None or self._turn.faults >= _MAX_FAULTS:
            return
        self._turn.faults += 1
        self._turn.port.emit(Error(error=text, code=code))

    def _on_terminal_output(self, terminal_id: str, text: str) -> None:
        if self._turn is not None:
            for event in self._turn.translator.terminal_output(terminal_id, text):
                self._turn.port.emit(event)

    async def _answer(self, method: str, params: object) -> dict[str, Any]:
        if self._turn is not None:
            return await self._turn.requests.answer(method, params)
        if method == "session/request_permission":
            return CANCELLED
        raise Refusal(INVALID_PARAMS, f"{method}: no turn runs")


class _Turn:
    """What belongs to one turn."""

    def __init__(self, task: str, port: TurnPort, translator: Translator, requests: TurnRequests) -> None:
        self.task = task
        self.port = port
        self.translator = translator
        self.requests = requests
        self.faults = 0


async def _keep(link: AgentLink, params: dict[str, Any], outcome: list[dict[str, Any] | AdapterError]) -> None:
    try:
        outcome.append(await link.request("session/prompt", params))
    except AdapterError as error:
        outcome.append(error)
