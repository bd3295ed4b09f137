"""Runs one command to its end, for agents' tools and for checks."""

import asyncio
import codecs
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from nbharness.process.child import AgentProcess
from nbharness.process.spawn import spawn

# A command that is stopped has this long to end in good order.
_GRACE_S = 1.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended. Exactly one of ``exit_code`` and ``signal`` is set.

    Attributes:
        exit_code: Exit code, when it exited by itself.
        signal: Number of the signal that ended it.
        output_bytes: How much it wrote, standard output and error together.
        duration_ms: Wall time from the start until nothing of it was left.
        is_timed_out: Whether it was stopped because its time was up.
    """

    exit_code: int | None
    signal: int | None
    output_bytes: int
    duration_ms: int
    is_timed_out: bool


async def run_command(
    command: Sequence[str] | str,
    *,
    cwd: str | os.PathLike[str],
    env: Mapping[str, str],
    on_output: Callable[[str], None],
    timeout_s: float | None = None,
    pty: bool = False,
) -> CommandResult:
    """Run a command, tell its output as it comes, and return when nothing of it is left.

    Standard input is empty. What the command leaves running in the background ends with it. When the
    caller is cancelled, ``on_output`` raises or the time is up, the whole tree is killed first.

    Args:
        command: Program and arguments, or a line for ``/bin/sh``.
        cwd: Directory to run in.
        env: All of its environment; see ``agent_environment``.
        on_output: Called on this loop with pieces of the merged standard output and error, in order,
            none empty. Bytes that are no UTF-8 arrive as U+FFFD; no character is cut in two.
        timeout_s: Seconds the command may take; None for no limit.
        pty: Whether the command writes to a terminal, for colour and progress.

    Raises:
        ProcessStartError: It cannot be run.
        asyncio.CancelledError: The caller was cancelled; raised when the tree is gone.
    """
    argv = ["/bin/sh", "-c", command] if isinstance(command, str) else command
    begun = time.monotonic()
    process = await spawn(argv, cwd=cwd, env=env, stdin=False, merge_stderr=True, terminal=pty)
    limit = asyncio.timeout(timeout_s)
    output_bytes = 0
    try:
        async with limit:
            output_bytes = await _tell_output(process, on_output)
            await process.wait()
    except TimeoutError:
        if not limit.expired():
            raise  # It is the caller's own, out of ``on_output``.
    finally:
        status = await process.aclose(_GRACE_S)
    duration_ms = round((time.monotonic() - begun) * 1000)
    return CommandResult(status.code, status.signal, output_bytes, duration_ms, limit.expired())


async def _tell_output(process: AgentProcess, on_output: Callable[[str], None]) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    total = 0
    while block := await process.stdout.read():
        total += len(block)
        if text := decoder.decode(block):
            on_output(text)
    if text := decoder.decode(b"", final=True):
        on_output(text)
    return total
