"""What ``nbharness run`` prints on standard output: a transcript, one envelope a line, or only the answer."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence

import msgspec

from nbharness.cli.colour import wants_colour
from nbharness.events import Envelope
from nbharness.results import CodingResult
from nbharness.transcript import PlainWriter
from nbharness.transcript.visible import visible

__all__ = ["AnswerOutput", "JsonOutput", "Output", "TextOutput", "make_output"]


class Output(ABC):
    """Takes a turn as it happens. What cannot be written raises :class:`OSError`."""

    @abstractmethod
    def show(self, envelopes: Sequence[Envelope]) -> None:
        """Print what happened."""

    @abstractmethod
    def finish(self, result: CodingResult) -> None:
        """Print the outcome."""

    @property
    def is_on_view(self) -> bool:
        """True when the person at the terminal reads the transcript there as it comes."""
        return False

    @property
    def is_at_line_start(self) -> bool:
        """True unless a line was left open on the terminal."""
        return True


class TextOutput(Output):
    """A readable transcript, printed as it streams."""

    def __init__(self) -> None:
        self._written = "\n"
        self._writer = PlainWriter(self._write, colour=wants_colour(sys.stdout))

    def show(self, envelopes: Sequence[Envelope]) -> None:
        """Print what happened."""
        for envelope in envelopes:
            self._writer.event(envelope)
        sys.stdout.flush()

    def finish(self, result: CodingResult) -> None:
        """End the last line; the outcome was an event."""
        del result
        if not self._written.endswith("\n"):
            self._write("\n")
        sys.stdout.flush()

    @property
    def is_on_view(self) -> bool:
        """True on a terminal."""
        return sys.stdout.isatty()

    @property
    def is_at_line_start(self) -> bool:
        """True unless a line was left open on the terminal."""
        return not self.is_on_view or self._written.endswith("\n")

    def _write(self, text: str) -> None:
        self._written = text or self._written
        sys.stdout.write(text)


class JsonOutput(Output):
    """One envelope a line, then the result as ``{"type":"result","data":…}``.

    Args:
        with_events: False prints the result only.
    """

    def __init__(self, *, with_events: bool) -> None:
        self._with_events = with_events

    def show(self, envelopes: Sequence[Envelope]) -> None:
        """Print the envelopes."""
        if self._with_events:
            self._write(b"".join(envelope.encode() + b"\n" for envelope in envelopes))

    def finish(self, result: CodingResult) -> None:
        """Print the result."""
        self._write(b'{"type":"result","data":%b}\n' % msgspec.json.encode(result))

    def _write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


class AnswerOutput(Output):
    """Nothing but the agent's last answer."""

    def show(self, envelopes: Sequence[Envelope]) -> None:
        """Print nothing."""

    def finish(self, result: CodingResult) -> None:
        """Print the answer; as it came into a pipe, without hidden characters on a terminal."""
        if result.output.text:
            print(visible(result.output.text) if sys.stdout.isatty() else result.output.text, flush=True)


def make_output(*, json: bool, quiet: bool) -> Output:
    """Return the output that the options ask for."""
    if json:
        return JsonOutput(with_events=not quiet)
    return AnswerOutput() if quiet else TextOutput()
