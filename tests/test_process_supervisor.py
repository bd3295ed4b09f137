import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.processes import FAKES, STUBBORN_TREE, parent_of, survivors

from nbharness.process import supervisor
from nbharness.process.spawn import spawn

ENV = dict(os.environ)


@contextmanager
def owner(mode: str = "") -> Iterator[tuple["subprocess.Popen[bytes]", dict[str, int]]]:
    """Run an owner with its tree; whatever the test does, nothing of it stays."""
    command = [sys.executable, str(FAKES / "owner.py"), *([mode] if mode else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        try:
            assert program.stdout is not None
            pids = json.loads(program.stdout.readline())
            assert survivors(pids.values(), within_s=0) == list(pids.values())
            yield program, pids
        finally:
            program.kill()


TREE = ("agent", "child", "daemon", "supervisor")


def tree_of(pids: dict[str, int]) -> list[int]:
    return [pids[name] for name in TREE]


@pytest.mark.parametrize("mode", ["", "fork", "fork-holding"])
def test_when_the_owner_is_killed_the_whole_tree_is_gone_within_2_s(mode: str) -> None:
    with owner(mode) as (program, pids):
        program.kill()
        assert survivors(tree_of(pids), within_s=2) == []
        if mode:
            assert survivors([pids["worker"]], within_s=0) == [pids["worker"]]


def test_when_the_owner_ends_by_itself_the_tree_ends_too() -> None:
    with owner() as (program, pids):
        program.terminate()
        assert survivors(tree_of(pids), within_s=2) == []


def test_a_forked_worker_does_not_hold_our_descriptors() -> None:
    with owner("fork") as (_, pids):
        held = [str(fd.readlink()) for fd in Path(f"/proc/{pids['worker']}/fd").iterdir()]
        pipes = {str(fd.readlink()) for fd in Path(f"/proc/{pids['agent']}/fd").iterdir()}
        assert len(pipes) == 3
        assert not pipes.intersection(held)
        # Those three and the supervisor's socket.
        assert held.count("/dev/null") == 4


async def test_an_interrupt_or_hangup_of_the_supervisor_does_not_stop_the_agent() -> None:
    async with await spawn(["cat"], cwd="/", env=ENV) as process:
        boss = parent_of(process.pid)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            os.kill(boss, number)
        await process.write(b"still here\n")
        assert await process.stdout.read() == b"still here\n"


async def test_sigterm_to_the_supervisor_ends_the_tree() -> None:
    async with await spawn(STUBBORN_TREE, cwd="/", env=ENV) as process:
        pids = json.loads(await process.stdout.read())
        os.kill(pids["supervisor"], signal.SIGTERM)
        status = await process.wait()
        assert (status.code, status.signal) == (None, signal.SIGKILL)
        assert survivors(tree_of(pids), within_s=0) == []


async def test_when_the_supervisor_is_killed_the_agent_dies_and_the_owner_is_told() -> None:
    async with await spawn(["cat"], cwd="/", env=ENV) as process:
        os.kill(parent_of(process.pid), signal.SIGKILL)
        status = await process.wait()
        assert (status.code, status.signal) == (None, signal.SIGKILL)
        assert survivors([process.pid], within_s=2) == []


async def test_a_supervisor_that_is_stopped_is_killed_when_its_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "KILL_LIMIT_S", 0.0)
    monkeypatch.setattr("nbharness.process.link._PATIENCE_S", 0.2)
    process = await spawn(["cat"], cwd="/", env=ENV)
    os.kill(parent_of(process.pid), signal.SIGSTOP)
    status = await process.aclose(grace_s=0)
    assert status.signal == signal.SIGKILL
    assert survivors([process.pid], within_s=2) == []


def test_an_owner_that_died_before_the_watch_began_is_noticed() -> None:
    ours, theirs = socket.socketpair()
    # Process 1 lives, but it is not the parent: so looks an owner whose number was taken over.
    argv = [sys.executable, "-I", "-S", supervisor.__file__, str(theirs.fileno()), "1", "sleep", "600"]
    with subprocess.Popen(argv, pass_fds=(theirs.fileno(),)) as program, ours:
        theirs.close()
        said = b"".join(iter(lambda: ours.recv(4096), b""))
        assert program.wait() == 0
    started, ended = map(json.loads, said.splitlines())
    assert ended == {"exit_code": None, "signal": signal.SIGTERM}
    assert survivors([started["pid"]], within_s=0) == []


def test_descendants_lists_parents_before_children() -> None:
    with owner() as (program, pids):
        found = supervisor.descendants(program.pid)
        assert set(found) == set(tree_of(pids))
        assert found.index(pids["supervisor"]) < found.index(pids["agent"])
        assert found.index(pids["agent"]) < found.index(pids["child"])
