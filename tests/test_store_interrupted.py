"""Turns whose process died are settled at the next start; those of living processes are left alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from support.stores import AT, Writer, begin, deltas, envelope, opened

from nbharness.events import (
    ApprovalUpdated,
    PlanRejected,
    ToolEnd,
    TurnAborted,
    TurnCompleted,
    TurnStarted,
)
from nbharness.results import CodingResult
from nbharness.state import fold_all
from nbharness.store import Store
from nbharness.store.database import Statement
from nbharness.store.liveness import ProcessStamp, is_dead, stamp

INTERRUPTED = TurnAborted(code="interrupted", reason="the process that ran this turn ended")


async def disown(store: Store, process: ProcessStamp) -> None:
    """Make the turns look as if another process ran them."""
    text = msgspec.json.encode(process).decode()
    await store._database.write([Statement("UPDATE turns SET process = ?", [(text,)])], 1.0)


def dead() -> ProcessStamp:
    return msgspec.structs.replace(stamp(), started="1")


async def test_what_was_open_is_closed(tmp_path: Path) -> None:
    with Writer(tmp_path / "store.db", "t1", rounds=1) as writer:
        writer.wait_for("open")
    async with opened(tmp_path / "store.db") as store:
        conversation = (await store.list_conversations())[0]
        assert (conversation.title, conversation.turn_count) == ("t1", 1)
        log = await store.events("t1")
        assert [one.event for one in log[-4:]] == [
            ApprovalUpdated(id="0", status="cancelled", by="turn"),
            PlanRejected(plan="do it", id="p1", by="turn"),
            ToolEnd(id="c1", name="shell", output=None, is_error=True, duration_ms=None, synthetic=True),
            INTERRUPTED,
        ]
        assert [one.seq for one in log] == list(range(len(log)))
        assert (await store.approvals("t1"))[0].status == "cancelled"
        turn = await store.get_turn("t1")
        result = msgspec.json.decode(turn.result or "", type=CodingResult)
    assert (turn.status, turn.ended_at) == ("aborted", log[-5].at)
    assert result.error is not None
    assert (result.status, result.error.code) == ("aborted", "interrupted")
    state = fold_all(log)
    assert (state.status, state.code) == ("aborted", "interrupted")


async def test_the_turn_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    with Writer(tmp_path / "store.db", "t1", rounds=1) as writer:
        writer.wait_for("open")
        async with opened(tmp_path / "store.db") as store:
            await begin(store, "t2")
            async with opened(tmp_path / "store.db") as second:
                assert [(await second.get_turn(id_)).status for id_ in ("t1", "t2")] == ["running", "running"]
                assert await second.last_seq("t1") == 8
        writer.kill()
        async with opened(tmp_path / "store.db") as store:
            assert [(await store.get_turn(id_)).status for id_ in ("t1", "t2")] == ["aborted", "running"]


async def test_several_processes_settle_it_once(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys; from nbharness.store import Store\n"
        "async def main(): await (await Store.open(sys.argv[1])).close()\n"
        "asyncio.run(main())"
    )
    with Writer(tmp_path / "store.db", "t1", rounds=20) as writer:
        writer.wait_for("open")
    command = [sys.executable, "-c", program, str(tmp_path / "store.db")]
    openers = [await asyncio.create_subprocess_exec(*command) for _ in range(3)]
    assert [await opener.wait() for opener in openers] == [0, 0, 0]
    async with opened(tmp_path / "store.db") as store:
        log = await store.events("t1")
    assert [one.seq for one in log] == list(range(len(log)))
    assert sum(one.event == INTERRUPTED for one in log) == 1
    assert log[-1].event == INTERRUPTED


async def test_a_turn_that_wrote_nothing_gets_a_beginning(tmp_path: Path) -> None:
    async with opened(tmp_path / "store.db") as store:
        conversation = await begin(store, workspace="/work", started_at=AT)
        await store.flush()
        await store._database.write([Statement("DELETE FROM events", ((),))], 1.0)
        await disown(store, dead())
    async with opened(tmp_path / "store.db") as store:
        assert [one.event for one in await store.events("t1")] == [
            TurnStarted(prompt="Fix the parser", agent="demo", workspace="/work", conversation_id=conversation),
            INTERRUPTED,
        ]
        assert (await store.get_turn("t1")).ended_at == AT


async def test_a_turn_that_ended_but_was_not_noted_keeps_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path / "store.db") as store:
        await begin(store)
        await store.append("t1", [envelope(1, TurnCompleted(response="done"))])
        await store.flush()
        await disown(store, dead())
    async with opened(tmp_path / "store.db") as store:
        turn = await store.get_turn("t1")
        assert (turn.status, await store.last_seq("t1")) == ("completed", 1)
        assert msgspec.json.decode(turn.result or "", type=CodingResult).output.text == "done"


@pytest.mark.parametrize(("age_s", "status"), [(3600, "running"), (2 * 86400, "aborted")])
async def test_a_process_on_another_machine_is_given_a_day(tmp_path: Path, age_s: float, status: str) -> None:
    elsewhere = ProcessStamp(pid=1, started="1", host="elsewhere", boot="b", namespace="n")
    async with opened(tmp_path / "store.db") as store:
        await begin(store, started_at=time.time() - 3 * 86400)
        last = msgspec.structs.replace(deltas(1, 1)[0], at=time.time() - age_s)
        await store.commit("t1", [last])
        await disown(store, elsewhere)
    async with opened(tmp_path / "store.db") as store:
        assert (await store.get_turn("t1")).status == status


def test_who_lives() -> None:
    mine = stamp()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    theirs = stamp(child.pid)
    assert (is_dead(mine), is_dead(theirs)) == (False, False)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_dead(theirs), "a zombie runs nothing"
    child.communicate()
    assert is_dead(theirs)
    assert is_dead(msgspec.structs.replace(mine, started="1")), "the pid was given to another process"
    assert is_dead(msgspec.structs.replace(mine, boot="before")), "the machine was started again"
    assert is_dead(msgspec.structs.replace(mine, boot="b", host="elsewhere")) is None
    assert is_dead(msgspec.structs.replace(mine, namespace="container")) is None
