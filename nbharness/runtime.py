"""The runtime of this process: its loop, its conversations, its turns and their records."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from nbharness.adapters.base import Adapter
from nbharness.adapters.registry import create_adapter
from nbharness.audience import Audience
from nbharness.clock import Clock, SystemClock
from nbharness.config import rules_path, trust_path
from nbharness.conversations import Conversations
from nbharness.errors import NbHarnessError
from nbharness.feed import HEARTBEAT_S
from nbharness.handle import CodingHandle
from nbharness.inputs import CodingInput
from nbharness.loop_thread import LoopThread
from nbharness.policy import Policy, RuleBook
from nbharness.presence import Presence
from nbharness.recorder import NotKept, Recorder
from nbharness.signals import AbortSignal
from nbharness.spec import TurnSpec
from nbharness.store import Store
from nbharness.trust import TrustBook
from nbharness.turn import Turn
from nbharness.turn_control import LoopTurnControl
from nbharness.turn_factory import TurnFactory, record_of
from nbharness.usage import ConversationUsage, TurnUsage, UsageTotal, by_conversation, total_of

__all__ = ["Runtime", "runtime"]

_KEPT_TURNS = 100
_EXIT_GRACE_S = 1.0

# How the time to close is shared out: agents stop, sessions close (as long again), the store writes, the loop ends.
_AGENTS_SHARE, _STOP_SHARE = 0.25, 0.1

Signal = AbortSignal | threading.Event


class Runtime:
    """Runs turns on one background loop. Its public methods may be called from any thread.

    Args:
        database: File of the store; ``None`` for the configured one.
        clock: Time.
    """

    def __init__(self, database: Path | None = None, clock: Clock | None = None) -> None:
        self.thread = LoopThread()
        self.recorder = Recorder(database, self._tell)
        self._untold: list[str] = []
        self._clock = clock or SystemClock()
        self._rules = RuleBook(rules_path())
        self._conversations = Conversations(self.recorder, self.thread.spawn)
        self._factory = TurnFactory(
            clock=self._clock,
            spawn=self.thread.spawn,
            recorder=self.recorder,
            rules=self._rules,
            trusted=TrustBook(trust_path()),
            own_files=[] if database is None else [database],
        )
        self._turns: OrderedDict[str, tuple[Turn, CodingHandle]] = OrderedDict()
        self._closed = False

    def start(
        self,
        spec: TurnSpec,
        *,
        adapter: Adapter | None = None,
        audience: Audience | None = None,
        policy: Policy | None = None,
        signal: Signal | None = None,
        record: bool = True,
    ) -> CodingHandle:
        """Start a turn; it runs at once, or after those given to its conversation before.

        Args:
            spec: The turn.
            adapter: Drives the agent; by default the one registered under ``spec.agent``.
            audience: Who could answer approvals; by default whoever iterates the handle.
            policy: Rules that answer first; by default the remembered ones and those of the spec.
            signal: Stops the turn when it is thrown.
            record: Keep the turn in the store.

        Raises:
            ConfigError: If something about the turn is wrong; nothing was started.
            WorkspaceError: If its workspace cannot be used.
            StoreError: If the store cannot be opened, or the conversation is not in it.
        """
        chosen = adapter or create_adapter(spec.agent)
        spec.check(chosen.capabilities)
        policy = policy or Policy([*self._rules.load(), *spec.rules])
        return self.thread.call(self._start(spec, chosen, audience, policy, signal, record=record))

    def send(self, turn_id: str, given: CodingInput, by: str) -> None:
        """Give an input to a turn; returns when the turn has taken it.

        Args:
            turn_id: The turn.
            given: The input.
            by: Who gives it: ``user``, ``terminal`` or ``code``.

        Raises:
            NbHarnessError: If there is no such turn in this process, or it takes no such input.
        """
        if self.thread.is_current():
            self._send(turn_id, given, by)
        else:
            self.thread.call(self._send_there(turn_id, given, by))

    def handle(self, turn_id: str) -> CodingHandle | None:
        """Return the handle of a turn of this process."""
        found = self._turns.get(turn_id)
        return found[1] if found else None

    def latest_conversation(self, notebook: str | None) -> str | None:
        """Return the id of the conversation that a notebook (or anybody) held last, from the store.

        Raises:
            StoreError: If the store cannot be opened.
        """
        return self.thread.call(self._latest_conversation(notebook))

    def usage(self, *, notebook: str | None = None, conversations: Iterable[str] = ()) -> list[ConversationUsage]:
        """Return what conversations consumed, oldest first, turns that run included.

        Args:
            notebook: Path of a notebook: conversations that were held from it, as far as they were.
            conversations: Ids of further ones, kept or not.

        Raises:
            StoreError: If the store cannot be read.
        """
        return self.thread.call(self._usage(notebook, list(conversations)))

    def running(self) -> list[CodingHandle]:
        """Return the turns that have not settled, oldest first."""
        return [handle for _turn, handle in list(self._turns.values()) if not handle.done]

    def close(self, timeout_s: float = _EXIT_GRACE_S) -> None:
        """Interrupt what runs, write what waits, and end the loop, within `timeout_s` seconds."""
        if self._closed or not self.thread.usable:
            return
        self._closed = True
        deadline = time.monotonic() + timeout_s
        with contextlib.suppress(TimeoutError):
            self.thread.call(self._close(timeout_s * _AGENTS_SHARE), timeout_s * (1 - _STOP_SHARE))
        self.thread.stop(max(deadline - time.monotonic(), timeout_s * _STOP_SHARE))

    def _send(self, turn_id: str, given: CodingInput, by: str) -> None:
        found = self._turns.get(turn_id)
        if found is None:
            message = f"no turn {turn_id!r} in this kernel; it was started in another, or before a restart"
            raise NbHarnessError(message)
        found[0].send(given, by)

    async def _send_there(self, turn_id: str, given: CodingInput, by: str) -> None:
        self._send(turn_id, given, by)

    def _tell(self, text: str) -> None:
        """Tell the readers of the turns that run; when none does, those of the next."""
        running = [turn for turn, handle in self._turns.values() if not handle.done]
        for turn in running:
            turn.note(text)
        if not running:
            self._untold.append(text)

    async def _start(
        self,
        spec: TurnSpec,
        adapter: Adapter,
        audience: Audience | None,
        policy: Policy,
        signal: Signal | None,
        *,
        record: bool,
    ) -> CodingHandle:
        conversation = await self._conversations.of(spec, adapter, record=record)
        if self._closed:
            message = "nbharness is being shut down in this process; restart the kernel to use it again"
            raise NbHarnessError(message)
        presence = Presence()
        turn, feed = self._factory.make(spec, conversation, audience or presence, policy, record=record)
        handle = CodingHandle(
            turn_id=turn.request.turn_id,
            conversation_id=conversation.id,
            agent=adapter.name,
            feed=feed,
            outcome=turn.outcome,
            control=LoopTurnControl(self.thread, turn, presence, lambda: self._total(conversation.id)),
        )
        if spec.agent_because and spec.conversation is None:
            turn.note(spec.agent_because, "info")
        while self._untold:
            turn.note(self._untold.pop(0))
        self._keep(turn, handle)
        self._obey(signal, turn)
        kept = self.recorder.keeper(record_of(spec, handle, self._clock.now())) if record else NotKept()
        conversation.enqueue(turn, kept)
        return handle

    async def _usage(self, notebook: str | None, conversations: list[str]) -> list[ConversationUsage]:
        store = await self.recorder.store()
        found = [] if notebook is None else await store.usage(notebook=notebook)
        held = {turn.conversation_id for turn in found}
        for id_ in conversations:
            if id_ not in held:
                found += await self._turns_of(store, id_)
        return by_conversation(found)

    async def _turns_of(self, store: Store, conversation_id: str) -> list[TurnUsage]:
        kept = await store.usage(conversation_id=conversation_id)
        known = {turn.turn_id for turn in kept}
        return kept + [
            TurnUsage(turn_id=id_, conversation_id=conversation_id, agent=handle.agent, usage=handle.usage)
            for id_, (_turn, handle) in self._turns.items()
            if handle.conversation_id == conversation_id and id_ not in known
        ]

    async def _total(self, conversation_id: str) -> UsageTotal:
        turns = await self._turns_of(await self.recorder.store(), conversation_id)
        return total_of(turn.usage for turn in turns)

    async def _latest_conversation(self, notebook: str | None) -> str | None:
        store = await self.recorder.store()
        latest = await store.latest_turn(notebook)
        return None if latest is None else latest.conversation_id

    def _keep(self, turn: Turn, handle: CodingHandle) -> None:
        self._turns[handle.turn_id] = (turn, handle)
        settled = [id_ for id_, (_turn, kept) in self._turns.items() if kept.done]
        for id_ in settled[: max(0, len(self._turns) - _KEPT_TURNS)]:
            del self._turns[id_]

    def _obey(self, signal: Signal | None, turn: Turn) -> None:
        if isinstance(signal, AbortSignal):
            signal.on_abort(lambda: self._abort(turn))
        elif signal is not None:
            self.thread.spawn(_poll(signal, turn), f"signal of turn {turn.request.turn_id}")

    def _abort(self, turn: Turn) -> None:
        with contextlib.suppress(NbHarnessError):  # the loop has ended, and every turn with it
            self.thread.post(lambda: turn.abort("aborted", "stopped by its signal"))

    async def _close(self, patience_s: float) -> None:
        for turn, _handle in list(self._turns.values()):
            turn.abort("interrupted", "nbharness was shut down")
        await self._conversations.close(patience_s)
        await self.recorder.close()


async def _poll(signal: threading.Event, turn: Turn) -> None:
    while not turn.ended:
        if signal.is_set():
            turn.abort("aborted", "stopped by its signal")
            return
        await asyncio.sleep(HEARTBEAT_S)


_runtime: Runtime | None = None
_lock = threading.Lock()


def runtime() -> Runtime:
    """Return the runtime of this process, starting it if need be.

    Raises:
        NbHarnessError: Later, when used in a forked child.
    """
    global _runtime  # noqa: PLW0603 (one runtime a process is the point)
    with _lock:
        if _runtime is None:
            _runtime = Runtime()
            atexit.register(_runtime.close)
        return _runtime
