"""A conversation knows which agent of the project it was begun with."""

STATEMENTS = ("ALTER TABLE conversations ADD COLUMN definition TEXT NOT NULL DEFAULT ''",)
"""Run in order, in one transaction."""
