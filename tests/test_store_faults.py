"""Faults while the store is open: a full disk, other writers, damage, a kill."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.stores import (
    Notices,
    Writer,
    approval,
    begin,
    damage,
    deltas,
    digest,
    envelope,
    move,
    opened,
    put_aside,
)

from nbharness.events import TurnAborted
from nbharness.store import Store, database, group_commit
from nbharness.store.lock import FileLock


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "_PATIENCE_S", 0.2)
    monkeypatch.setattr(group_commit, "_RETRY_S", 0.05)
    monkeypatch.setattr(database, "_CHECKPOINT_BYTES", 64 * 1024)


@pytest.fixture
def foreign(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Another program's connection to the database; it does not know our lock."""
    connection = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    yield connection
    connection.close()


async def limit_pages(store: Store, pages: int) -> None:
    """Make the disk as full as SQLite can pretend."""
    await store._database.read(f"PRAGMA max_page_count = {pages}")


def check(path: Path) -> None:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


async def test_a_full_disk_loses_nothing_and_holds_nobody_up(tmp_path: Path) -> None:
    notices = Notices()
    async with opened(tmp_path / "store.db", on_notice=notices) as store:
        await begin(store)
        await limit_pages(store, 1)
        for start in range(1, 5001, 500):
            await store.append("t1", deltas(start, 500))
        await store.commit("t1", [envelope(5001, approval())])
        assert store.notice == notices.texts[-1]
        assert "the disk is full" in notices.texts[-1]
        assert "Nothing is lost" in notices.texts[-1]
        assert len(await store.events("t1")) < 5002
        await limit_pages(store, 1_000_000)
        await notices.wait_for("can be written again")
        assert store.notice is None
        assert [one.seq for one in await store.events("t1")] == list(range(5002))
        assert len(await store.approvals("t1")) == 1
        assert len(notices.texts) == 2


async def test_a_turn_can_begin_and_end_on_a_full_disk(tmp_path: Path) -> None:
    notices = Notices()
    async with opened(tmp_path / "store.db", on_notice=notices) as store:
        await limit_pages(store, 1)
        await store._database.write([database.Statement("DROP TABLE approvals", ((),))], 1.0)  # leave no free page
        conversation = await begin(store, prompt="x" * 100_000)
        await store.end_turn("t1", "completed")
        assert "the disk is full" in (store.notice or "")
        await limit_pages(store, 1_000_000)
        await notices.wait_for("can be written again")
        assert [turn.status for turn in await store.turns(conversation)] == ["completed"]


async def test_a_database_held_by_another_program_is_waited_for(tmp_path: Path, foreign: sqlite3.Connection) -> None:
    notices = Notices()
    async with opened(tmp_path / "store.db", on_notice=notices) as store:
        conversation = await begin(store)
        await store.flush()
        foreign.execute("BEGIN IMMEDIATE")
        await store.append("t1", deltas(1, 100))
        await notices.wait_for("another process holds the database")
        assert [one.id for one in await store.list_conversations()] == [conversation]
        await store.commit("t1", [envelope(101, approval())])
        foreign.execute("ROLLBACK")
        await notices.wait_for("can be written again")
        assert await store.last_seq("t1") == 101


async def test_a_short_hold_is_waited_for_in_silence(tmp_path: Path, foreign: sqlite3.Connection) -> None:
    notices = Notices()
    async with opened(tmp_path / "store.db", on_notice=notices) as store:
        await begin(store)
        async with asyncio.TaskGroup() as tasks, FileLock(Path(f"{store.location}.lock")).held(1):
            foreign.execute("BEGIN IMMEDIATE")
            tasks.create_task(store.commit("t1", [envelope(1, approval())]))
            await asyncio.sleep(0)
            foreign.execute("ROLLBACK")
        assert foreign.execute("SELECT max(seq) FROM events").fetchone() == (1,)
        assert notices.texts == []


async def test_a_turn_does_not_wait_for_a_held_database(
    tmp_path: Path, foreign: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "_PATIENCE_S", 3600.0)
    monkeypatch.setattr(group_commit, "_COMMIT_WAIT_S", 0.05)
    notices = Notices()
    async with opened(tmp_path / "store.db", on_notice=notices) as store:
        foreign.execute("BEGIN IMMEDIATE")
        await begin(store)
        await store.commit("t1", [envelope(1, approval())])
        assert notices.texts == []
        assert foreign.execute("SELECT count(*) FROM events").fetchone() == (0,)
        foreign.execute("ROLLBACK")
    assert foreign.execute("SELECT count(*) FROM events").fetchone() == (2,)


async def test_damage_is_met_by_many_and_replaced_once(tmp_path: Path) -> None:
    path, notices = tmp_path / "store.db", Notices()
    async with opened(path) as store:
        await store.append("t0", deltas(0, 20_000, "t0"))
    async with opened(path, on_notice=notices) as store:
        damage(path, 4096, path.stat().st_size - 4096)
        reads = [store.turns("c"), store.turns("d"), store.list_conversations(), store.turns("e")]
        assert await asyncio.gather(*reads, store.commit("t1", deltas(0, 1))) == [[], [], [], [], None]
        assert (len(put_aside(tmp_path)), len(notices.texts)) == (1, 1)
        assert await store.events("t1") == deltas(0, 1)


