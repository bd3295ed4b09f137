"""A session may raise, end or emit anything: the turn still ends once, in words, and its log can be read again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from support.turns import OneTurn

from nbharness import turn_agent
from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.events import (
    Event,
    MessageDelta,
    Notice,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    Unknown,
    decode,
)


class _MuteError(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "error",
    [asyncio.CancelledError(), GeneratorExit(), BaseExceptionGroup("several", [GeneratorExit()]), _MuteError()],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_a_session_raises_fails_its_turn(error: BaseException) -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(ToolStart(id="x", name="bash", args={}))
        raise error

    turn = OneTurn(script)
    result = await turn.run()
    assert result.error is not None
    assert result.error.code == "sdk_error"
    assert type(error).__name__ in result.error.message
    assert turn.types() == ["turn.started", "tool.start", "tool.end", "turn.failed"]


def _cycle() -> list[Any]:
    inner: list[Any] = []
    inner += [inner, inner, {"again": inner}]
    return inner


@pytest.mark.parametrize(
    "thing",
    [
        None,
        "text",
        object(),
        MessageDelta,
        MessageDelta(delta=None),  # type: ignore[arg-type]
        MessageDelta(delta=["a"]),  # type: ignore[arg-type]
        MessageDelta(delta="\ud800", message_id="\ud800"),
        ToolStart(id=5, name=None, args=object()),  # type: ignore[arg-type]
        ToolStart(id="\udc00", name="x", args={"\ud800": float("nan"), 1: {2, 3}}),
        ToolStart(id="c", name="x", args=_cycle()),
        ToolStart(id="n", name="x", args={"n": 2**70, "m": 10**400}),
        ToolEnd(id="e", name="x", output=_MuteError(), is_error="no", duration_ms=1),  # type: ignore[arg-type]
        Notice(message="x", level="loud"),  # type: ignore[arg-type]
        Unknown(type=3, raw=_cycle()),  # type: ignore[arg-type]
    ],
    ids=lambda thing: type(thing).__name__,
)
async def test_whatever_a_session_emits_is_logged_as_it_is_read_again(thing: Any) -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(thing)
        port.emit(MessageDelta(delta="still here"))
        port.emit(TurnCompleted(response=None))

    turn = OneTurn(script)
    assert (await turn.run()).status == "completed"
    log = turn.feed.since()
    assert len(log) > 3
    assert [decode(envelope.encode()) for envelope in log] == log


@pytest.mark.parametrize("last", [TurnCompleted(response=5), TurnFailed(error=None)])  # type: ignore[arg-type]
async def test_a_last_event_that_cannot_be_read_is_a_failure(last: Event) -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(last)

    turn = OneTurn(script)
    result = await turn.run()
    assert result.error is not None
    assert result.error.code == "protocol"
    assert last.type in result.error.message
    assert turn.types() == ["turn.started", "turn.failed"]


async def test_what_changes_after_it_was_said_changes_no_log() -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        args = {"command": "ls"}
        port.emit(ToolStart(id="x", name="bash", args=args))
        args["command"] = "rm -r ."
        port.emit(TurnCompleted(response=None))

    turn = OneTurn(script)
    await turn.run()
    started = await turn.until("tool.start")
    assert isinstance(started, ToolStart)
    assert started.args == {"command": "ls"}


async def test_text_that_no_encoder_takes_is_repaired_in_the_result() -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(TurnCompleted(response="half \ud83d", metadata={"n": float("inf")}))

    result = await OneTurn(script).run()
    assert msgspec.json.decode(msgspec.json.encode(result))["output"]["text"] == "half \ufffd"


async def _keeps_on(port: TurnPort, until: Callable[[], bool]) -> None:
    while not until():
        try:
            await asyncio.sleep(0)
            await port.propose("a plan")
            port.emit(MessageDelta(delta="more"))
            port.take_message()
        except asyncio.CancelledError:
            continue


async def test_a_session_that_ignores_being_cancelled_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_agent, "_STOP_GRACE_S", 0.05)
    stop = False
    stopped = asyncio.Event()

    async def script(_request: TurnRequest, port: TurnPort) -> None:
        await _keeps_on(port, lambda: stop)
        stopped.set()

    turn = OneTurn(script, mode="auto")
    turn.begin()
    await turn.until("plan.approved")
    turn.turn.abort("aborted", "enough")
    assert (await turn.settled()).status == "aborted"
    assert turn.turn.left_agent
    settled = turn.types()
    assert settled[-1] == "turn.aborted"
    assert settled.count("turn.aborted") == 1
    assert settled.count("plan.proposed") == settled.count("plan.approved") + settled.count("plan.rejected")
    stop = True
    await stopped.wait()
    assert turn.types() == settled


async def test_a_turn_that_was_stopped_before_it_began_runs_no_agent() -> None:
    async def script(_request: TurnRequest, _port: TurnPort) -> None:
        raise AssertionError

    turn = OneTurn(script)
    turn.turn.abort("aborted", "early")
    result = await turn.run()
    assert result.error is not None
    assert result.error.message == "early"
    assert turn.types() == ["turn.started", "turn.aborted"]


@pytest.mark.parametrize("begun", [True, False])
async def test_a_forsaken_turn_has_a_result(begun: bool) -> None:  # noqa: FBT001
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        port.emit(MessageDelta(delta="x"))
        await asyncio.Event().wait()

    turn = OneTurn(script)
    if begun:
        turn.begin()
        await turn.until("message.delta")
    turn.turn.forsake()
    result = turn.turn.outcome.result()
    assert result.error is not None
    assert result.error.code == "interrupted"
    assert turn.feed.closed
