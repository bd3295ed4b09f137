"""The saved form of a turn, from the store."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from nbharness import config
from nbharness.state import fold_all
from nbharness.store.interrupted import missing_end
from nbharness.store.reader import read_turn
from nbharness.transcript import transcript_bundle

__all__ = ["bundle_for_turn"]


def bundle_for_turn(turn_id: str, database: Path | None = None) -> dict[str, Any] | None:
    """Return what a settled turn leaves in a notebook, by MIME type.

    Never waits: the database is opened read-only, and the form of a settled turn is kept for the next save.

    Args:
        turn_id: The turn.
        database: The store's file; that of the settings when omitted.

    Returns:
        ``None`` when there is no such turn, or when it still runs: its page shows it.

    Raises:
        ConfigError: A setting cannot be used.
        StoreError: The store cannot be read.
    """
    path = config.load().database if database is None else database
    try:
        return _settled_bundle(path, turn_id)
    except LookupError:
        return None


@lru_cache(maxsize=64)
def _settled_bundle(path: Path, turn_id: str) -> dict[str, Any]:
    """Raises LookupError for a turn that has no lasting form yet; an error is not cached."""
    turn = read_turn(path, turn_id)
    if turn is None or turn.is_running or not turn.envelopes:
        raise LookupError(turn_id)
    # The log of a turn whose process died stops in the middle until the store is opened again.
    return transcript_bundle(fold_all([*turn.envelopes, *missing_end(turn.envelopes)]))
