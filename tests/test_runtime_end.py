"""The runtime under stress, and how it ends: in time, with every turn settled."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import multiprocessing
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.turns import Script, ScriptedAdapter

from nbharness.adapters.base import AgentSession, TurnPort, TurnRequest
from nbharness.errors import (
    NbHarnessError,
)
from nbharness.events import MessageDelta, TurnCompleted
from nbharness.handle import CodingHandle
from nbharness.runtime import Runtime
from nbharness.signals import AbortSignal
from nbharness.spec import TurnSpec
from nbharness.store import Store


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    made = Runtime(tmp_path / "nbharness.db")
    yield made
    made.close(5)


def spec(tmp_path: Path, **fields: object) -> TurnSpec:
    return TurnSpec(**{"task": "do it", "agent": "scripted", "workspace": tmp_path, **fields})  # type: ignore[arg-type]


async def hello(request: TurnRequest, port: TurnPort) -> None:
    port.emit(MessageDelta(delta=request.task))
    port.emit(TurnCompleted(response=request.task))


async def waits(_request: TurnRequest, port: TurnPort) -> None:
    port.emit(MessageDelta(delta="x"))
    await port.next_message()


def start(runtime: Runtime, tmp_path: Path, script: Script, **fields: object) -> CodingHandle:
    return runtime.start(spec(tmp_path, **fields), adapter=ScriptedAdapter(script))


def test_closing_interrupts_what_runs(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, waits)
    assert handle.feed.wait(0, 10)
    runtime.close(5)
    result = handle.result(1)
    assert result.error is not None
    assert result.error.code == "interrupted"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
def test_an_agent_that_tries_to_end_the_process_ends_its_turn(
    runtime: Runtime, tmp_path: Path, error: BaseException
) -> None:
    async def exits(_request: TurnRequest, _port: TurnPort) -> None:
        raise error

    other = start(runtime, tmp_path, waits)
    result = start(runtime, tmp_path, exits).result(10)
    assert result.error is not None
    assert result.error.code == "sdk_error"
    assert start(runtime, tmp_path, hello).result(10).status == "completed"
    assert not other.done


def test_many_turns_at_once_share_one_store(runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    open_store = Store.open

    async def counting(*args: Any, **options: Any) -> Store:
        opened.append(args)
        return await open_store(*args, **options)

    monkeypatch.setattr(Store, "open", counting)
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        handles = list(pool.map(lambda _: start(runtime, tmp_path, hello), range(50)))
        assert {handle.result(20).status for handle in handles} == {"completed"}
    assert len(opened) == 1
    assert len({handle.conversation_id for handle in handles}) == 50


def test_closing_settles_what_does_not_stop_in_time(tmp_path: Path) -> None:
    stop = threading.Event()

    async def stubborn(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(MessageDelta(delta="x"))
        while not stop.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    runtime = Runtime(tmp_path / "nbharness.db")
    adapter = ScriptedAdapter(stubborn)
    first = runtime.start(spec(tmp_path), adapter=adapter)
    queued = runtime.start(spec(tmp_path, conversation=first.conversation_id), adapter=adapter)
    assert first.feed.wait(0, 10)
    began = time.monotonic()
    runtime.close(1)
    assert time.monotonic() - began < 10  # it would wait for ever
    stop.set()
    for handle in (first, queued):
        assert handle.result(0).error is not None
        assert handle.feed.since()[-1].type == "turn.aborted"
    with pytest.raises(NbHarnessError, match="shut down"):
        start(runtime, tmp_path, hello)

    async def kept() -> list[str]:
        store = await Store.open(tmp_path / "nbharness.db")
        statuses = [turn.status for turn in await store.turns(first.conversation_id)]
        await store.close()
        return statuses

    assert asyncio.run(kept()) == ["aborted", "aborted"]


def _wait_for(handle: CodingHandle, said: multiprocessing.Queue[str]) -> None:
    async def awaited() -> None:
        await handle

    for wait in (handle.result, lambda: asyncio.run(awaited())):
        try:
            wait()
        except NbHarnessError as error:
            said.put(str(error))


def test_a_forked_child_does_not_wait_for_its_parents_turn(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, waits)
    context = multiprocessing.get_context("fork")
    said: multiprocessing.Queue[str] = context.Queue()
    child = context.Process(target=_wait_for, args=(handle, said))
    child.start()
    assert "forked" in said.get(timeout=20)
    assert "forked" in said.get(timeout=20)
    child.join(20)
    assert not handle.done


def test_a_signal_thrown_after_the_end_changes_nothing(tmp_path: Path) -> None:
    runtime = Runtime(tmp_path / "nbharness.db")
    signal = AbortSignal()
    handle = runtime.start(spec(tmp_path), adapter=ScriptedAdapter(hello), signal=signal)
    handle.result(10)
    runtime.close(5)
    signal.abort()
    assert handle.result().status == "completed"


def _use(runtime: Runtime, tmp_path: Path, said: multiprocessing.Queue[str]) -> None:
    try:
        start(runtime, tmp_path, hello)
    except NbHarnessError as error:
        said.put(str(error))


def test_a_forked_child_is_told(runtime: Runtime, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    said: multiprocessing.Queue[str] = context.Queue()
    child = context.Process(target=_use, args=(runtime, tmp_path, said))
    child.start()
    assert "forked" in said.get(timeout=20)
    child.join(20)


def test_agents_at_rest_are_let_go_and_taken_up_again(runtime: Runtime, tmp_path: Path) -> None:
    closed: list[str] = []
    several = threading.Event()

    class Adapter(ScriptedAdapter):
        async def open_session(
            self, workspace: Path, session_id: str | None = None, *, fork: bool = False
        ) -> AgentSession:
            session = await super().open_session(workspace, session_id, fork=fork)
            name = session_id or f"s{self.opened}"
            session.session_id = name  # type: ignore[misc]

            async def close() -> None:
                closed.append(name)
                if len(closed) == 4:
                    several.set()

            session.close = close  # type: ignore[method-assign]
            return session

    adapter = Adapter(hello, resume=True)
    handles = []
    for _ in range(20):
        handles.append(runtime.start(spec(tmp_path), adapter=adapter))
        handles[-1].result(10)
        settle(runtime, handles[-1])
    assert several.wait(10)
    assert closed == ["s1", "s2", "s3", "s4"]
    again = runtime.start(spec(tmp_path, conversation=handles[0].conversation_id), adapter=adapter)
    assert again.result(10).session_id == "s1"


def settle(runtime: Runtime, handle: CodingHandle) -> None:
    """Wait until the turn is kept, after which its conversation is at rest."""

    async def kept() -> str:
        store = await runtime.recorder.store()
        while (await store.get_turn(handle.turn_id)).status == "running":  # noqa: ASYNC110 (each look waits for the disk)
            await asyncio.sleep(0)
        return (await store.get_turn(handle.turn_id)).status

    assert runtime.thread.call(kept(), 10) == "completed"
