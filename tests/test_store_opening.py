"""Opening: schemas from elsewhere, damaged files, and places where nothing can be written."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from support.stores import Notices, begin, damage, deltas, digest, opened, put_aside

from nbharness.errors import ConfigError, StoreError
from nbharness.store import Store
from nbharness.store.migrations import LATEST, MIGRATIONS


async def make(path: Path, events: int = 200) -> None:
    """Write a closed store with one turn of that many events."""
    async with opened(path) as store:
        await begin(store)
        await store.commit("t1", deltas(1, events - 1))
        await store.end_turn("t1", "completed")


async def test_the_configured_database_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path))
    async with opened(None) as store:
        assert (store.location, store.notice) == (str(tmp_path / "nbharness.db"), None)
    monkeypatch.setenv("NBHARNESS_DATABASE", "relative.db")
    with pytest.raises(ConfigError, match="NBHARNESS_DATABASE"):
        await Store.open()


async def test_migrations_count_from_one_and_are_noted(tmp_path: Path) -> None:
    assert [migration.version for migration in MIGRATIONS] == list(range(1, LATEST + 1))
    await make(tmp_path / "store.db")
    await make(tmp_path / "other.db")
    connection = sqlite3.connect(tmp_path / "store.db")
    assert connection.execute("SELECT version, name FROM migrations").fetchall() == [
        (1, "m001_initial"),
        (2, "m002_definition"),
    ]
    connection.close()


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "with a log left by a crash"])
async def test_a_newer_schema_is_left_alone(tmp_path: Path, *, closed: bool) -> None:
    await make(tmp_path / "store.db")
    connection = sqlite3.connect(tmp_path / "store.db")
    connection.execute("INSERT INTO migrations VALUES (99, 'm099_future', 0)")
    connection.commit()
    path = tmp_path / "copy" / "store.db"
    path.parent.mkdir()
    if closed:
        connection.close()
    for suffix in ("", "-wal"):
        if (source := tmp_path / f"store.db{suffix}").exists():
            shutil.copy(source, f"{path}{suffix}")
    before = {file.name: digest(file) for file in path.parent.iterdir()}
    with pytest.raises(StoreError) as caught:
        await Store.open(path)
    assert f"has schema version 99; this nbharness knows up to {LATEST}. Nothing was changed." in str(caught.value)
    assert "pip install --upgrade nbharness" in str(caught.value)
    assert {name: digest(path.with_name(name)) for name in before} == before
    assert put_aside(path.parent) == []
    connection.close()


async def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = digest(path)
    with pytest.raises(StoreError, match="is a database of another program"):
        await Store.open(path)
    assert digest(path) == before


async def test_a_file_cut_anywhere_is_read_or_put_aside(tmp_path: Path) -> None:
    await make(tmp_path / "whole.db")
    whole = (tmp_path / "whole.db").read_bytes()
    for length in range(512, len(whole), 512):
        path = tmp_path / str(length) / "store.db"
        path.parent.mkdir()
        path.write_bytes(whole[:length])
        async with opened(path) as store:
            aside = put_aside(path.parent)
            assert [file.read_bytes() for file in aside] == [whole[:length]]
            assert f"It was kept as {aside[0]} and a new one was begun." in (store.notice or "")
            assert await store.list_conversations() == []


async def test_a_log_cut_anywhere_keeps_what_was_committed_before(tmp_path: Path) -> None:
    async with opened(tmp_path / "store.db") as store:
        for seq in range(10):
            await store.commit("t1", deltas(seq, 1))
        main, log = [(tmp_path / name).read_bytes() for name in ("store.db", "store.db-wal")]
    counts = []
    for length in [*range(0, len(log), 512), len(log)]:
        path = tmp_path / str(length) / "store.db"
        path.parent.mkdir()
        path.write_bytes(main)
        path.with_name("store.db-wal").write_bytes(log[:length])
        async with opened(path) as store:
            found = await store.events("t1")
            assert found == deltas(0, len(found))
            assert store.notice is None
            counts.append(len(found))
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 10)


@pytest.mark.parametrize("start", [0, 20, 100, 4096, 5 * 4096 + 8], ids=lambda start: f"byte {start}")
async def test_a_damaged_file_is_put_aside_unchanged(tmp_path: Path, start: int) -> None:
    path = tmp_path / "store.db"
    await make(path)
    damaged = damage(path, start, 64)
    notices = Notices()
    async with opened(path, on_notice=notices) as store:
        assert [digest(file) for file in put_aside(tmp_path)] == [damaged]
        assert notices.texts == [store.notice]
        await begin(store)
        assert len(await store.events("t1")) == 1


async def test_a_file_that_is_no_database_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_text("my notes, " * 100)
    async with opened(path) as store:
        assert "the file is not a SQLite database" in (store.notice or "")
        assert put_aside(tmp_path)[0].read_text() == "my notes, " * 100


async def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "store.db").symlink_to(tmp_path / "real" / "data.db")
    await make(tmp_path / "store.db")
    damage(tmp_path / "real" / "data.db", 100, 64)
    async with opened(tmp_path / "store.db"):
        assert len(put_aside(tmp_path / "real")) == 1
    assert (tmp_path / "store.db").is_symlink()


@pytest.mark.parametrize(
    "kind",
    ["parent is a file", "is a directory", "no such file system", "read-only directory", "read-only file"],
)
async def test_where_nothing_can_be_written_it_stays_in_memory(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "read only").mkdir(mode=0o500)
    (tmp_path / "read only.db").touch(mode=0o400)
    if kind.startswith("read-only") and os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    path = {
        "parent is a file": tmp_path / "file" / "store.db",
        "is a directory": tmp_path,
        "no such file system": Path("/proc/nbharness/store.db"),
        "read-only directory": tmp_path / "read only" / "store.db",
        "read-only file": tmp_path / "read only.db",
    }[kind]
    notices = Notices()
    async with opened(path, on_notice=notices) as store:
        assert store.location == ":memory:"
        assert notices.texts == [store.notice]
        assert notices.texts[0].startswith(f"{path} cannot be written (")
        assert "set NBHARNESS_HOME" in notices.texts[0]
        await begin(store)
        assert len(await store.events("t1")) == 1
        assert len(await store.list_conversations()) == 1
