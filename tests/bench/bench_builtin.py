"""B1, B2: the built-in agent's first word on the page, and what its loop adds to a tool call.

B1: the agent in an idle kernel; from the moment in which the fake model begins to answer, without a pause of its own,
to the frame that holds the first word. B2: a turn of many tool calls that do nothing, against a client that sends the
same requests one after another and does nothing with the answers.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

import httpx2
import msgspec
from bench.measure import ROUNDS, ratios, weather
from bench.table import Row
from bench.tap import Tap, bench_kernel
from support.builtin import WIRES, environment
from support.kernels import Kernel

from nbharness.audience import Nobody
from nbharness.events import MessageDelta
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Request
from nbharness.tools import from_callable

__all__ = ["run"]

FIRST_GOAL_MS = 50
CALL_GOALS_MS = {"anthropic": 15, "responses": 30, "chat": 15}
STEPS = {"short": 10, "long": 100}
_LONG_ROUNDS = 2


class _Stamped(list[Request]):
    """Requests, and when each came."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []

    def append(self, request: Request) -> None:
        self.at.append(time.monotonic())
        super().append(request)


def run() -> list[Row]:
    """Measure the first word, then each wire form."""
    with tempfile.TemporaryDirectory() as place, FakeLLM({"hi": [Reply(text="Hello.")]}) as model:
        variables = environment(model.url, Path(place) / "home")
        with mock.patch.dict(os.environ, variables):
            return [_first_word(model, Path(place) / "kernel"), *_calls(model, Path(place))]


def _first_word(model: FakeLLM, place: Path) -> Row:
    place.mkdir()
    with bench_kernel("python3", place) as kernel, weather() as seen:
        _one_word(model, kernel)  # loads the engine
        waits = [_one_word(model, kernel) for _ in range(ROUNDS)]
    return Row(
        bar="B1",
        what="built-in agent: request at the model to first word on the page",
        goal=FIRST_GOAL_MS,
        result=1000 * statistics.median(waits),
        unit="ms",
        yardstick="a model that answers at once",
        is_disturbed=seen.is_bad,
    )


def _one_word(model: FakeLLM, kernel: Kernel) -> float:
    model.requests = stamped = _Stamped()
    tap = Tap(kernel)
    kernel.run_answered(f"%coder --agent builtin --model {WIRES['anthropic']} SCRIPT:hi", lambda _event: None)
    shown = next(
        message.at
        for message in tap.stop()
        if any(isinstance(envelope.event, MessageDelta) for envelope in message.envelopes)
    )
    return shown - stamped.at[0]


def _calls(model: FakeLLM, place: Path) -> Iterable[Row]:
    runtime = Runtime(place / "nbharness.db")
    try:
        for wire, goal in CALL_GOALS_MS.items():
            for length, steps in STEPS.items():
                yield _overhead(runtime, model, place, wire, steps, goal if length == "short" else None)
    finally:
        runtime.close(5)


def _overhead(runtime: Runtime, model: FakeLLM, place: Path, wire: str, steps: int, goal: float | None) -> Row:
    call = Reply(calls=[Call(tool="nothing")])
    model.scripts |= {"one": [call, Reply(text="Done.")], "many": [*[call] * (1 + steps), Reply(text="Done.")]}
    spec = TurnSpec(agent="builtin", model=WIRES[wire], workspace=place, tools=(from_callable(nothing, asks=False),))

    def ours(script: str) -> float:
        model.requests = []
        began = time.monotonic()
        named = msgspec.structs.replace(spec, task=f"SCRIPT:{script}")
        result = runtime.start(named, audience=Nobody()).result(120)
        assert result.status == "completed", result.error
        return time.monotonic() - began

    def bare() -> float:
        sent = list(model.requests)
        began = time.monotonic()
        with httpx2.Client() as client:
            for request in sent:
                body = msgspec.json.encode(request.body)
                with client.stream("POST", f"{model.url}{request.path}", content=body) as answer:
                    answer.read()
        return time.monotonic() - began

    def both() -> tuple[float, float]:
        """What a turn has besides its calls is in both turns of ours, and in the difference no more."""
        one, bare_one = ours("one"), bare()
        many, bare_many = ours("many"), bare()
        return bare_many - bare_one, many - one

    both()
    rounds = ROUNDS if goal is not None else _LONG_ROUNDS
    with weather() as seen:
        (measured,) = ratios(lambda: [both()], rounds, at_most=2 * rounds)
    return Row(
        bar="B2",
        what=f"built-in agent, {wire}: added to each of {steps} tool calls",
        goal=goal if goal is not None else float("inf"),
        result=1000 * measured.more / steps,
        unit="ms",
        yardstick=f"the same requests bare, {1000 * measured.yardstick / steps:.1f} ms",
        is_disturbed=seen.is_bad,
    )


def nothing() -> str:
    """Do nothing."""
    return "nothing"
