"""The pipeline from an agent's line to the bytes of a frame, with its own parts and no waiting.

Frames come after every 66 lines, which is what 2000 lines a second make of 30 frames a second, and as fast as they can:
what is measured is work, not sleep. The yardstick, the standard library's parser, has the same lines, block by block
before the pipeline, so that a processor which others slow down slows both.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from bench.lines import Reader
from jupyter_client.session import Session

from nbharness.adapters.base import AgentSession, TurnRequest
from nbharness.approvals import ApprovalDesk
from nbharness.audience import Anyone
from nbharness.clock import SystemClock
from nbharness.events import MessageDelta, TurnStarted
from nbharness.feed import Feed
from nbharness.feed_writer import FeedWriter
from nbharness.git import UndoResult
from nbharness.handle import CodingHandle
from nbharness.inputs import CodingInput
from nbharness.notebook.channel import to_wire
from nbharness.policy import Policy
from nbharness.redact import Redactor
from nbharness.store import Store, TurnRecord
from nbharness.tasks import TaskOwner
from nbharness.turn import Turn
from nbharness.usage import UsageTotal

__all__ = ["LINES_PER_FRAME", "Replayed", "replay"]

LINES_PER_FRAME = 66
_BLOCK = 20 * LINES_PER_FRAME
_TURN = "t0123456789ab"
_COMM = "0123456789abcdef0123456789abcdef"


@dataclasses.dataclass(frozen=True)
class Replayed:
    """What a replay came to.

    Attributes:
        yardstick_s: Processor seconds of ``json.loads`` for the lines.
        cpu_s: Processor seconds of everything else in this process, the store's thread included.
        frames: Messages for the page.
        rows: Events in the feed.
        chars: Characters that came out of ``async for``, or lie in the feed when nobody followed.
    """

    yardstick_s: float
    cpu_s: float
    frames: int
    rows: int
    chars: int


def replay(
    lines: Sequence[bytes], reader: Callable[[], Reader], *, followed: bool = False, enveloped: bool = False
) -> Replayed:
    """Send lines through the pipeline.

    Args:
        lines: What the agent writes.
        reader: Makes what parses and translates them.
        followed: Also deliver every event through the public ``async for``.
        enveloped: Also put Jupyter's envelope and signature around each frame.
    """
    with tempfile.TemporaryDirectory() as place:
        return asyncio.run(_run(Path(place), lines, reader(), followed=followed, enveloped=enveloped))


async def _run(place: Path, lines: Sequence[bytes], read: Reader, *, followed: bool, enveloped: bool) -> Replayed:
    store = await Store.open(place / "store.db", redactor=Redactor.from_environment(os.environ).redact)
    conversation = await store.create_conversation("bench", str(place))
    await store.begin_turn(TurnRecord(id=_TURN, conversation_id=conversation.id, prompt="replay", agent="bench"))
    try:
        return await _Pipeline(place, store, enveloped=enveloped).run(lines, read, followed=followed)
    finally:
        await store.close()


class _Pipeline:
    """One turn, its store and the frames of its view, on one loop."""

    def __init__(self, place: Path, store: Store, *, enveloped: bool) -> None:
        clock, spawn = SystemClock(), TaskOwner()
        self._spawn = spawn
        self._store = store
        self._feed = Feed()
        self._writer = FeedWriter(_TURN, self._feed, store, clock)
        self._turn = Turn(
            request=TurnRequest(turn_id=_TURN, task="replay", workspace=place),
            started=TurnStarted(prompt="replay"),
            open_session=_no_session,
            desk=ApprovalDesk(
                agent="bench",
                workspace=place,
                mode="require",
                policy=Policy(),
                audience=Anyone(),
                emit=self._writer.put,
            ),
            writer=self._writer,
            clock=clock,
            spawn=spawn,
            timeout_s=None,
        )
        self._session = Session(key=b"0123456789abcdef0123456789abcdef")
        self._is_enveloped = enveloped
        self._sent, self._frames = -1, 0
        self._read: list[str] = []

    async def run(self, lines: Sequence[bytes], read: Reader, *, followed: bool) -> Replayed:
        following = self._spawn(self._follow(), "reader") if followed else None
        began, yardstick_s = time.process_time(), 0.0
        for start in range(0, len(lines), _BLOCK):
            block = lines[start : start + _BLOCK]
            yardstick_s += _parse(block)
            for first in range(0, len(block), LINES_PER_FRAME):
                for line in block[first : first + LINES_PER_FRAME]:
                    for event in read(line):
                        self._turn.emit(event)
                await self._writer._write()
                self._frame()
                await asyncio.sleep(0)
        self._feed.close()
        await self._store.flush()
        if following is not None:
            await following
        cpu_s = time.process_time() - began - yardstick_s
        texts = self._read or [_text(envelope.event) for envelope in self._feed.since()]
        return Replayed(yardstick_s, cpu_s, self._frames, len(self._feed), len("".join(texts)))

    async def _follow(self) -> None:
        handle = CodingHandle(
            turn_id=_TURN,
            conversation_id="",
            agent="bench",
            feed=self._feed,
            outcome=Future(),
            control=_NoControl(),
        )
        async for event in handle:
            self._read.append(_text(event))

    def _frame(self) -> None:
        fresh = self._feed.since(self._sent)
        self._sent = fresh[-1].seq
        content = {"kind": "batch", "turnId": _TURN, "events": to_wire(fresh)}
        body = {"data": {"method": "custom", "content": content}, "comm_id": _COMM}
        self._frames += 1
        if self._is_enveloped:
            message = self._session.msg("comm_msg", body, parent={})
            self._session.serialize(message, ident=b"comm-" + _COMM.encode())
        else:
            self._session.pack(body)


class _NoControl:
    def send(self, given: CodingInput) -> None:
        raise AssertionError(given)

    def undo(self, *, redo: bool) -> UndoResult:
        raise NotImplementedError

    def conversation_usage(self) -> UsageTotal:
        raise NotImplementedError

    def followed(self, delta: int) -> None:
        del delta

    def on_own_loop(self) -> bool:
        return False

    def check(self) -> None:
        return


def _parse(lines: Sequence[bytes]) -> float:
    began = time.thread_time()
    for line in lines:
        json.loads(line)
    return time.thread_time() - began


async def _no_session() -> AgentSession:
    raise AssertionError("a replay drives no session")


def _text(event: object) -> str:
    return event.delta if isinstance(event, MessageDelta) else ""
