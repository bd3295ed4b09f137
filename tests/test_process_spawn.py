import asyncio
import json
import os
import signal
import threading
from pathlib import Path

import pytest
from support.processes import STUBBORN_TREE, open_descriptors, parent_of, survivors

from nbharness.errors import AdapterProcessError
from nbharness.process import ExitStatus, ProcessGoneError, ProcessStartError, spawn, supervisor
from nbharness.process.child import STDERR_KEPT_BYTES

ENV = dict(os.environ)


async def test_a_process_reads_writes_and_exits() -> None:
    async with await spawn(["cat"], cwd="/", env=ENV) as process:
        await process.write(b"one\n")
        assert await process.stdout.read() == b"one\n"
        assert process.status is None
        await process.write(b"two\n")
        process.close_stdin()
        assert await process.stdout.read() == b"two\n"
        assert await process.stdout.read() == b""
        assert await process.wait() == process.status == ExitStatus(0, None)


@pytest.mark.parametrize(
    ("script", "status", "text"),
    [
        ("exit 0", ExitStatus(0, None), "exit code 0"),
        ("exit 77", ExitStatus(77, None), "exit code 77"),
        ("kill -KILL $$", ExitStatus(None, 9), "signal 9 (SIGKILL)"),
        ("kill -TERM $$", ExitStatus(None, 15), "signal 15 (SIGTERM)"),
        ("kill -40 $$", ExitStatus(None, 40), "signal 40"),
    ],
)
async def test_exit_codes_and_signals_are_reported(script: str, status: ExitStatus, text: str) -> None:
    async with await spawn(["sh", "-c", script], cwd="/", env=ENV) as process:
        assert await process.wait() == status
        assert str(status) == text


async def test_it_runs_in_its_own_session_and_directory_with_three_descriptors(
    tmp_path: Path,
) -> None:
    inheritable = os.dup2(0, 99)
    try:
        async with await spawn(["cat"], cwd=tmp_path, env=ENV) as process:
            # An answer proves that the loader has done its work and closed its files.
            await process.write(b".")
            await process.stdout.read()
            assert os.getsid(process.pid) == process.pid
            assert os.getsid(parent_of(process.pid)) == parent_of(process.pid)
            proc = Path(f"/proc/{process.pid}")
            assert (proc / "cwd").readlink() == tmp_path
            assert sorted(fd.name for fd in (proc / "fd").iterdir()) == ["0", "1", "2"]
    finally:
        os.close(inheritable)


async def test_it_starts_with_default_signal_handling() -> None:
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
    try:
        async with await spawn(["cat", "/proc/self/status"], cwd="/", env=ENV) as process:
            lines = (await process.stdout.read()).splitlines()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    masks = dict(line.split() for line in lines if line.startswith((b"SigBlk:", b"SigIgn:")))
    # Signals 32 and 33 belong to the C library; whoever started the tests may have left them ignored.
    ours = ~(1 << 31 | 1 << 32)
    assert [int(masks[name], 16) & ours for name in (b"SigBlk:", b"SigIgn:")] == [0, 0]


async def test_terminate_ends_a_tree_that_ignores_sigterm() -> None:
    async with await spawn(STUBBORN_TREE, cwd="/", env=ENV) as process:
        pids = json.loads(await process.stdout.read())
        assert await process.terminate(grace_s=0.2) == ExitStatus(None, 9)
        assert survivors(pids.values(), within_s=0) == []


async def test_terminate_lets_a_process_end_in_good_order() -> None:
    script = "trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.01; done"
    async with await spawn(["sh", "-c", script], cwd="/", env=ENV) as process:
        assert await process.stdout.read() == b"ready\n"
        assert await process.terminate(grace_s=30) == ExitStatus(4, None)
        assert await process.stdout.read() == b"bye\n"
        assert await process.terminate() == ExitStatus(4, None)


async def test_a_second_terminate_hurries_the_first() -> None:
    async with await spawn(STUBBORN_TREE, cwd="/", env=ENV) as process:
        await process.stdout.read()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process.terminate(grace_s=600), 0.1)
        assert await process.terminate(grace_s=0) == ExitStatus(None, 9)


async def test_a_stopped_process_gets_its_sigterm() -> None:
    async with await spawn(["sleep", "600"], cwd="/", env=ENV) as process:
        os.kill(process.pid, signal.SIGSTOP)
        assert await process.terminate(grace_s=30) == ExitStatus(None, 15)


async def test_what_an_ended_process_leaves_behind_is_killed() -> None:
    async with await spawn([*STUBBORN_TREE, "leave"], cwd="/", env=ENV) as process:
        pids = json.loads(await process.stdout.read())
        assert await process.wait() == ExitStatus(5, None)
        assert survivors(pids.values(), within_s=0) == []


async def test_the_end_of_a_stderr_flood_is_kept_and_nothing_stands_still() -> None:
    flood = "head -c 200000000 /dev/zero | tr '\\0' e >&2; printf 'last words' >&2; exit 6"
    async with await spawn(["sh", "-c", flood], cwd="/", env=ENV) as process:
        assert await process.wait() == ExitStatus(6, None)
        assert len(process.stderr_tail) == STDERR_KEPT_BYTES
        assert process.stderr_tail.endswith("eeelast words")
        error = process.failure("ended without a result")
    assert type(error) is AdapterProcessError
    assert str(error) == "'sh' ended without a result (exit code 6)"
    assert (error.exit_code, error.signal) == (6, None)
    assert len(error.stderr) == 4096
    assert error.stderr.endswith("last words")


