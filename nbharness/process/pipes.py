"""Our ends of a process's pipes, on an asyncio loop.

Plain non-blocking descriptors instead of asyncio's transports: a reader that reads nothing ahead, so
that a slow reader holds the writer back; no task and no thread; and numbers that the fork hook of
``descriptors`` can reach. Each object belongs to the loop on which it was made.
"""

import asyncio
import errno
import os

from nbharness.process import descriptors

BLOCK_BYTES = 64 * 1024
"""Most that one read takes."""


class PipeReader:
    """The end from which we read what a process writes. One reader at a time."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None

    async def read(self) -> bytes:
        """Return the next bytes, at most ``BLOCK_BYTES``; ``b""`` at the end or when closed."""
        waited = False
        while self._fd >= 0:
            try:
                block = os.read(self._fd, BLOCK_BYTES)
            except BlockingIOError:
                waited = True
                await self._until_readable()
                continue
            except OSError as error:
                # How a terminal says that its last writer is gone.
                if error.errno != errno.EIO:
                    raise
                block = b""
            if not block:
                self.close()
            elif not waited:
                # A fast writer must not keep the loop to itself.
                await asyncio.sleep(0)
            return block
        return b""

    def close(self) -> None:
        """Close the pipe; a waiting ``read`` returns ``b""``. Again is harmless."""
        if self._fd < 0:
            return
        self._loop.remove_reader(self._fd)
        descriptors.close(self._fd)
        self._fd = -1
        self._wake()

    async def _until_readable(self) -> None:
        self._waiter = self._loop.create_future()
        self._loop.add_reader(self._fd, self._wake)
        try:
            await self._waiter
        finally:
            self._waiter = None
            if self._fd >= 0:
                self._loop.remove_reader(self._fd)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class PipeWriter:
    """The end into which we write what a process reads."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._is_ending = False
        self._is_broken = False
        self._is_armed = False
        self._waiters: list[asyncio.Future[None]] = []

    async def write(self, data: bytes) -> None:
        """Write all of ``data``, after what was written before; wait while the reader lags.

        The bytes are taken at once and whole: a caller that is cancelled while it waits leaves no
        half message behind. Returns when no more than ``BLOCK_BYTES`` wait for the reader.

        Raises:
            BrokenPipeError: The reader is gone, or the pipe was closed.
        """
        if self._fd < 0 or self._is_ending:
            raise _broken_pipe()
        self._buffer += data
        self._flush()
        while len(self._buffer) > BLOCK_BYTES:
            waiter = self._loop.create_future()
            self._waiters.append(waiter)
            await waiter
        if self._is_broken:
            raise _broken_pipe()

    def end(self) -> None:
        """Close the pipe when all that was written is with the reader."""
        self._is_ending = True
        if self._fd >= 0 and not self._buffer:
            self.close()

    def close(self) -> None:
        """Close the pipe and drop what waits; waiting writers raise. Again is harmless."""
        if self._fd >= 0:
            self._loop.remove_writer(self._fd)
            descriptors.close(self._fd)
            self._fd = -1
        self._is_broken |= bool(self._buffer)
        self._buffer.clear()
        self._wake()

    def _flush(self) -> None:
        try:
            written = os.write(self._fd, self._buffer)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            self.close()
            return
        del self._buffer[:written]
        if self._buffer:
            if not self._is_armed:
                self._loop.add_writer(self._fd, self._flush)
                self._is_armed = True
        elif self._is_ending:
            self.close()
        elif self._is_armed:
            self._loop.remove_writer(self._fd)
            self._is_armed = False
        if len(self._buffer) <= BLOCK_BYTES:
            self._wake()

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()


class PipeTail:
    """Reads a pipe as fast as it is written and keeps the end of it."""

    def __init__(self, fd: int, keep: int) -> None:
        """Start to read.

        Args:
            fd: The reading end.
            keep: How many bytes to keep.
        """
        os.set_blocking(fd, False)
        self._fd = fd
        self._keep = keep
        self._kept = bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(fd, self._read)

    @property
    def tail(self) -> bytes:
        """The last bytes read."""
        return bytes(self._kept[-self._keep :])

    def finish(self) -> None:
        """Take what is there and close the pipe. Call it when no writer is left."""
        while self._fd >= 0 and self._read():
            pass
        self.close()

    def close(self) -> None:
        """Close the pipe. Again is harmless."""
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            descriptors.close(self._fd)
            self._fd = -1

    def _read(self) -> bool:
        try:
            block = os.read(self._fd, BLOCK_BYTES)
        except BlockingIOError:
            return False
        if not block:
            self.close()
        self._kept += block
        # Cut now and then, not at each block: most blocks are much smaller than what is kept.
        if len(self._kept) > 2 * self._keep:
            del self._kept[: -self._keep]
        return bool(block)


def _broken_pipe() -> BrokenPipeError:
    return BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
