import asyncio
import os
from pathlib import Path

import pytest
from support.processes import open_descriptors, survivors

from nbharness.process import CommandResult, ProcessStartError, run_command

ENV = dict(os.environ)


async def run(
    command: list[str] | str, *, timeout_s: float | None = None, pty: bool = False
) -> tuple[str, CommandResult]:
    said: list[str] = []
    result = await run_command(command, cwd="/", env=ENV, on_output=said.append, timeout_s=timeout_s, pty=pty)
    assert all(said)
    return "".join(said), result


async def test_output_and_error_come_merged_in_order_with_the_exit_code() -> None:
    said, result = await run("echo one; echo two >&2; echo three; exit 3")
    assert said == "one\ntwo\nthree\n"
    assert (result.exit_code, result.signal, result.output_bytes) == (3, None, 14)
    assert not result.is_timed_out
    assert result.duration_ms > 0


async def test_a_list_runs_without_a_shell() -> None:
    said, result = await run(["printf", "%s", "$HOME; false"])
    assert (said, result.exit_code) == ("$HOME; false", 0)


async def test_a_signal_is_told_apart_from_an_exit_code() -> None:
    _, result = await run("kill -SEGV $$")
    assert (result.exit_code, result.signal) == (None, 11)


async def test_output_arrives_while_the_command_runs(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    def open_the_gate(text: str) -> None:
        said.append(text)
        if text == "before\n":
            gate.write_text("go")

    said: list[str] = []
    command = f"echo before; cat {gate}; echo after"
    result = await run_command(command, cwd="/", env=ENV, on_output=open_the_gate, timeout_s=60)
    assert "".join(said) == "before\ngoafter\n"
    assert result.exit_code == 0


async def test_text_survives_any_cut_and_bad_bytes_become_replacement_characters() -> None:
    said, _ = await run("yes '€ür𝄞' | head -n 30000")
    assert said == "€ür𝄞\n" * 30000
    said, result = await run(r"printf 'a\377b\342\202'")
    assert (said, result.output_bytes) == ("a\ufffdb\ufffd", 5)


async def test_standard_input_is_empty_and_there_is_no_terminal_to_ask_on() -> None:
    said, _ = await run("cat; test -t 1 || echo no terminal; cat </dev/tty || echo nobody to ask")
    assert said.startswith("no terminal\n")
    assert said.endswith("nobody to ask\n")


async def test_a_pty_is_a_terminal_of_80_columns_and_keeps_line_feeds() -> None:
    said, result = await run("test -t 1 && test -t 2 && stty size <&1", pty=True)
    assert (said, result.exit_code) == ("24 80\n", 0)


async def test_background_processes_end_with_the_command() -> None:
    said, result = await run("sleep 600 & echo $!; setsid sleep 600 & echo $!")
    assert result.exit_code == 0
    assert survivors(map(int, said.split()), within_s=0) == []


async def test_when_the_time_is_up_the_tree_is_killed_and_output_so_far_is_told() -> None:
    said, result = await run("echo $$; sleep 600", timeout_s=0.3)
    assert result.is_timed_out
    assert result.signal == 15
    assert survivors([int(said)], within_s=0) == []


async def test_cancellation_is_raised_after_the_tree_is_dead() -> None:
    pids: asyncio.Queue[int] = asyncio.Queue()
    command = "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$; sleep 600' & wait"
    before = open_descriptors()
    task = asyncio.get_running_loop().create_task(
        run_command(command, cwd="/", env=ENV, on_output=lambda text: pids.put_nowait(int(text)))
    )
    pid = await pids.get()
    task.cancel()
    # Once more, while it waits for the tree's end: the wait goes on.
    asyncio.get_running_loop().call_later(0.1, task.cancel)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert survivors([pid], within_s=0) == []
    assert open_descriptors() == before


async def test_an_error_of_the_listener_stops_the_command_and_comes_out() -> None:
    def refuse(text: str) -> None:
        pids.append(int(text))
        raise TimeoutError("the listener's own")

    pids: list[int] = []
    with pytest.raises(TimeoutError, match="listener"):
        await run_command("echo $$; sleep 600", cwd="/", env=ENV, on_output=refuse, timeout_s=600)
    assert survivors(pids, within_s=0) == []


async def test_a_command_that_cannot_run_is_one_clear_error() -> None:
    with pytest.raises(ProcessStartError, match="cannot start 'no-such-program': no such program"):
        await run(["no-such-program"])
