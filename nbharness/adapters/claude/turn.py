"""One turn with one process of Claude Code."""

from __future__ import annotations

import asyncio
import contextlib

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.adapters.claude.asks import Asker, Unanswerable
from nbharness.adapters.claude.process import Ask, ClaudeProcess, Incoming, Withdrawn
from nbharness.adapters.claude.translate import Translator
from nbharness.adapters.program import Unreadable
from nbharness.errors import AdapterError, AdapterProcessError, NbHarnessError
from nbharness.events import TERMINAL_EVENTS, Error, TurnAborted, TurnCompleted, TurnFailed
from nbharness.tasks import TaskOwner

__all__ = ["ClaudeTurn"]

# Together less than the 2 s in which an aborted turn must be over.
_INTERRUPT_S = 1.0
_KILL_S = 0.5
_TOLD_FAULTS = 3

Terminal = TurnCompleted | TurnFailed | TurnAborted


class ClaudeTurn:
    """Runs one turn. Everything happens on the loop of the session.

    Args:
        process: Claude Code.
        request: What to do.
        port: The turn.
        tasks: Owns the questions that wait.

    Attributes:
        began: True when Claude has begun to answer.
    """

    def __init__(self, process: ClaudeProcess, request: TurnRequest, port: TurnPort, tasks: TaskOwner) -> None:
        self.began = False
        self._process = process
        self._request = request
        self._port = port
        self._tasks = tasks
        self._translator = Translator(str(request.workspace))
        self._asker = Asker(port, self._translator)
        self._ended: asyncio.Future[Terminal] = asyncio.get_running_loop().create_future()
        # Who waits for it may be cancelled first; then nobody asks what went wrong.
        self._ended.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._faults = 0

    @property
    def session_id(self) -> str:
        """Claude's id of the session, ``""`` until it tells."""
        return self._translator.session_id

    async def run(self) -> None:
        """Run to the end, and emit it.

        Raises:
            AdapterError: Claude Code ended, or cannot be understood.
            asyncio.CancelledError: The turn was aborted; Claude has stopped working, or is gone.
        """
        self._process.on_batch, self._process.on_end = self._on_batch, self._fail
        try:
            await self._process.say(self._request.task)
            # An abort must not cancel it too: Claude still has to be interrupted, and says here that it was.
            ended = await asyncio.shield(self._ended)
        except asyncio.CancelledError:
            await self._interrupt()
            raise
        finally:
            for task in self._asking.values():
                task.cancel()
            self._process.on_batch, self._process.on_end = _ignore, _ignore
        if (untold := self._faults - _TOLD_FAULTS) > 0:
            self._port.emit(Error(error=f"claude sent {untold} more lines that could not be read", code="protocol"))
        for event in [*self._translator.finish(), ended]:
            self._port.emit(event)

    def _on_batch(self, batch: list[Incoming]) -> None:
        for message in batch:
            match message:
                case Ask() if message.id in self._asking:
                    continue
                case Ask():
                    self._asking[message.id] = self._tasks(self._ask(message), f"question {message.id} of claude")
                case Withdrawn():
                    task = self._asking.pop(message.id, None)
                    if task is not None:
                        task.cancel()
                case Unreadable():
                    self._faults += 1
                    if self._faults <= _TOLD_FAULTS:
                        self._port.emit(Error(error=message.why, code=message.code))
                case _:
                    self._tell(message)

    def _tell(self, message: object) -> None:
        self.began = True
        for event in self._translator.translate(message):
            if not isinstance(event, TERMINAL_EVENTS):
                self._port.emit(event)
            elif not self._ended.done():
                self._ended.set_result(event)

    async def _ask(self, ask: Ask) -> None:
        try:
            response = await self._asker.answer(ask.request)
        except Unanswerable as error:
            await self._process.refuse(ask.id, str(error))
        except NbHarnessError as error:
            # Without an answer Claude would wait for ever.
            await self._process.refuse(ask.id, "the question could not be put")
            self._fail(error)
        else:
            await self._process.answer(ask.id, response)
        finally:
            self._asking.pop(ask.id, None)

    def _fail(self, error: NbHarnessError) -> None:
        if not self._ended.done():
            self._ended.set_exception(error)

    async def _interrupt(self) -> None:
        """Stop Claude, then end the process: what a command of its put into the background outlives an interrupt."""
        for task in self._asking.values():
            task.cancel()
        if self._process.alive:
            with contextlib.suppress(AdapterError, TimeoutError):
                async with asyncio.timeout(_INTERRUPT_S):
                    await self._process.control("interrupt")
                    await asyncio.shield(self._ended)
        with contextlib.suppress(AdapterProcessError):
            await self._process.aclose(_KILL_S)


def _ignore(_what: object) -> None:
    return
