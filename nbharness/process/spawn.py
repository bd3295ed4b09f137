"""Starts a process under a supervisor of its own."""

import asyncio
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbharness.process import descriptors
from nbharness.process.child import STDERR_KEPT_BYTES, AgentProcess, ProcessStartError
from nbharness.process.link import SupervisorLink
from nbharness.process.pipes import PipeReader, PipeTail, PipeWriter
from nbharness.process.terminal import open_terminal

_SUPERVISOR = Path(__file__).with_name("supervisor.py")


async def spawn(
    argv: Sequence[str],
    *,
    cwd: str | os.PathLike[str],
    env: Mapping[str, str],
    stdin: bool = True,
    merge_stderr: bool = False,
    terminal: bool = False,
) -> AgentProcess:
    """Start a process whose whole tree ends with us, and return when it runs.

    It runs in a session of its own without a terminal to ask on, gets no descriptor but its three
    streams, and dies within 2 s when we do, however we do; see ``supervisor`` for how far that
    reaches on which system. Call it on the loop that will use the process, in any thread; that loop
    is held up for about 2 ms.

    Args:
        argv: Program and arguments. The program is looked up in the ``PATH`` of ``env``; a relative
            path is relative to ``cwd``.
        cwd: Directory to run in.
        env: All of its environment; see ``agent_environment``.
        stdin: Whether we will write to it; otherwise its standard input is empty.
        merge_stderr: Whether standard error goes where standard output goes.
        terminal: Whether standard output and error, merged, are a terminal of 80 x 24 characters.

    Raises:
        ProcessStartError: It cannot be run: no such program or directory, not executable, made for
            another machine, arguments too long.
    """
    if not argv:
        raise ProcessStartError("no command to start: argv is empty")
    if sys.platform == "win32":
        raise ProcessStartError("agents need Linux or macOS; on Windows run the kernel in WSL 2")
    streams = _Streams(stdin, merge_stderr or terminal, terminal)
    try:
        process = _launch(argv, cwd, env, streams)
    except (OSError, ValueError) as error:
        raise _start_error(argv, cwd, env, error) from error
    try:
        await process.started()
    except OSError as error:
        await process.aclose(grace_s=0)
        raise _start_error(argv, cwd, env, error, process.stderr_tail) from error
    except asyncio.CancelledError:
        await process.aclose(grace_s=0)
        raise
    return process


@dataclass(frozen=True, slots=True)
class _Streams:
    is_written_to: bool
    is_merged: bool
    is_terminal: bool


def _launch(
    argv: Sequence[str], cwd: str | os.PathLike[str], env: Mapping[str, str], streams: _Streams
) -> AgentProcess:
    """Start the supervisor and take up our ends of its pipes."""
    stdin = stderr = None
    their_stdin, their_stderr = subprocess.DEVNULL, subprocess.STDOUT
    with descriptors.opening() as opened:
        near, far = (end.detach() for end in socket.socketpair())
        control, their_control = opened.keep(near), opened.lend(far)
        near, far = open_terminal() if streams.is_terminal else os.pipe()
        stdout, their_stdout = opened.keep(near), opened.lend(far)
        if streams.is_written_to:
            far, near = os.pipe()
            stdin, their_stdin = opened.keep(near), opened.lend(far)
        if not streams.is_merged:
            near, far = os.pipe()
            stderr, their_stderr = opened.keep(near), opened.lend(far)
        program = subprocess.Popen(
            [sys.executable, "-I", "-S", _SUPERVISOR, str(their_control), str(os.getpid()), *argv],
            stdin=their_stdin,
            stdout=their_stdout,
            stderr=their_stderr,
            cwd=cwd,
            env=env,
            pass_fds=(their_control,),
            start_new_session=True,
        )
    return AgentProcess(
        argv,
        SupervisorLink(program, control),
        None if stdin is None else PipeWriter(stdin),
        PipeReader(stdout),
        None if stderr is None else PipeTail(stderr, STDERR_KEPT_BYTES),
    )


def _start_error(
    argv: Sequence[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str],
    error: OSError | ValueError,
    stderr: str = "",
) -> ProcessStartError:
    number = error.errno if isinstance(error, OSError) else None
    if not Path(cwd).is_dir():
        why = f"there is no directory {os.fspath(cwd)!r} to run it in"
    elif number == errno.ENOENT:
        why = f"no such program, or its interpreter is missing (PATH={env.get('PATH', '')!r})"
    elif number == errno.EACCES:
        why = "it is not executable"
    elif number == errno.ENOEXEC:
        why = "it is not a program for this machine"
    elif number == errno.E2BIG:
        why = "its arguments are too long; pass long text on standard input"
    else:
        why = str(error)
    return ProcessStartError(f"cannot start {argv[0]!r}: {why}", stderr=stderr)
