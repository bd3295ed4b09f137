"""Columns of text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from nbharness.cli.colour import ink_for
from nbharness.transcript.visible import visible

__all__ = ["print_table"]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns as wide as they need; the head only on a terminal.

    Args:
        head: Name of each column.
        rows: Cells; what is not visible in them is shown as its code.
    """
    shown = [[visible(cell).replace("\n", " ").replace("\t", " ") for cell in row] for row in rows]
    interactive = sys.stdout.isatty()
    widths = [max(map(len, column)) for column in zip(*shown, head, strict=True)]
    if interactive:
        print(ink_for(sys.stdout).muted(_line(head, widths)))
    for row in shown:
        print(_line(row, widths))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
