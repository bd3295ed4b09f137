"""A waiting cell waits for its turn, asks where no page can, and gives way when nobody is there."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.turns import Script, ScriptedAdapter

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.audience import Anyone
from nbharness.errors import TurnDetached
from nbharness.events import TurnCompleted
from nbharness.handle import CodingHandle
from nbharness.notebook.views import Views
from nbharness.notebook.waiting import wait_in_cell
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec


class Ticking:
    """A clock that jumps each time it is read."""

    def __init__(self, step: float) -> None:
        self.time = 0.0
        self.step = step

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        self.time += self.step
        return self.time


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Script], CodingHandle]]:
    runtime = Runtime(tmp_path / "nbharness.db")
    spec = TurnSpec(task="x", agent="scripted", workspace=tmp_path)
    yield lambda script: runtime.start(spec, adapter=ScriptedAdapter(script), audience=Anyone(), record=False)
    runtime.close(5)


async def asks(_request: TurnRequest, port: TurnPort) -> None:
    decision = await port.ask(ApprovalRequest(tool_name="bash", args={"command": "ls"}))
    port.emit(TurnCompleted(response=decision.status))


async def waits(_request: TurnRequest, port: TurnPort) -> None:
    await port.next_message()


def nothing() -> None:
    pass


def unexpected(*_: object) -> None:
    pytest.fail("not expected")


def test_where_no_view_is_ever_heard_the_cell_asks(start: Callable[[Script], CodingHandle]) -> None:
    handle = start(asks)
    asked = []

    def ask(handle: CodingHandle, question: object) -> None:
        asked.append(question)
        handle.approve()

    result = wait_in_cell(handle, Views(Ticking(6)), ask=ask, detach=unexpected, work=nothing)
    assert result.output.text == "approved"
    assert len(asked) == 1


@pytest.mark.parametrize(("script", "step"), [(asks, 1.0), (waits, 10.0)])
def test_the_cell_gives_way_when_the_view_went_silent(
    start: Callable[[Script], CodingHandle], script: Script, step: float
) -> None:
    handle = start(script)
    assert handle.feed.wait(0 if script is asks else -1, 10)
    clock = Ticking(0)
    views = Views(clock)
    views.heard("v")
    clock.step = step
    detached = threading.Event()
    with pytest.raises(TurnDetached, match="--attach"):
        wait_in_cell(handle, views, ask=unexpected, detach=detached.set, work=nothing)
    assert detached.is_set()
    assert not handle.done
    handle.abort()
    assert handle.result(10).status == "aborted"


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Handle SIGINT as a kernel does; a shell that runs the tests in the background leaves it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupting_the_cell_stops_the_turn(start: Callable[[Script], CodingHandle]) -> None:
    handle = start(waits)
    views = Views(Ticking(0))
    views.heard("v")
    interrupt = threading.Timer(0.3, _thread.interrupt_main)
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        wait_in_cell(handle, views, ask=unexpected, detach=unexpected, work=nothing)
    assert handle.result(10).status == "aborted"
