"""One turn of ours on a thread of Codex's: one turn of Codex's, or several when a plan comes first."""

from __future__ import annotations

import asyncio
import contextlib

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.adapters.codex.asks import Asker, UnanswerableError
from nbharness.adapters.codex.coalesce import coalesce
from nbharness.adapters.codex.rpc import Incoming, Notification, ServerRequest
from nbharness.adapters.codex.server import AppServer
from nbharness.adapters.codex.translate import Said, Translator
from nbharness.adapters.program import Unreadable
from nbharness.errors import AdapterError, AdapterProcessError, AdapterProtocolError, NbHarnessError
from nbharness.events import Error, TurnCompleted, TurnFailed
from nbharness.tasks import TaskOwner

__all__ = ["CodexTurn"]

_INTERRUPT_S = 1.0
_STEER_S = 5.0
_LOST_S = 5.0
_IMPLEMENT = "Implement the plan."
_EDITED = "Implement this plan; it is yours as the user edited it:\n\n"
_REVISE = "The user does not approve the plan. Revise it and propose it again. They say: "

Terminal = TurnCompleted | TurnFailed


class CodexTurn:
    """Runs one turn. Everything happens on the loop of the session.

    Args:
        server: Codex, with its thread open.
        request: What to do.
        port: The turn.
        tasks: Owns what runs beside: questions that wait, and the ear for further messages.
        after_plan: The thread was left in plan mode by an earlier turn.

    Attributes:
        began: True when Codex has begun, so that its thread can be taken up again.
        planning: True while the thread is in plan mode.
    """

    def __init__(
        self, server: AppServer, request: TurnRequest, port: TurnPort, tasks: TaskOwner, *, after_plan: bool
    ) -> None:
        self.began = False
        self.planning = after_plan
        self._server = server
        self._request = request
        self._port = port
        self._tasks = tasks
        workspace = str(request.workspace)
        self._translator = Translator(server.thread_id, workspace)
        self._asker = Asker(port, self._translator, workspace, self._tell)
        self._running: asyncio.Future[Terminal] | None = None
        self._native_id = ""
        self._texts: list[str] = []
        self._steering = asyncio.Lock()
        self._steerable = asyncio.Event()
        self._asking: dict[int | str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Run to the end, and emit it.

        Raises:
            AdapterError: Codex ended, or cannot be understood.
            asyncio.CancelledError: The turn was aborted; Codex has stopped working, or is gone.
        """
        self._server.listener = self
        ear = self._tasks(self._hear(), "messages to codex")
        try:
            ended = await self._work()
        except asyncio.CancelledError:
            await self._interrupt()
            raise
        finally:
            ear.cancel()
            for task in self._asking.values():
                task.cancel()
            self._server.listener = None
        for event in [*self._translator.finish(), ended]:
            self._port.emit(event)

    def on_batch(self, batch: list[Incoming]) -> None:
        """Take what Codex says: deltas of one read that belong together become one event."""
        said: Said = []
        for message in batch:
            match message:
                case Notification():
                    said += self._translator.translate(message.method, message.params)
                    self._watch(message)
                case Unreadable():
                    said.append(Error(error=message.why, code=message.code))
                case ServerRequest():
                    # What is asked about stands before the question.
                    self._emit(said)
                    said = []
                    self._asking[message.id] = self._tasks(self._ask(message), f"question of codex {message.method}")
        self._emit(said)

    def on_end(self, error: AdapterProcessError) -> None:
        """Codex is gone."""
        self._fail(error)

    async def _work(self) -> Terminal:
        text, planning = self._request.task, self._request.plan_mode
        while True:
            ended = await self._native_turn(text, planning=planning)
            if isinstance(ended, TurnFailed):
                return ended
            following = await self._after_plan() if planning and self._translator.plan else None
            async with self._steering:  # a message that is on its way counts
                late, self._texts = self._texts, []
            if following is not None:
                text, planning = following
                text = "\n\n".join([text, *late])
            elif late:
                text = "\n\n".join(late)
            else:
                return ended

    async def _native_turn(self, text: str, *, planning: bool) -> Terminal:
        self._running = asyncio.get_running_loop().create_future()
        # Who waits for it may be cancelled first; then nobody asks what went wrong.
        self._running.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self._translator.plan = ""
        after_plan, self.planning = self.planning, planning
        self._native_id = await self._server.start_turn(self._request, text, plan=planning, after_plan=after_plan)
        self.began = True
        self._steerable.set()
        # An abort must not cancel it too: Codex still has to be interrupted, and says here that it was.
        ended = await asyncio.shield(self._running)
        self._steerable.clear()
        return ended

    async def _after_plan(self) -> tuple[str, bool] | None:
        """Put the plan before a person; return what Codex is told next and whether it still plans."""
        plan = self._translator.plan
        answer = await self._port.propose(plan)
        if answer.approved:
            return (_IMPLEMENT if answer.plan == plan else _EDITED + answer.plan), False
        if answer.reason and answer.by not in {"nobody", "turn"}:
            return _REVISE + answer.reason, True
        return None

    async def _hear(self) -> None:
        """Hand on what the user says; what Codex cannot take now it is told when it has finished."""
        while True:
            text = (await self._port.next_message()).text
            self._texts.append(text)
            await self._steerable.wait()
            async with self._steering:
                if text in self._texts:
                    await self._steer(text)

    async def _steer(self, text: str) -> None:
        with contextlib.suppress(AdapterError):  # the turn is over already
            await self._steer_native(text)
            self._texts.remove(text)

    async def _tell(self, text: str) -> None:
        with contextlib.suppress(AdapterError):  # the turn is over, and so is what this is about
            await self._steer_native(text)

    async def _steer_native(self, text: str) -> None:
        params = {
            "threadId": self._server.thread_id,
            "expectedTurnId": self._native_id,
            "input": [{"type": "text", "text": text, "text_elements": []}],
        }
        await self._server.request("turn/steer", params, _STEER_S)

    async def _ask(self, request: ServerRequest) -> None:
        try:
            result = await self._asker.answer(request)
        except UnanswerableError as error:
            await self._server.refuse(request.id, str(error))
        except NbHarnessError as error:
            # Without an answer Codex would wait for ever.
            await self._server.refuse(request.id, "the question could not be put")
            self._fail(error)
        else:
            await self._server.answer(request.id, result)
        finally:
            self._asking.pop(request.id, None)

    def _watch(self, message: Notification) -> None:
        """Take back a question that Codex no longer waits for; do not wait for an end that got lost."""
        params = message.params if isinstance(message.params, dict) else {}
        if message.method == "serverRequest/resolved":
            id_ = params.get("requestId")
            task = self._asking.pop(id_, None) if isinstance(id_, int | str) else None
            if task is not None:
                task.cancel()
        is_idle = message.method == "thread/status/changed" and params.get("status") == {"type": "idle"}
        if is_idle and params.get("threadId") == self._server.thread_id:
            self._expect_end()

    def _expect_end(self) -> None:
        """Codex is idle. That it says so right before it tells how the turn ended is all we know."""
        running = self._running

        def give_up() -> None:
            if running is not None and not running.done():
                lost = "codex is idle and did not say how the turn ended; send a message to go on"
                running.set_exception(AdapterProtocolError(lost))

        asyncio.get_running_loop().call_later(_LOST_S, give_up)

    def _emit(self, said: Said) -> None:
        for event in coalesce(said):
            if isinstance(event, Terminal):
                self._end(event)
            else:
                self._port.emit(event)

    def _end(self, ended: Terminal) -> None:
        if self._running is not None and not self._running.done():
            self._running.set_result(ended)

    def _fail(self, error: NbHarnessError) -> None:
        if self._running is not None and not self._running.done():
            self._running.set_exception(error)

    async def _interrupt(self) -> None:
        """Stop Codex. A command that it ran would go on, so then the whole app-server goes."""
        running, native_id = self._running, self._native_id
        # Codex takes no further turn while it waits for an answer that does not come.
        unanswered = bool(self._asking)
        stopped = running is None or running.done()
        if running is not None and not stopped and native_id and self._server.alive:
            with contextlib.suppress(AdapterError, TimeoutError):
                async with asyncio.timeout(_INTERRUPT_S):
                    params = {"threadId": self._server.thread_id, "turnId": native_id}
                    await self._server.request("turn/interrupt", params)
                    await asyncio.shield(running)
                    stopped = True
        if not stopped or unanswered or self._translator.ran_commands:
            await self._server.aclose()
