"""The schema, as numbered steps: a database takes those it has not taken yet, in order, each once.

A step that was released is never changed; a new one is a module ``mNNN_what_it_does`` and a line in `MIGRATIONS`.
"""

from __future__ import annotations

from typing import NamedTuple

from nbharness.store.migrations import m001_initial, m002_definition

__all__ = ["APPLICATION_ID", "LATEST", "MIGRATIONS", "Migration"]

APPLICATION_ID = 0x6E626861
"""Marks a SQLite file as ours: "nbha" in its header."""


class Migration(NamedTuple):
    """One step.

    Attributes:
        version: Schema version once it is taken; they count from 1 without gaps.
        name: Name of its module.
        statements: What it runs, in one transaction.
    """

    version: int
    name: str
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(1, "m001_initial", m001_initial.STATEMENTS),
    Migration(2, "m002_definition", m002_definition.STATEMENTS),
)
"""All steps, oldest first."""

LATEST = MIGRATIONS[-1].version
"""Schema version that this program reads and writes."""
