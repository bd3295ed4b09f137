"""The extension in one kernel: starts turns for cells, shows them, and knows which conversation goes on.

Nothing starts before the first turn: loading the extension writes nothing, spawns nothing and grants nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import Any

import msgspec

from nbharness.adapters.default import Chosen
from nbharness.adapters.registry import create_adapter
from nbharness.audience import Audience, Nobody
from nbharness.clock import SystemClock
from nbharness.config import load
from nbharness.errors import ConfigError
from nbharness.feed import HEARTBEAT_S
from nbharness.git import UndoResult
from nbharness.handle import CodingHandle
from nbharness.notebook.asking import ask_in_cell
from nbharness.notebook.assets import assets
from nbharness.notebook.channel import Channel
from nbharness.notebook.host import Host
from nbharness.notebook.kernel_tools import MainThread, kernel_tools
from nbharness.notebook.live import LiveTurn, frozen_bundle, output_metadata
from nbharness.notebook.options import CoderOptions
from nbharness.notebook.pacer import Pacer
from nbharness.notebook.request import spec_for
from nbharness.notebook.terminal import follow_in_terminal
from nbharness.notebook.views import Views
from nbharness.notebook.waiting import interrupt_aborts, wait_in_cell
from nbharness.redact import Redactor
from nbharness.runtime import Runtime, runtime
from nbharness.spec import TurnSpec
from nbharness.undoing import undo_lines, undo_stored_turn
from nbharness.usage_table import usage_lines

__all__ = ["CoderSession"]

_KEPT_TURNS = 100
"""Turns whose views are answered; of more than that, those that settled first are forgotten."""


class CoderSession:
    """Turns of one kernel. Its methods run in the cell's thread.

    Args:
        host: What runs the cells.
        get_runtime: Returns the runtime, starting it if need be.
    """

    def __init__(self, host: Host, get_runtime: Callable[[], Runtime] = runtime) -> None:
        self.host = host
        self._runtime = get_runtime
        self._clock = SystemClock()
        self._pacer = Pacer(self._clock)
        self._channel = Channel(lambda turn_id, given, by: self._runtime().send(turn_id, given, by))
        self._live: dict[str, LiveTurn] = {}
        self._conversations: dict[tuple[str, str, str], str] = {}
        self._held: list[str] = []
        self._latest: CodingHandle | None = None
        self._chosen: Chosen | None = None
        self._shown_by: dict[str, str] = {}
        self._said_that_it_waits = False
        self._main_thread: MainThread | None = None

    def start(self, options: CoderOptions) -> CodingHandle:
        """Start a turn, or take up the running one, show it, and wait for it unless told otherwise.

        Raises:
            NbHarnessError: If it cannot be started; nothing runs.
            TurnDetached: If the cell gives way; the turn goes on.
            KeyboardInterrupt: If the cell was interrupted; the turn was stopped.
        """
        handle = self._running() if options.attach else self._begin(options)
        self._shown_by[handle.turn_id] = self.host.request_id()
        if options.as_name is not None:
            # Before the wait, which may end in an error while the turn goes on.
            self.host.shell.user_ns[options.as_name] = handle
        live = self._live.get(handle.turn_id)
        if live is not None:
            live.show()
        if not options.bg:
            self._wait(handle, live)
        return handle

    def _begin(self, options: CoderOptions) -> CodingHandle:
        settings = load()
        asked = spec_for(options, settings, self.host, self._runtime, self._chosen)
        spec = self._in_conversation(asked, options)
        if options.kernel_tools or (settings.kernel_tools and self._can_give_tools(spec.agent)):
            spec = self._with_kernel_tools(spec)
        kind, views = self.host.kind, Views(self._clock)
        if kind == "notebook":
            assets(self.host.kernel_id)  # raises where the front end is not built, before anything runs
        audience: Audience = Nobody() if kind == "headless" else views
        handle = self._runtime().start(spec, audience=audience)
        self._latest = handle
        if spec.agent_because:
            self._chosen = Chosen(agent=spec.agent, why=spec.agent_because)
        self._conversations[_place_of(spec)] = handle.conversation_id
        self._held = list(dict.fromkeys([*self._held, handle.conversation_id]))
        if kind == "notebook":
            if not options.bg:
                self._say_once_that_it_waits()
            self._put_on_view(handle, views)
        return handle

    def _running(self) -> CodingHandle:
        """Return the turn of this session that runs, the latest of several, or else the one that ran last."""
        if self._latest is None:
            message = "no turn to attach to: no cell of this kernel has started one"
            raise ConfigError(message)
        running = [handle for handle in self._runtime().running() if handle.turn_id in self._shown_by]
        return running[-1] if running else self._latest

    def _in_conversation(self, spec: TurnSpec, options: CoderOptions) -> TurnSpec:
        if options.new or spec.conversation is not None:
            return spec
        known = self._conversations.get(_place_of(spec))
        return spec if known is None else msgspec.structs.replace(spec, conversation=known)

    def _put_on_view(self, handle: CodingHandle, views: Views) -> None:
        live = LiveTurn(
            handle,
            views=views,
            host=self.host,
            channel=self._channel,
            pacer=self._pacer,
            redactor=Redactor.from_environment(os.environ),
            answer=self._from_comm,
        )
        self._live[handle.turn_id] = live
        settled = [turn_id for turn_id, other in self._live.items() if other.handle.done]
        for turn_id in settled[: max(0, len(self._live) - _KEPT_TURNS)]:
            del self._live[turn_id]
            self._channel.remove(turn_id)
        thread = self._runtime().thread
        thread.post(lambda: thread.spawn(live.follow(), f"view of turn {handle.turn_id}"))

    def _wait(self, handle: CodingHandle, live: LiveTurn | None) -> None:
        if live is not None:
            wait_in_cell(handle, live.views, ask=ask_in_cell, detach=live.detach, work=self._work)
        elif self.host.kind == "terminal":
            follow_in_terminal(handle)
        else:
            self._wait_unseen(handle)
            self._leave_transcript(handle)

    def _wait_unseen(self, handle: CodingHandle) -> None:
        with interrupt_aborts(handle):
            while not handle.done:
                with contextlib.suppress(TimeoutError):
                    handle.result(HEARTBEAT_S)
                self._work()

    def _work(self) -> None:
        if self._main_thread is not None:
            self._main_thread.work()

    def _can_give_tools(self, agent: str) -> bool:
        known = create_adapter(agent).capabilities
        return self.host.kernel is not None and (known.tools or known.mcp_servers)

    def _with_kernel_tools(self, spec: TurnSpec) -> TurnSpec:
        if self.host.kernel is None:
            raise ConfigError("--kernel-tools needs a Jupyter kernel, and there is none here; leave it out")
        if self._main_thread is None:
            self._main_thread = MainThread(self.host.kernel)
        return msgspec.structs.replace(spec, tools=(*spec.tools, *kernel_tools(self.host, self._main_thread)))

    def undo(self, turn_id: str) -> str:
        """Take back what a turn changed and return what came of it.

        Args:
            turn_id: The turn; ``""`` for the last one of this kernel.

        Raises:
            NbHarnessError: There is no such turn, or it cannot be undone.
        """
        latest = self._latest
        if not turn_id and latest is None:
            raise ConfigError("no turn to undo: no cell of this kernel has started one; name one: %coder --undo ID")
        if latest is not None and turn_id in {"", latest.turn_id}:
            # The store may learn a moment later than the cell that the turn has settled.
            return "\n".join(undo_lines(latest.undo()))

        async def undo() -> UndoResult:
            return await undo_stored_turn(await self._runtime().recorder.store(), turn_id)

        return "\n".join(undo_lines(self._runtime().thread.call(undo())))

    def usage(self) -> str:
        """Return what was consumed for this notebook, also in earlier kernels where it has a name.

        Raises:
            StoreError: If the store cannot be read.
        """
        notebook = None if self.host.notebook is None else str(self.host.notebook)
        return "\n".join(usage_lines(self._runtime().usage(notebook=notebook, conversations=self._held)))

    async def answer(self, message: Any) -> dict[str, Any]:
        """Return the answer to one message of a page. On any loop; the channel's own work is done on the runtime's."""
        return await asyncio.wrap_future(self._runtime().thread.submit(self._answer(message)))

    def was_shown_here(self, handle: CodingHandle) -> bool:
        """True in the cell that shows the turn already."""
        return self._shown_by.get(handle.turn_id) == self.host.request_id()

    def _say_once_that_it_waits(self) -> None:
        if not self._said_that_it_waits:
            self._said_that_it_waits = True
            print("nbharness: this cell waits for the agent; `%coder --bg …` would not.")  # noqa: T201 (for the person)

    def _leave_transcript(self, handle: CodingHandle) -> None:
        bundle = frozen_bundle(handle, Redactor.from_environment(os.environ))
        self.host.shell.display_pub.publish(data=bundle, metadata=output_metadata(handle))

    async def _answer(self, message: Any) -> dict[str, Any]:
        return await self._channel.answer(message)

    def _from_comm(self, message: Any, reply: Callable[[dict[str, Any]], None]) -> None:
        thread = self._runtime().thread

        async def answer() -> None:
            reply(await self._channel.answer(message))

        thread.post(lambda: thread.spawn(answer(), "answer to a page"))


def _place_of(spec: TurnSpec) -> tuple[str, str, str]:
    """Return what a conversation of this kernel belongs to."""
    return spec.agent, str(spec.workspace), spec.definition.name if spec.definition is not None else ""
