"""What stays of a turn: a document that reads anywhere, and envelopes that replay it."""

from nbharness.transcript.bundle import transcript_bundle
from nbharness.transcript.replay import TRANSCRIPT_MIME, read_transcript, unfold
from nbharness.transcript.stale import reload_command
from nbharness.transcript.visible import printable, visible
from nbharness.transcript.writer import PlainWriter

__all__ = [
    "TRANSCRIPT_MIME",
    "PlainWriter",
    "printable",
    "read_transcript",
    "reload_command",
    "transcript_bundle",
    "unfold",
    "visible",
]
