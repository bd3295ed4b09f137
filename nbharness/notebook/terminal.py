"""A turn in a plain IPython terminal: the transcript streams as text, approvals are asked at the prompt."""

from __future__ import annotations

import sys

from nbharness.feed import HEARTBEAT_S
from nbharness.handle import CodingHandle
from nbharness.notebook.asking import ask_in_cell
from nbharness.notebook.waiting import interrupt_aborts
from nbharness.transcript import PlainWriter

__all__ = ["follow_in_terminal"]


def follow_in_terminal(handle: CodingHandle) -> None:
    """Print the turn as it happens until it has settled.

    Raises:
        KeyboardInterrupt: If it was interrupted; the turn was stopped.
    """
    writer = PlainWriter(sys.stdout.write, colour=sys.stdout.isatty())
    seen = -1
    with interrupt_aborts(handle):
        while not (handle.done and seen == len(handle.feed) - 1):
            handle.feed.wait(seen, HEARTBEAT_S)
            for envelope in handle.feed.since(seen):
                seen = envelope.seq
                writer.event(envelope)
            sys.stdout.flush()
            waiting = handle.waiting
            if waiting:
                ask_in_cell(handle, waiting[0])
