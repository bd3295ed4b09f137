"""The files that are derived, and whether they are up to date."""

from __future__ import annotations

from pathlib import Path

from nbharness.schema.json_schema import json_schema, json_text
from nbharness.schema.readme import BEGIN, END, table
from nbharness.schema.typescript import typescript

ROOT = Path(__file__).resolve().parents[2]
"""The clone."""


def generated() -> dict[Path, str]:
    """Return the text that each derived file should have.

    The README is among them once it has the two marker lines around its table.
    """
    schema = json_schema()
    files = {
        ROOT / "nbharness" / "events.schema.json": json_text(schema),
        ROOT / "js" / "src" / "events.gen.ts": typescript(schema),
    }
    readme = ROOT / "README.md"
    before, begin, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if end:
        files[readme] = f"{before}{begin}\n{table(schema)}{end}{after}"
    return files


def stale() -> dict[Path, str]:
    """Return the derived files whose text on disk is another, with the text they should have."""
    return {path: text for path, text in generated().items() if not path.exists() or _read(path) != text}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
