"""Follows a turn from the main thread: prints it, asks the person at the terminal, stops it on Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable

from nbharness.cli.asker import Asker, Question
from nbharness.cli.interrupts import Interrupts
from nbharness.cli.output import Output
from nbharness.cli.progress import Progress
from nbharness.errors import ApprovalError
from nbharness.feed import HEARTBEAT_S
from nbharness.handle import CodingHandle
from nbharness.inputs import Abort, CodingInput
from nbharness.results import CodingResult

__all__ = ["Follower", "Send"]

Send = Callable[[CodingInput], None]


class Follower:
    """Follows one turn to its end.

    Args:
        handle: The turn.
        send: Gives an input to it, as the person at the terminal.
        output: Prints it.
        asker: Asks the person; ``None`` where there is nobody.
        interrupts: Counts Ctrl-C.
    """

    def __init__(
        self, handle: CodingHandle, send: Send, output: Output, asker: Asker | None, interrupts: Interrupts
    ) -> None:
        self._handle = handle
        self._send = send
        self._output = output
        self._asker = asker
        self._interrupts = interrupts
        self._progress = Progress(sys.stderr, f"{handle.agent} is working")
        self._seen = -1
        self._is_stopping = False
        self._answered: set[str] = set()

    def follow(self) -> CodingResult:
        """Return the outcome; everything was printed.

        Raises:
            OSError: What is printed cannot be written, or nobody reads it any more; the turn was stopped.
            KeyboardInterrupt: A second Ctrl-C; the turn may still run.
        """
        try:
            self._print_all()
            result = self._handle.result()
            self._output.finish(result)
        except OSError:
            self._send(Abort(reason="nobody reads the output any more"))
            self._handle.result()
            raise
        return result

    def _print_all(self) -> None:
        while self._show_more() or not self._is_over():
            self._stop_if_asked()
            question = self._next_question()
            if question is not None and self._asker is not None:
                self._put(question, self._asker)
            elif not self._handle.feed.wait(self._seen, HEARTBEAT_S) and self._output.is_at_line_start:
                self._progress.tick()
        self._progress.clear()

    def _show_more(self) -> bool:
        envelopes = self._handle.feed.since(self._seen)
        if envelopes:
            self._progress.clear()
            self._seen = envelopes[-1].seq
            self._output.show(envelopes)
        return bool(envelopes)

    def _is_over(self) -> bool:
        return self._handle.feed.closed and self._seen == len(self._handle.feed) - 1

    def _next_question(self) -> Question | None:
        """Return the oldest question that waits for a first answer, once all that led to it is printed."""
        if self._asker is None or self._is_stopping:
            return None
        waiting = [question for question in self._handle.waiting if question.id not in self._answered]
        return waiting[0] if waiting and self._seen == len(self._handle.feed) - 1 else None

    def _put(self, question: Question, asker: Asker) -> None:
        self._progress.clear()
        answer = asker.ask(question, lambda: self._interrupts.count > 0 or not self._waits(question))
        self._stop_if_asked()
        if self._is_stopping or (answer is None and not self._waits(question)):
            return
        # The event that tells of the answer comes a moment later; the question must not be put again until then.
        self._answered.add(str(question.id))
        try:
            self._send(answer or Abort(reason="the terminal has gone"))
        except ApprovalError as error:
            print(f"nbharness: {error}", file=sys.stderr)

    def _waits(self, question: Question) -> bool:
        return any(waiting.id == question.id for waiting in self._handle.waiting)

    def _stop_if_asked(self) -> None:
        if self._interrupts.count and not self._is_stopping:
            self._is_stopping = True
            self._progress.clear()
            print("\nStopping the turn; Ctrl-C again quits at once.", file=sys.stderr)
            self._send(Abort())
