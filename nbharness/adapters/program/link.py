"""Messages in lines both ways with one process, and requests of ours among them that it answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from nbharness.adapters.program.death import death
from nbharness.adapters.program.reading import Unreadable, read_message
from nbharness.errors import AdapterProcessError, AdapterProtocolError
from nbharness.process import AgentProcess, Line, LineSplitter
from nbharness.tasks import TaskOwner

__all__ = ["MessageLink", "Refused"]

_EXIT_S = 0.5
_SHOWN_CHARS = 500
_Raw = TypeVar("_Raw")
_Message = TypeVar("_Message")
_encoder = msgspec.json.Encoder()


class Refused(AdapterProtocolError):
    """The program answered a request with an error.

    Attributes:
        reason: What it says.
    """

    def __init__(self, agent: str, what: str, reason: str) -> None:
        self.reason = reason[:_SHOWN_CHARS]
        super().__init__(f"{agent} refused {what}: {self.reason}", self.reason)


class MessageLink(Generic[_Raw, _Message]):
    """The conversation with one process. It reads from the beginning until the process ends. Belongs to one loop.

    Args:
        agent: The agent, for errors.
        process: The process; closed by :meth:`aclose`, and by its own end.
        spawn: Starts the task that reads.
        decoder: Reads one line.
        sort: Returns what of it `on_batch` gets; ``None`` for nothing. It hands the answers to our requests to
            :meth:`accept` and :meth:`reject`.
        on_batch: Takes the messages of one read (64 KiB at most), in order.
        on_end: Told once that the process is gone, after every request that waited has failed with the same error.
    """

    def __init__(
        self,
        agent: str,
        process: AgentProcess,
        spawn: TaskOwner,
        *,
        decoder: msgspec.json.Decoder[_Raw],
        sort: Callable[[_Raw], _Message | Unreadable | None],
        on_batch: Callable[[list[_Message | Unreadable]], None],
        on_end: Callable[[AdapterProcessError], None],
    ) -> None:
        self._agent = agent
        self._process = process
        self._decoder = decoder
        self._sort = sort
        self._on_batch = on_batch
        self._on_end = on_end
        self._waiting: dict[int | str, tuple[str, asyncio.Future[Any]]] = {}
        self._ended: AdapterProcessError | None = None
        self._reader = spawn(self._read(), f"reader of process {process.pid}")

    @property
    def alive(self) -> bool:
        """True while the process can be talked to."""
        return self._ended is None and self._process.status is None

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message.

        Raises:
            AdapterProcessError: The process has ended.
        """
        await self._process.write(_encoder.encode(message) + b"\n")

    async def send_answer(self, message: dict[str, Any]) -> None:
        """Send the answer to what the process asked; without effect when that has ended."""
        with contextlib.suppress(AdapterProcessError):
            await self.send(message)

    async def request(self, id_: int | str, what: str, message: dict[str, Any], timeout_s: float) -> Any:
        """Send a request and return what :meth:`accept` is given for it.

        Args:
            id_: Id of the request, used once.
            what: What is requested, for errors.
            message: The request.
            timeout_s: Seconds that the answer may take.

        Raises:
            Refused: The process refused it.
            AdapterProtocolError: It did not answer in time.
            AdapterProcessError: It ended.
        """
        if self._ended is not None:
            raise self._ended
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[id_] = (what, answer)
        try:
            async with asyncio.timeout(timeout_s):
                await self.send(message)
                return await answer
        except TimeoutError:
            raise AdapterProtocolError(f"{self._agent} did not answer {what} within {timeout_s:g} s") from None
        finally:
            self._waiting.pop(id_, None)

    def accept(self, id_: int | str, result: Any) -> None:
        """Hand a result to the request that waits for it; without effect when none does."""
        _what, answer = self._waiting.get(id_, ("", None))
        if answer is not None and not answer.done():
            answer.set_result(result)

    def reject(self, id_: int | str, reason: str) -> None:
        """Fail the request that waits under this id; without effect when none does."""
        what, answer = self._waiting.get(id_, ("", None))
        if answer is not None and not answer.done():
            answer.set_exception(Refused(self._agent, what, reason))

    async def aclose(self, grace_s: float) -> None:
        """End the process and all it started; return when nothing of it is left.

        Args:
            grace_s: Seconds between SIGTERM and SIGKILL.
        """
        await self._process.aclose(grace_s)
        await asyncio.wait({self._reader})

    async def _read(self) -> None:
        splitter = LineSplitter()
        try:
            while block := await self._process.stdout.read():
                self._take(splitter.feed(block))
            self._take(splitter.end())
        finally:
            # A process that dies closes its streams a moment before its status is known.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _EXIT_S)
            await self._process.aclose(_EXIT_S)
            self._fail(death(self._agent, self._process))

    def _take(self, lines: list[Line]) -> None:
        batch = [message for line in lines if (message := self._message(line)) is not None]
        if batch:
            self._on_batch(batch)

    def _message(self, line: Line) -> _Message | Unreadable | None:
        raw = read_message(self._agent, line, self._decoder)
        return raw if raw is None or isinstance(raw, Unreadable) else self._sort(raw)

    def _fail(self, error: AdapterProcessError) -> None:
        self._ended = error
        for _what, answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)
        self._on_end(error)
