"""Mock agents follow their script to the letter."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.port import run_turn

from nbharness.adapters import create_adapter
from nbharness.adapters.mock import RESPONSE_TYPES, MockAdapter, NoopAdapter, SimulatedError
from nbharness.errors import ConfigError
from nbharness.events import (
    Event,
    MessageDelta,
    MessageThinking,
    Notice,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    Unknown,
)
from nbharness.translator import TypedTranslator

SCRIPT: list[dict[str, Any]] = [
    {"type": "assistant", "text": "Reading the failing test..."},
    {"type": "tool_call", "name": "write", "args": {"path": "src/auth.ts", "content": "..."}},
    {"type": "tool_result", "name": "write", "result": "File written"},
    {"type": "assistant", "text": "Fixed."},
]


async def events_of(adapter: MockAdapter, workspace: Path) -> list[Event | Unknown]:
    port = await run_turn(adapter, workspace, "Fix the failing test")
    started, *events = port.events
    assert isinstance(started, TurnStarted)
    return events


async def test_script_is_replayed_as_our_events(tmp_path: Path) -> None:
    first, start, end, last, completed = await events_of(MockAdapter(SCRIPT), tmp_path)
    assert isinstance(first, MessageDelta)
    assert isinstance(last, MessageDelta)
    assert (first.delta, last.delta) == ("Reading the failing test...", "Fixed.")
    assert first.message_id != last.message_id
    assert isinstance(start, ToolStart)
    assert (start.name, start.args) == ("write", {"path": "src/auth.ts", "content": "..."})
    assert isinstance(end, ToolEnd)
    assert (end.id, end.output, end.is_error) == (start.id, "File written", False)
    assert completed == TurnCompleted(response="Fixed.")


async def test_answers_in_a_row_are_messages_of_their_own(tmp_path: Path) -> None:
    script = [{"type": "assistant", "text": "One."}, {"type": "assistant", "text": "Two."}]
    one, two, completed = await events_of(MockAdapter(script), tmp_path)
    assert isinstance(one, MessageDelta)
    assert isinstance(two, MessageDelta)
    assert one.message_id != two.message_id
    assert completed == TurnCompleted(response="Two.")


async def test_streamed_answer_is_one_message(tmp_path: Path) -> None:
    script = [
        {"type": "assistant_delta", "delta": "Fi"},
        {"type": "assistant_delta", "delta": "xed."},
        {"type": "assistant", "text": "Fixed."},
    ]
    *deltas, completed = await events_of(MockAdapter(script), tmp_path)
    assert len({event.message_id for event in deltas if isinstance(event, MessageDelta)}) == 1
    assert completed == TurnCompleted(response="Fixed.")


async def test_thoughts_and_notices_are_no_answer(tmp_path: Path) -> None:
    script = [{"type": "thought", "text": "hm"}, {"type": "system", "text": "compacted"}]
    thought, notice, completed = await events_of(MockAdapter(script), tmp_path)
    assert (thought, notice) == (MessageThinking(delta="hm"), Notice(message="compacted"))
    assert completed == TurnCompleted(response=None)


async def test_artifacts_are_listed_in_the_metadata(tmp_path: Path) -> None:
    artifacts = [{"name": "summary.md", "content": "# Summary\nDone."}]
    (completed,) = await events_of(MockAdapter(artifacts=artifacts), tmp_path)
    assert completed == TurnCompleted(response=None, metadata={"artifacts": artifacts})


@pytest.mark.parametrize("after", range(5))
async def test_it_fails_on_cue(tmp_path: Path, after: int) -> None:
    error = {"after": after, "message": "harness died", "code": "sdk_error"}
    *said, failed = await events_of(MockAdapter(SCRIPT, simulate_error=error), tmp_path)
    assert failed == TurnFailed(error="harness died", code="sdk_error")
    closing = 1 if after == 2 else 0
    assert len(said) == after + closing, "a call without a result is closed"


async def test_failure_can_say_when_to_try_again(tmp_path: Path) -> None:
    error = SimulatedError(message="slow down", code="rate_limited", retry_after=30)
    (failed,) = await events_of(MockAdapter(simulate_error=error), tmp_path)
    assert failed == TurnFailed(error="slow down", code="rate_limited", retry_after=30)


async def test_delay_lies_between_responses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await events_of(MockAdapter(SCRIPT, delay_ms=250), tmp_path)
    assert slept == [0, 0.25, 0.25, 0.25]


async def test_abort_between_responses(tmp_path: Path) -> None:
    this = asyncio.current_task()
    assert this is not None
    said: list[Event | Unknown] = []

    def stop_here(event: Event | Unknown) -> None:
        said.append(event)
        if isinstance(event, MessageDelta):
            this.cancel()

    with pytest.raises(asyncio.CancelledError):
        await run_turn(MockAdapter(SCRIPT, delay_ms=1e9), tmp_path, "x", on_event=stop_here)
    this.uncancel()
    assert [event.type for event in said] == ["turn.started", "message.delta"]


async def test_every_turn_plays_the_same_script_in_one_session(tmp_path: Path) -> None:
    adapter = MockAdapter(SCRIPT)
    session = await adapter.open_session(tmp_path)
    turns = [await run_turn(adapter, tmp_path, "x", session=session) for _ in range(2)]
    assert turns[0].events == turns[1].events
    assert session.session_id.startswith("mock-")
    assert (await adapter.open_session(tmp_path, "earlier")).session_id == "earlier"


@pytest.mark.parametrize("adapter", [NoopAdapter(), create_adapter("mock")], ids=["noop", "mock"])
async def test_without_a_script_it_completes_at_once(tmp_path: Path, adapter: MockAdapter) -> None:
    assert await events_of(adapter, tmp_path) == [TurnCompleted(response=None)]


def test_names() -> None:
    assert (NoopAdapter().name, NoopAdapter("code").name, MockAdapter(name="flaky").name) == ("noop", "code", "flaky")


@pytest.mark.parametrize("kind", RESPONSE_TYPES)
def test_every_type_of_response_has_a_meaning(kind: str) -> None:
    assert TypedTranslator().translate({"type": kind, "text": "x", "delta": "x", "name": "ls"})


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (
            {"responses": [{"type": "assistant"}, {"type": "asistant"}]},
            r"responses\[1\] has type 'asistant'. Valid: a",
        ),
        ({"responses": ["hello"]}, r"responses\[0\] has type None"),
        ({"delay_ms": -1}, "delay_ms"),
        ({"artifacts": ["summary.md"]}, "artifacts"),
        ({"simulate_error": {"after": 1, "message": "x"}}, "comes after 1 responses. Valid: 0 to 0"),
        ({"simulate_error": {"after": 0}}, "missing required field `message`"),
        ({"simulate_error": {"message": "x", "when": 1}}, "unknown field `when`"),
    ],
)
def test_script_that_cannot_be_played_is_refused(script: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        MockAdapter(**script)
