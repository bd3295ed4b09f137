"""The runtime and its handles, used from a test's thread as from a notebook's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.turns import Script, ScriptedAdapter

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.errors import (
    ApprovalError,
    ConfigError,
    NbHarnessError,
    NotSupported,
    TurnFailed,
    UnknownName,
    WorkspaceError,
)
from nbharness.events import ApprovalRequired, MessageDelta, Notice, TurnCompleted
from nbharness.events import TurnFailed as Failed
from nbharness.handle import CodingHandle
from nbharness.inputs import Abort, ApprovalDecision
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


async def asks(_request: TurnRequest, port: TurnPort) -> None:
    decision = await port.ask(ApprovalRequest(tool_name="bash", args={"command": "ls"}))
    port.emit(TurnCompleted(response=decision.status))


async def waits(_request: TurnRequest, port: TurnPort) -> None:
    port.emit(MessageDelta(delta="x"))
    await port.next_message()


def start(runtime: Runtime, tmp_path: Path, script: Script, **fields: object) -> CodingHandle:
    return runtime.start(spec(tmp_path, **fields), adapter=ScriptedAdapter(script))


def test_a_handle_gives_its_result_to_any_thread(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, hello)
    result = handle.result(10)
    assert result.output.text == "do it"
    assert handle.result() is result

    async def both() -> tuple[object, object]:
        return await handle, await handle

    assert asyncio.run(both()) == (result, result)
    assert asyncio.run(both())[0] is result


def test_iterating_late_and_twice_replays_from_the_first_event(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, hello)
    handle.result(10)

    async def types() -> list[str]:
        return [event.type async for event in handle]

    assert asyncio.run(types()) == ["turn.started", "message.delta", "turn.completed"]
    assert asyncio.run(types()) == ["turn.started", "message.delta", "turn.completed"]


def test_iterating_a_failed_turn_raises_after_its_last_event(runtime: Runtime, tmp_path: Path) -> None:
    async def fails(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(Failed(error="no", code="auth"))

    handle = start(runtime, tmp_path, fails)
    seen = []

    async def iterate() -> None:
        async for event in handle:
            seen.append(event.type)  # noqa: PERF401 (what came before the error counts)

    with pytest.raises(TurnFailed, match="no") as raised:
        asyncio.run(iterate())
    assert raised.value.code == "auth"
    assert seen == ["turn.started", "turn.failed"]
    assert handle.result().status == "error"


def test_whoever_iterates_can_answer(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, asks)

    async def iterate() -> None:
        async for event in handle:
            if isinstance(event, ApprovalRequired):
                assert [waiting.id for waiting in handle.waiting] == [event.id]
                handle.approve()

    asyncio.run(iterate())
    assert handle.result().output.text == "approved"
    assert handle.waiting == []


def test_a_handle_that_is_only_awaited_has_nobody_to_answer(runtime: Runtime, tmp_path: Path) -> None:
    result = start(runtime, tmp_path, asks).result(10)
    assert result.output.text == "rejected"
    assert result.output.value.metadata == {"refused": 1}


def test_giving_up_a_wait_does_not_stop_the_turn(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, waits)
    with pytest.raises(TimeoutError, match="goes on"):
        handle.result(0.01)

    async def cancelled() -> None:
        async with asyncio.timeout(0.05):
            await handle

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert not handle.done
    handle.abort()
    handle.abort()
    assert handle.result(10).status == "aborted"


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("kind", [AbortSignal, threading.Event])
def test_a_signal_stops_its_turn(runtime: Runtime, tmp_path: Path, kind: type, before: bool) -> None:  # noqa: FBT001
    signal = kind()
    throw = signal.abort if isinstance(signal, AbortSignal) else signal.set
    if before:
        throw()
    handle = runtime.start(spec(tmp_path), adapter=ScriptedAdapter(waits), signal=signal)
    throw()
    assert handle.result(10).status == "aborted"


def test_turns_of_a_conversation_run_in_order_in_one_session(runtime: Runtime, tmp_path: Path) -> None:
    adapter = ScriptedAdapter(waits)
    first = runtime.start(spec(tmp_path), adapter=adapter)
    second = runtime.start(spec(tmp_path, conversation=first.conversation_id), adapter=adapter)
    assert first.feed.wait(0, 10)
    assert len(second.feed) == 0
    first.send({"type": "message", "text": "go"})
    first.result(10)
    assert second.feed.wait(0, 10)
    second.send(Abort())
    second.result(10)
    assert adapter.opened == 2  # the first turn broke the protocol, so its session was opened anew
    assert first.conversation_id == second.conversation_id


def test_a_turn_is_kept(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, hello)
    handle.result(10)
    runtime.close(5)

    async def read() -> None:
        store = await Store.open(tmp_path / "nbharness.db")
        conversation = await store.get_conversation(handle.conversation_id)
        turns = await store.turns(conversation.id)
        assert conversation.title == "do it"
        assert conversation.session_id == "s1"
        assert [(turn.id, turn.status) for turn in turns] == [(handle.turn_id, "completed")]
        assert await store.events(handle.turn_id) == handle.feed.since()
        await store.close()

    asyncio.run(read())


def test_a_store_that_cannot_be_used_is_said_in_the_turn(tmp_path: Path) -> None:
    database = tmp_path / "nbharness.db"
    database.write_bytes(b"SQLite format 3\0" + b"damaged" * 1000)
    damaged = Runtime(database)
    handle = start(damaged, tmp_path, hello)
    result = handle.result(10)
    damaged.close(5)
    assert result.status == "completed"
    assert [envelope.type for envelope in handle.feed.since()][:2] == ["turn.started", "notice"]
    (notice,) = [envelope.event for envelope in handle.feed.since() if isinstance(envelope.event, Notice)]
    assert str(tmp_path) in notice.message


def test_a_conversation_is_taken_up_again(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, hello)
    handle.result(10)
    runtime.close(5)
    later = Runtime(tmp_path / "nbharness.db")
    adapter = ScriptedAdapter(hello, resume=True)
    again = later.start(spec(tmp_path, conversation=handle.conversation_id[:6]), adapter=adapter)
    assert again.conversation_id == handle.conversation_id
    again.result(10)
    adapter.name = "other"
    with pytest.raises(ConfigError, match="scripted"):
        later.start(spec(tmp_path, conversation=handle.conversation_id[:7]), adapter=adapter)
    with pytest.raises(ConfigError, match="zzz"):
        later.start(spec(tmp_path, conversation="zzz"), adapter=adapter)
    later.close(5)


def test_the_latest_conversation_of_a_notebook(runtime: Runtime, tmp_path: Path) -> None:
    assert runtime.latest_conversation(None) is None
    first = start(runtime, tmp_path, hello, open_notebook=tmp_path / "a.ipynb", cell_id="1")
    first.result(10)
    second = start(runtime, tmp_path, hello, open_notebook=tmp_path / "b.ipynb", cell_id="1")
    second.result(10)
    assert runtime.latest_conversation(str(tmp_path / "a.ipynb")) == first.conversation_id
    assert runtime.latest_conversation(None) == second.conversation_id
    assert runtime.latest_conversation("c.ipynb") is None


@pytest.mark.parametrize(
    ("fields", "error", "says"),
    [
        ({"task": " \n"}, ConfigError, "prompt is empty"),
        ({"timeout_s": -1}, ConfigError, "-1"),
        ({"workspace": Path("/nowhere/at/all")}, WorkspaceError, "/nowhere/at/all"),
        ({"model": "big"}, NotSupported, "big"),
        ({"session_id": "s"}, NotSupported, "resuming"),
        ({"options": {"speed": 3}}, NotSupported, "speed"),
    ],
)
def test_bad_input_starts_nothing(
    runtime: Runtime, tmp_path: Path, fields: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        start(runtime, tmp_path, hello, **fields)
    assert runtime.running() == []
    assert not (tmp_path / "nbharness.db").exists()


def test_an_unknown_agent_lists_those_that_exist(runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="demo"):
        runtime.start(spec(tmp_path, agent="nobody"))


def test_inputs_are_given_from_any_thread_and_from_the_loop(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, asks)

    async def decide() -> None:
        async for event in handle:
            if isinstance(event, ApprovalRequired):
                runtime.send(handle.turn_id, ApprovalDecision(id=event.id, decision="approve"), "user")

    asyncio.run(decide())
    assert handle.result(10).output.text == "approved"
    other = start(runtime, tmp_path, waits)

    async def on_the_loop() -> None:
        runtime.send(other.turn_id, Abort(), "user")

    runtime.thread.call(on_the_loop())
    assert other.result(10).status == "aborted"
    with pytest.raises(NbHarnessError, match="no turn 't0'"):
        runtime.send("t0", Abort(), "user")


def test_messages_need_an_agent_that_takes_them(runtime: Runtime, tmp_path: Path) -> None:
    handle = runtime.start(spec(tmp_path), adapter=ScriptedAdapter(waits, steer=False))
    with pytest.raises(NotSupported, match="messages"):
        handle.send({"type": "message", "text": "x"})
    with pytest.raises(ValueError, match="not an input"):
        handle.send({"type": "dance"})
    handle.abort()
    handle.result(10)


def test_approving_when_nothing_waits_and_rejecting_what_does(runtime: Runtime, tmp_path: Path) -> None:
    handle = start(runtime, tmp_path, waits)
    with pytest.raises(ApprovalError, match="nothing waits"):
        handle.approve()
    handle.abort()
    handle.result(10)
    asked = start(runtime, tmp_path, asks)

    async def iterate() -> None:
        async for event in asked:
            if isinstance(event, ApprovalRequired):
                asked.reject(event.id, reason="not now")

    asyncio.run(iterate())
    assert asked.result().output.text == "rejected"
