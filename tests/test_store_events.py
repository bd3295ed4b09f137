"""The event log: order, durability, groups, redaction."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from support.stores import all_bytes, approval, begin, deltas, envelope

from nbharness.events import (
    ApprovalUpdated,
    Envelope,
    Event,
    MessageDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    Unknown,
)
from nbharness.store import Store, group_commit
from nbharness.store.store import Store as StoreClass


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "store.db")
    yield opened
    await opened.close()


async def seen_elsewhere(store: Store, turn_id: str = "t1") -> int:
    """Count a turn's events as another connection sees them."""
    other = sqlite3.connect(store.location)
    try:
        return int(other.execute("SELECT count(*) FROM events WHERE turn_id = ?", (turn_id,)).fetchone()[0])
    finally:
        other.close()


async def watch_commits(store: StoreClass) -> asyncio.Queue[str]:
    """Return a queue that gets each transaction's COMMIT."""
    loop, commits = asyncio.get_running_loop(), asyncio.Queue[str]()

    def trace(sql: str) -> None:
        if sql == "COMMIT":
            loop.call_soon_threadsafe(commits.put_nowait, sql)

    connection = store._database._connection
    assert connection is not None
    await connection.set_trace_callback(trace)
    return commits


async def test_events_come_back_as_they_were(store: Store) -> None:
    events: list[Event | Unknown] = [
        MessageDelta(delta='quotes "\\ and \n, NUL \0, \u2028, 🎉', message_id="m"),
        ToolStart(id="c1", name="shell", args={"list": [1, 2.5, None, True], "empty": {}}),
        ToolEnd(id="c1", name="shell", output=None, is_error=False, duration_ms=None),
        Unknown("agent.novelty", {"a": [1]}),
        TurnCompleted(response="done"),
    ]
    log = [envelope(seq, event) for seq, event in enumerate(events)]
    await store.append("t1", log)
    assert await store.events("t1") == log


async def test_after_and_limit(store: Store) -> None:
    log = deltas(0, 50)
    await store.append("t1", log)
    assert await store.events("t1", after=46) == log[47:]
    assert await store.events("t1", after=9, limit=3) == log[10:13]
    assert await store.events("t1", limit=0) == []
    assert (await store.last_seq("t1"), await store.last_seq("t2")) == (49, -1)


async def test_the_same_seq_twice_changes_nothing(store: Store) -> None:
    log = deltas(0, 30)
    await store.append("t1", log)
    await store.append("t1", [envelope(seq, MessageDelta(delta="other")) for seq in range(31)])
    assert await store.events("t1") == [*log, envelope(30, MessageDelta(delta="other"))]


async def test_commit_is_durable_on_return_with_all_before_it(store: Store) -> None:
    await store.append("t1", deltas(0, 3))
    await store.commit("t1", [envelope(3, approval())])
    assert await seen_elsewhere(store) == 4


async def test_appended_events_become_durable_by_themselves(store: Store) -> None:
    commits = await watch_commits(store)
    await store.append("t1", deltas(0, 3))
    async with asyncio.timeout(20):
        await commits.get()
    await store.turns("")  # the trace comes before the commit, and reads wait for its end
    assert await seen_elsewhere(store) == 3


async def test_many_events_do_not_wait_for_the_clock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "_GROUP_S", 3600.0)
    commits = await watch_commits(store)
    for delta in deltas(0, group_commit._GROUP_EVENTS):
        await store.append("t1", [delta])
    async with asyncio.timeout(20):
        await commits.get()
    await store.turns("")
    assert await seen_elsewhere(store) == group_commit._GROUP_EVENTS


async def test_what_comes_together_shares_a_transaction(store: Store) -> None:
    commits = await watch_commits(store)
    for delta in deltas(0, 100):
        await store.append("t1", [delta])
    await store.append("t2", deltas(0, 5, "t2"))
    await store.flush()
    assert commits.qsize() == 1
    assert (await seen_elsewhere(store), await seen_elsewhere(store, "t2")) == (100, 5)


async def test_approvals_tell_who_decided_what_and_when(store: Store) -> None:
    await store.commit("t1", [envelope(0, approval("a1")), envelope(1, approval("a2"))])
    pending, _ = await store.approvals("t1")
    assert (pending.status, pending.by, pending.decided_at, pending.args_hash) == ("pending", "", None, "h1")
    decided = ApprovalUpdated(id="a1", status="rejected", by="user", reason="no")
    await store.commit(
        "t1", [envelope(2, decided), envelope(3, ApprovalUpdated(id="a1", status="approved", by="rule"))]
    )
    first, second = await store.approvals("t1")
    assert (first.status, first.by, first.reason, first.tool) == ("rejected", "user", "no", "shell")
    assert first.decided_at == first.asked_at + 2
    assert second.status == "pending"


async def test_the_tail_of_a_long_log(store: Store) -> None:
    log = deltas(0, 100_000)
    for start in range(0, len(log), 1000):
        await store.append("t1", log[start : start + 1000])
    assert await store.events("t1", after=await store.last_seq("t1") - 200) == log[-200:]
    assert await store.events("t1") == log


async def test_text_without_a_utf8_form_is_repaired(store: Store) -> None:
    half = "\ud83d"
    conversation = await begin(store, "t1", prompt=f"cut {half}", workspace=f"/w{half}")
    await store.commit("t1", [envelope(1, MessageDelta(delta=half)), envelope(2, Unknown(f"x{half}", half))])
    assert (await store.get_conversation(conversation)).title == "cut \ufffd"
    assert [one.event for one in await store.events("t1", after=0)] == [
        MessageDelta(delta="\ufffd"),
        Unknown("x\ufffd", "\ufffd"),
    ]


async def test_a_row_that_sqlite_refuses_holds_up_nothing(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    await store.append("t1", deltas(0, 2))
    await store.flush()
    await store.append("t2", [Envelope(2**70, "t2", 0.0, MessageDelta(delta="beyond 64 bits"))])
    await store.commit("t1", deltas(2, 1))
    assert await store.events("t1") == deltas(0, 3)
    assert "left out of the stored conversation: SQLite refuses" in caplog.text


async def test_secrets_are_masked_before_they_are_written(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "store.db", redactor=lambda text: text.replace('se"cret', "***"))
    conversation = await begin(store, "t1", prompt='my se"cret')
    deep: Any = 'se"cret'
    for _ in range(300):
        deep = [deep]
    log = [
        envelope(1, ToolStart(id="c1", name="shell", args={'key se"cret': {"list": ['a se"cret b', 7]}})),
        envelope(2, approval()),
        envelope(3, ApprovalUpdated(id="a1", status="rejected", reason='se"cret')),
        envelope(4, Unknown("odd", {"deep": deep})),
    ]
    await store.commit("t1", log)
    await store.end_turn("t1", "completed", '{"text":"se\\"cret"}')
    assert (await store.get_conversation(conversation)).title == "my ***"
    assert (await store.events("t1"))[1].event == ToolStart(
        id="c1", name="shell", args={"key ***": {"list": ["a *** b", 7]}}
    )
    assert (await store.approvals("t1"))[0].reason == "***"
    await store.close()
    written = all_bytes(tmp_path)
    assert b"***" in written
    assert b"cret" not in written