async def test_closing_does_not_wait_for_another_program(
    tmp_path: Path, foreign: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path / "store.db") as store:
        await begin(store)
        await store.flush()
        foreign.execute("BEGIN IMMEDIATE")
        await store.append("t1", deltas(1, 7))
    assert foreign.execute("SELECT count(*) FROM events WHERE type = 'message.delta'").fetchone() == (0,)
    assert "7 events could not be written and are lost: another process holds the database" in caplog.text


async def test_opening_waits_for_no_writer_when_there_is_nothing_to_write(
    tmp_path: Path, foreign: sqlite3.Connection
) -> None:
    async with opened(tmp_path / "store.db") as store:
        conversation = await begin(store)
    foreign.execute("BEGIN IMMEDIATE")
    async with opened(tmp_path / "store.db") as store:
        assert [one.id for one in await store.list_conversations()] == [conversation]


async def test_damage_found_while_reading(tmp_path: Path) -> None:
    path, notices = tmp_path / "store.db", Notices()
    async with opened(path) as store:
        await begin(store, "t0")
        await store.append("t0", deltas(1, 20_000, "t0"))
        await store.end_turn("t0", "completed")
    async with opened(path, on_notice=notices) as store:
        conversation = await begin(store, "t1")
        damaged = damage(path, 3 * 4096, path.stat().st_size - 3 * 4096)
        assert await store.events("t0") == []
        assert [digest(file) for file in put_aside(tmp_path)] == [damaged]
        assert "a new one was begun" in notices.texts[0]
        # The turn that runs goes on in the new file.
        await store.append("t1", deltas(1, 3))
        await store.end_turn("t1", "completed")
        assert [(turn.id, turn.status) for turn in await store.turns(conversation)] == [("t1", "completed")]
        assert await store.last_seq("t1") == 3
    assert [digest(file) for file in put_aside(tmp_path)] == [damaged]


async def test_damage_found_while_writing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with opened(path) as store:
        await store.append("t0", deltas(0, 20_000, "t0"))
    async with opened(path) as store:
        damaged = damage(path, 4096, path.stat().st_size - 4096)
        await store.commit("t1", deltas(0, 3))
        assert await store.events("t1") == deltas(0, 3)
        assert [digest(file) for file in put_aside(tmp_path)] == [damaged]
    assert [digest(file) for file in put_aside(tmp_path)] == [damaged]


async def test_a_database_that_is_taken_away_is_begun_anew(tmp_path: Path) -> None:
    notices = Notices()
    async with opened(tmp_path / "store.db", on_notice=notices) as store:
        conversation = await begin(store)
        await store.flush()
        move(tmp_path / "store.db", tmp_path / "away.db")
        await store.commit("t1", deltas(1, 3))
        assert "was moved or deleted; a new one was begun" in notices.texts[0]
        assert await store.events("t1") == deltas(1, 3)
        assert [one.id for one in await store.list_conversations()] == [conversation]


async def test_the_log_is_moved_into_the_file_now_and_then(tmp_path: Path) -> None:
    async with opened(tmp_path / "store.db") as store:
        for start in range(0, 4000, 500):
            await store.append("t1", deltas(start, 500))
            await store.flush()
        assert (tmp_path / "store.db-wal").stat().st_size < 200 * 1024 < (tmp_path / "store.db").stat().st_size
        assert len(await store.events("t1")) == 4000


@pytest.mark.parametrize("seed", range(5))
async def test_a_killed_writer_loses_no_approval_and_leaves_a_log_without_gaps(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "store.db"
    durable = random.Random(seed).randrange(120)  # noqa: S311 (a test's)
    with Writer(path, "t1", rounds=0) as writer:
        writer.wait_for(str(durable))
    async with opened(path) as store:
        log = await store.events("t1")
        approvals = await store.approvals("t1")
        assert store.notice is None
    assert [one.seq for one in log] == list(range(len(log)))
    assert [one.id for one in approvals][: durable + 1] == [str(number) for number in range(durable + 1)]
    assert {one.status for one in approvals} == {"cancelled"}
    assert log[-1].event == TurnAborted(code="interrupted", reason="the process that ran this turn ended")
    check(path)


async def test_processes_write_at_once(tmp_path: Path) -> None:
    path, rounds = tmp_path / "store.db", 60
    async with opened(path) as store:
        with Writer(path, "t0", rounds) as first, Writer(path, "t1", rounds) as second:
            for number in range(200):
                await store.commit("mine", deltas(number, 1, "mine"))
            for writer in (first, second):
                await asyncio.to_thread(writer.wait_for, "open")
            for turn_id in ("t0", "t1"):
                assert [one.seq for one in await store.events(turn_id)] == list(range(3 + 6 * rounds))
                assert len(await store.approvals(turn_id)) == rounds
            assert await store.events("mine") == deltas(0, 200, "mine")
            assert sorted(one.title for one in await store.list_conversations()) == ["t0", "t1"]
    check(path)
