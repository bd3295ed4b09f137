"""One running process of ours: its streams, its end."""

import asyncio
import contextlib
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from nbharness.errors import AdapterProcessError
from nbharness.process.link import ExitStatus, SupervisorLink
from nbharness.process.pipes import PipeReader, PipeTail, PipeWriter

STDERR_KEPT_BYTES = 64 * 1024
"""How much of a process's standard error is kept: the end of it."""

_STDERR_SHOWN_CHARACTERS = 4096
_STATUS_WAIT_S = 0.1


class ProcessStartError(AdapterProcessError):
    """A process could not be started."""


class ProcessGoneError(AdapterProcessError):
    """A process that is to be written to has ended or has closed its standard input."""


class AgentProcess:
    """A process that ``spawn`` started. Used on the loop that started it; whoever spawned it closes it.

    As a context manager it is closed at the end of the block.

    Attributes:
        argv: The command.
        pid: Its process id.
        stdout: What it writes to standard output. Nothing is read ahead: a process whose output
            nobody reads stands still when the pipe is full.
    """

    def __init__(
        self,
        argv: Sequence[str],
        link: SupervisorLink,
        stdin: PipeWriter | None,
        stdout: PipeReader,
        stderr: PipeTail | None,
    ) -> None:
        self.argv = tuple(argv)
        self.pid = 0
        self.stdout = stdout
        self._link = link
        self._stdin = stdin
        self._stderr = stderr
        # First of all callbacks: who waits for the end finds all of standard error.
        link.gone.add_done_callback(self._on_gone)

    @property
    def status(self) -> ExitStatus | None:
        """How it ended, as soon as that is known; None while it runs."""
        return self._link.status or (self._link.gone.result() if self._link.gone.done() else None)

    @property
    def stderr_tail(self) -> str:
        """The last ``STDERR_KEPT_BYTES`` of its standard error; complete once ``wait`` has returned."""
        return self._stderr.tail.decode(errors="replace") if self._stderr else ""

    async def started(self) -> None:
        """Return when it runs.

        Raises:
            OSError: It cannot be run.
        """
        self.pid = await self._link.started

    async def write(self, data: bytes) -> None:
        """Write to its standard input, whole and in order; wait, off the loop's back, while it lags.

        The bytes are taken at once: a caller that is cancelled leaves no half message behind.

        Raises:
            ProcessGoneError: It has ended or closed its standard input, or we closed it.
        """
        if self._stdin is None:
            raise self._not_writable("it was started without standard input")
        try:
            await self._stdin.write(data)
        except BrokenPipeError:
            # A process that dies closes its streams a moment before its status is known.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.wait(), _STATUS_WAIT_S)
            how = f"it ended with {self.status}" if self.status else "its standard input is closed"
            raise self._not_writable(how) from None

    def close_stdin(self) -> None:
        """Close its standard input when all that was written has been read."""
        if self._stdin is not None:
            self._stdin.end()

    async def wait(self) -> ExitStatus:
        """Return how it ended, once no process of its tree is left. Any number of callers may wait."""
        return await asyncio.shield(self._link.gone)

    async def terminate(self, grace_s: float = 2.0) -> ExitStatus:
        """End it and all it started: SIGTERM now, SIGKILL to what is left after ``grace_s`` seconds.

        The order goes out before the wait, so a cancelled caller changes nothing. Another call may
        only hurry; after the end it returns at once.

        Args:
            grace_s: Seconds; 0 kills at once.
        """
        self._link.stop(grace_s)
        return await self.wait()

    async def aclose(self, grace_s: float = 1.0) -> ExitStatus:
        """Terminate it and give all descriptors back, even when the caller is cancelled.

        Raises:
            asyncio.CancelledError: The caller was cancelled; raised when the tree is gone.
        """
        self._link.stop(grace_s)
        cancelled: asyncio.CancelledError | None = None
        while not self._link.gone.done():
            try:
                await self.wait()
            except asyncio.CancelledError as error:
                cancelled = error
        self.stdout.close()
        if cancelled is not None:
            raise cancelled
        return self._link.gone.result()

    def failure(self, what: str) -> AdapterProcessError:
        """Make the error that tells what went wrong, with its exit status and the end of its stderr."""
        how = f" ({self.status})" if self.status else ""
        return self._fill(AdapterProcessError, f"{self.argv[0]!r} {what}{how}")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _not_writable(self, why: str) -> AdapterProcessError:
        return self._fill(ProcessGoneError, f"cannot send to {self.argv[0]!r}: {why}")

    def _fill(self, kind: type[AdapterProcessError], message: str) -> AdapterProcessError:
        status = self.status or ExitStatus(None, None)
        stderr = self.stderr_tail[-_STDERR_SHOWN_CHARACTERS:]
        return kind(message, exit_code=status.code, signal=status.signal, stderr=stderr)

    def _on_gone(self, _gone: "asyncio.Future[ExitStatus]") -> None:
        if self._stdin is not None:
            self._stdin.close()
        if self._stderr is not None:
            self._stderr.finish()
