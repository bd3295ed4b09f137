"""What the page may say, and that it is hostile."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.turns import OneTurn

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.clock import SystemClock
from nbharness.errors import NbHarnessError
from nbharness.events import (
    ApprovalRequired,
    Envelope,
    MessageDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    WorkspaceChanged,
    decode,
)
from nbharness.feed import Feed
from nbharness.git import UndoResult
from nbharness.inputs import CodingInput
from nbharness.notebook.channel import Channel, ViewedTurn
from nbharness.notebook.views import Views


async def asks(_request: TurnRequest, port: TurnPort) -> None:
    decision = await port.ask(ApprovalRequest(tool_name="bash", args={"command": "ls"}))
    port.emit(TurnCompleted(response=decision.status))


class Page:
    """A turn that asks, and a page that answers."""

    def __init__(self) -> None:
        self.turn = OneTurn(asks)
        self.sent: list[CodingInput] = []
        self.channel = Channel(self._send)
        self.views = Views(SystemClock())
        self.undone: list[bool] = []
        self.viewed = ViewedTurn(
            turn_id="t1",
            feed=self.turn.feed,
            views=self.views,
            settled=lambda: self.turn.turn.ended,
            undo=self._undo,
        )
        self.channel.add(self.viewed)

    def _send(self, _turn_id: str, given: CodingInput, by: str) -> None:
        self.sent.append(given)
        self.turn.turn.send(given, by)

    def _undo(self, is_redo: bool) -> UndoResult:  # noqa: FBT001 (as the channel calls it)
        self.undone.append(is_redo)
        if len(self.undone) > 2:
            raise NbHarnessError("no snapshot was kept")
        return UndoResult(undone=not is_redo, conflicts=["a"] if is_redo else [], message="said")

    def say(self, **message: Any) -> dict[str, Any]:
        return self.channel.handle({"view": "v1", "turnId": "t1", **message})

    def answer(self, input_id: str, **given: Any) -> dict[str, Any]:
        return self.say(kind="input", inputId=input_id, secret=self.viewed.secret, input=given)

    async def asked(self) -> ApprovalRequired:
        self.turn.begin()
        event = await self.turn.until("approval.required")
        assert isinstance(event, ApprovalRequired)
        return event


async def test_hello_brings_the_secret_and_what_was_missed() -> None:
    page = Page()
    await page.asked()
    welcome = page.say(kind="hello", lastSeq=-1)
    assert welcome["secret"] == page.viewed.secret
    assert [event["type"] for event in welcome["events"]] == ["turn.started", "approval.required"]
    assert (welcome["lastSeq"], welcome["more"], welcome["settled"]) == (1, False, False)
    assert page.say(kind="resync", lastSeq=0)["events"] == welcome["events"][1:]
    assert page.views.ever_heard
    page.turn.desk.cancel_all()
    await page.turn.settled()


async def test_a_long_turn_comes_in_parts_without_loss() -> None:
    async def script(_request: TurnRequest, port: TurnPort) -> None:
        for index in range(700):
            port.emit(ToolStart(id=str(index), name="bash", args={"x": "y" * 1000}))
            port.emit(ToolEnd(id=str(index), name="bash", output="", is_error=False, duration_ms=1))
        port.emit(MessageDelta(delta="\ud83d half"))
        port.emit(TurnCompleted(response=None))

    page = Page()
    page.turn = OneTurn(script)
    await page.turn.run()
    channel = Channel(lambda *_: None)
    channel.add(ViewedTurn(turn_id="t1", feed=page.turn.feed, views=page.views, settled=lambda: True, undo=page._undo))
    seen: list[int] = []
    more = True
    while more:
        last = seen[-1] if seen else -1
        welcome = channel.handle({"kind": "resync", "view": "v", "turnId": "t1", "lastSeq": last})
        seen += [event["seq"] for event in welcome["events"]]
        more = welcome["more"]
    assert seen == list(range(len(page.turn.feed)))
    assert [decode(envelope.encode()) for envelope in page.turn.feed.since()] == page.turn.feed.since()


async def test_one_click_on_two_roads_counts_once() -> None:
    page = Page()
    required = await page.asked()
    answer = {"type": "approval", "id": required.id, "decision": "approve", "argsHash": required.args_hash}
    first = page.answer("i1", **answer)
    second = page.answer("i1", **answer)
    assert first == second == {"kind": "reply", "inputId": "i1", "status": "ok", "message": "", "recorded": ""}
    assert len(page.sent) == 1
    assert (await page.turn.settled()).output.text == "approved"


async def test_two_tabs_first_wins_and_the_other_is_told() -> None:
    page = Page()
    required = await page.asked()
    answer = {"type": "approval", "id": required.id, "argsHash": required.args_hash}
    assert page.answer("i1", decision="reject", **answer)["status"] == "ok"
    told = page.answer("i2", decision="approve", **answer)
    assert (told["status"], told["recorded"]) == ("conflict", "rejected")
    assert (await page.turn.settled()).output.text == "rejected"


@pytest.mark.parametrize(
    ("message", "status", "says"),
    [
        ({"secret": "wrong"}, "invalid", "secret"),
        ({"secret": None}, "invalid", "secret"),
        ({"inputId": ""}, "invalid", "inputId"),
        ({"input": {"type": "approval", "id": "a1", "decision": "approve"}}, "invalid", "hash"),
        (
            {"input": {"type": "approval", "id": "a1", "decision": "approve", "argsHash": "x", "scope": "turn"}},
            "invalid",
            "on view",
        ),
        ({"input": {"type": "approval", "id": "a1", "decision": "maybe"}}, "invalid", "not an input"),
        ({"input": {"type": "approval", "id": "a9", "decision": "approve", "argsHash": "x"}}, "unknown", "a9"),
        ({"input": {"type": "approval", "id": "a1", "decision": "approve", "argsHash": "x"}}, "conflict", "other"),
        ({"input": "approve"}, "invalid", "not an input"),
        ({"kind": "eval"}, "invalid", "eval"),
        ({"turnId": "t2"}, "invalid", "no turn 't2'"),
        ({"view": 3}, "invalid", "view"),
    ],
)
async def test_what_is_wrong_changes_nothing(message: dict[str, Any], status: str, says: str) -> None:
    page = Page()
    await page.asked()
    whole = {"kind": "input", "inputId": "i1", "secret": page.viewed.secret, "input": {"type": "abort"}}
    reply = page.say(**{**whole, **message})
    assert reply["status"] == status
    assert says in reply["message"]
    assert page.turn.desk.waiting == ["a1"]
    assert not page.turn.turn.ended
    page.turn.turn.abort("aborted", "end of test")
    await page.turn.settled()


keys = st.sampled_from(["kind", "view", "turnId", "inputId", "secret", "input", "lastSeq", "type", "id"])
scalars = st.none() | st.booleans() | st.floats() | st.text()


@given(st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner)))
def test_nothing_that_a_page_says_raises(message: object) -> None:
    async def say() -> None:
        page = Page()
        assert page.channel.handle(message)["kind"] == "reply"
        if isinstance(message, dict):
            page.say(**{str(key): value for key, value in message.items()})

    asyncio.run(say())


async def test_an_undo_is_answered_with_what_came_of_it_and_done_once_for_both_roads() -> None:
    page = Page()

    async def asks_for(input_id: str, kind: str, secret: str) -> dict[str, Any]:
        said = {"view": "v1", "turnId": "t1", "kind": "input", "inputId": input_id, "input": {"type": kind}}
        return await page.channel.answer({**said, "secret": secret})

    refused = await asks_for("i0", "undo", "guessed")
    assert (refused["status"], page.undone) == ("invalid", [])
    replies = await asyncio.gather(*[asks_for("i1", "undo", page.viewed.secret) for _road in range(2)])
    assert [reply["status"] for reply in replies] == ["ok", "ok"]
    assert page.undone == [False]
    assert replies[0]["undo"]["undone"]
    assert page.viewed.undone
    conflict = await asks_for("i2", "redo", page.viewed.secret)
    assert (conflict["status"], conflict["message"], conflict["undo"]["conflicts"]) == ("conflict", "said", ["a"])
    failed = await asks_for("i3", "undo", page.viewed.secret)
    assert (failed["status"], failed["message"]) == ("invalid", "no snapshot was kept")
    assert page.sent == []


async def test_a_button_on_a_transcript_is_told_what_can_be_taken_back_and_is_no_view() -> None:
    page = Page()
    await page.asked()
    assert page.say(kind="look")["undo"] == ""
    page.turn.turn.abort("aborted", "end of test")
    await page.turn.settled()
    page.viewed.feed = Feed()
    changed = WorkspaceChanged(diffs=[], undoable=True, baseline="a", result="b")
    page.viewed.feed.extend([Envelope(seq=0, turn_id="t1", at=0.0, event=changed)])
    assert page.say(kind="look") == {
        "kind": "looked",
        "view": "v1",
        "turnId": "t1",
        "secret": page.viewed.secret,
        "undo": "undo",
    }
    page.viewed.undone = True
    assert page.say(kind="look")["undo"] == "redo"
    assert page.views.count == 0