async def test_writing_to_a_process_that_does_not_read_never_blocks_the_loop() -> None:
    async with await spawn(["sleep", "600"], cwd="/", env=ENV) as process:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process.write(b"x" * 10_000_000), 0.05)
        turns = 0

        async def count_turns() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        counter = asyncio.get_running_loop().create_task(count_turns())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process.write(b"more"), 0.05)
        counter.cancel()
        assert turns > 10
        waiting = asyncio.get_running_loop().create_task(process.write(b"and more"))
        await asyncio.sleep(0)
        await process.terminate()
        with pytest.raises(ProcessGoneError, match="it ended with signal 15"):
            await waiting


async def test_a_cancelled_write_leaves_no_half_message() -> None:
    async with await spawn(["cat"], cwd="/", env=ENV) as process:
        # More than the pipes hold, and nobody reads what comes out.
        first, second = b"a" * 1_000_000 + b"\n", b"b\n"
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process.write(first), 0.01)
        writing = asyncio.get_running_loop().create_task(process.write(second))
        got = b""
        while len(got) < len(first + second):
            got += await process.stdout.read()
        await writing
        assert got == first + second


async def test_writing_after_the_end_is_a_typed_error_with_the_facts() -> None:
    script = "echo why >&2; exit 9"
    async with await spawn(["sh", "-c", script], cwd="/", env=ENV) as process:
        await process.wait()
        with pytest.raises(ProcessGoneError, match=r"cannot send to 'sh'.*exit code 9") as caught:
            await process.write(b"hello\n")
        assert (caught.value.exit_code, caught.value.stderr) == (9, "why\n")


async def test_writing_to_a_process_that_closed_its_input_is_an_error_and_it_goes_on() -> None:
    script = "exec 0<&-; echo closed; exec sleep 600"
    async with await spawn(["sh", "-c", script], cwd="/", env=ENV) as process:
        assert await process.stdout.read() == b"closed\n"
        with pytest.raises(ProcessGoneError, match="its standard input is closed"):
            await process.write(b"hello\n")
        assert process.status is None


async def test_writing_after_we_closed_its_input_is_an_error() -> None:
    async with await spawn(["sleep", "600"], cwd="/", env=ENV) as process:
        process.close_stdin()
        with pytest.raises(ProcessGoneError, match="its standard input is closed"):
            await process.write(b"hello\n")
    async with await spawn(["sleep", "600"], cwd="/", env=ENV, stdin=False) as process:
        with pytest.raises(ProcessGoneError, match="started without standard input"):
            await process.write(b"hello\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "argv is empty"),
        (["no-such-program"], "'no-such-program': no such program.*PATH="),
        (["./not-there"], "'./not-there': no such program"),
        (["/etc/passwd"], "'/etc/passwd': it is not executable"),
        (["./garbage"], "'./garbage': it is not a program for this machine"),
        (["./orphan"], "its interpreter is missing"),
        (["true", "x" * 1_000_000], "its arguments are too long"),
        (["true", "a\0b"], "null byte"),
    ],
)
async def test_what_cannot_be_started_is_one_clear_error(tmp_path: Path, argv: list[str], message: str) -> None:
    for name, content in (("garbage", b"\x7fELF nonsense"), ("orphan", b"#!/no/such/shell\n")):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
    before = open_descriptors()
    with pytest.raises(ProcessStartError, match=message):
        await spawn(argv, cwd=tmp_path, env=ENV)
    assert open_descriptors() == before


async def test_a_missing_directory_is_named() -> None:
    with pytest.raises(ProcessStartError, match="there is no directory '/no/such/place'"):
        await spawn(["true"], cwd="/no/such/place", env=ENV)


async def test_a_cancelled_spawn_leaves_nothing() -> None:
    before = open_descriptors()
    for turns in range(6):
        task = asyncio.get_running_loop().create_task(spawn(["sleep", "600"], cwd="/", env=ENV))
        for _ in range(turns):
            await asyncio.sleep(0.005)
        task.cancel()
        try:
            process = await task
        except asyncio.CancelledError:
            continue
        await process.aclose()
    assert open_descriptors() == before


async def test_fifty_rounds_leak_neither_descriptors_nor_threads_nor_processes() -> None:
    before = open_descriptors(), threading.active_count()
    children = supervisor.descendants(os.getpid())
    pids = []
    for _ in range(50):
        async with await spawn(["sh", "-c", "echo hi; exec cat"], cwd="/", env=ENV) as process:
            await process.write(b"x")
            pids.append(process.pid)
    assert (open_descriptors(), threading.active_count()) == before
    assert survivors(pids, within_s=0) == []
    assert supervisor.descendants(os.getpid()) == children


def test_it_works_on_a_loop_in_a_thread_whatever_signal_handling_the_main_thread_has() -> None:
    statuses = []

    async def main() -> None:
        async with await spawn(["sh", "-c", "exit 3"], cwd="/", env=ENV) as process:
            statuses.append(await process.wait())

    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        thread = threading.Thread(target=lambda: asyncio.run(main(), debug=True))
        thread.start()
        thread.join()
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert statuses == [ExitStatus(3, None)]


async def test_a_process_whose_output_nobody_reads_stands_still_and_can_be_ended() -> None:
    async with await spawn(["yes"], cwd="/", env=ENV) as process:
        assert await process.terminate(grace_s=600) == ExitStatus(None, 15)
