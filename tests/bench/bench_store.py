"""P8: making events durable costs little more than SQLite itself.

The store is given coalesced envelopes one by one, as fast as it takes them, and has encoded, grouped and committed them
all when the clock stops. The yardstick is one ``executemany`` of the finished rows, in one transaction, into the same
schema with the same settings, in the same run.
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

from bench.measure import ratio, weather
from bench.table import Row

from nbharness.events import ApprovalRequired, Envelope, Event, MessageDelta, ToolDelta
from nbharness.store import Store
from nbharness.store.event_rows import EventRows
from nbharness.store.migrations import m001_initial

__all__ = ["run"]

EVENTS = 20_000
APPROVALS = 50
GOAL = 1.8
COMMIT_GOAL_MS = 1.0
TURN = "turn-0123456789ab"

_TEXT = "The parser reads a line, cuts it at the first colon and keeps the rest; this test shows the blank line.\n"
_INSERT = "INSERT INTO events (turn_id, seq, at, type, data) VALUES (?, ?, ?, ?, ?)"

Times = tuple[float, float]
"""CPU and wall seconds."""


def run() -> list[Row]:
    """Measure throughput and the time of a single commit."""
    with weather() as seen:
        single = _single_commits()
    return [
        _throughput(0, "CPU"),
        _throughput(1, "wall"),
        Row(
            bar="P8",
            what=f"an approval is durable, median of {APPROVALS}",
            goal=COMMIT_GOAL_MS,
            result=1000 * statistics.median(ours for _raw, ours in single),
            unit="ms",
            is_disturbed=seen.is_bad,
            yardstick=f"SQLite alone, {1000 * statistics.median(raw for raw, _ours in single):.2f} ms",
        ),
    ]


def _throughput(clock: int, name: str) -> Row:
    envelopes = _envelopes()
    rows = list(EventRows(envelopes, None))

    def measure() -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as directory:
            raw, ours = _insert(Path(directory), rows), asyncio.run(_fill(Path(directory), envelopes))
        return raw[clock], ours[clock]

    measured = ratio(measure)
    return Row(
        bar="P8",
        what=f"durable insert of {EVENTS:,} rows, {name}",
        goal=GOAL,
        result=measured.value,
        yardstick=f"executemany, {1e6 * measured.yardstick / EVENTS:.1f} us a row",
        spread=measured.spread,
    )


def _envelopes() -> list[Envelope]:
    """Return what a turn's writer makes of a fast agent: some 110 characters a row."""
    events: list[Event] = [
        MessageDelta(delta=_TEXT[index % 40 :] + _TEXT[: index % 40])
        if index % 10
        else ToolDelta(id="call-1", name="shell", partial=2 * _TEXT)
        for index in range(EVENTS)
    ]
    return [Envelope(seq, TURN, 1.7e9 + seq / 30, event) for seq, event in enumerate(events)]


def _insert(directory: Path, rows: list[tuple[str, int, float, str, str]]) -> Times:
    connection = _connect(directory / "raw.db")
    wall, cpu = time.perf_counter(), time.process_time()
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(_INSERT, rows)
    connection.execute("COMMIT")
    times = time.process_time() - cpu, time.perf_counter() - wall
    connection.close()
    return times


async def _fill(directory: Path, envelopes: list[Envelope]) -> Times:
    store = await Store.open(directory / "store.db")
    wall, cpu = time.perf_counter(), time.process_time()
    for envelope in envelopes:
        await store.append(TURN, [envelope])
    await store.flush()
    times = time.process_time() - cpu, time.perf_counter() - wall
    await store.close()
    return times


def _single_commits() -> list[tuple[float, float]]:
    """Return the seconds of one commit by SQLite alone and through the store, in turns."""
    with tempfile.TemporaryDirectory() as directory:
        return asyncio.run(_commit(Path(directory)))


async def _commit(directory: Path) -> list[tuple[float, float]]:
    connection, store = _connect(directory / "raw.db"), await Store.open(directory / "store.db")
    seconds = []
    for seq in range(APPROVALS):
        event = ApprovalRequired(id=str(seq), tool_name="shell", args={}, message=None, auto_approvable=False)
        envelope = Envelope(seq, TURN, 1.7e9, event)
        (row,) = EventRows([envelope], None)
        began = time.perf_counter()
        connection.execute(_INSERT, row)
        between = time.perf_counter()
        await store.commit(TURN, [envelope])
        seconds.append((between - began, time.perf_counter() - between))
    connection.close()
    await store.close()
    return seconds


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    for statement in m001_initial.STATEMENTS:
        connection.execute(statement)
    return connection
