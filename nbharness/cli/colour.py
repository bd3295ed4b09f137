"""Whether to colour what goes to a terminal."""

from __future__ import annotations

import os
from typing import TextIO

from nbharness.transcript.ink import Ink

__all__ = ["ink_for", "wants_colour"]


def wants_colour(stream: TextIO) -> bool:
    """Tell whether to colour what goes to a stream: a terminal, and nobody asked for none (``NO_COLOR``)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def ink_for(stream: TextIO) -> Ink:
    """Return the colours for a stream."""
    return Ink(on=wants_colour(stream))
