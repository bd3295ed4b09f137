"""One figure with its goal, and the table of them all."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Literal

__all__ = ["NOISY", "Row", "render"]

NOISY = 0.2
"""Spread of a yardstick, as a share of its median, above which a ratio to it proves nothing."""

_TITLES = ("bar", "what", "goal", "result", "yardstick", "spread", "verdict")

Verdict = Literal["ok", "short", "FAILS", "noisy", "fact"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """One figure.

    Attributes:
        bar: Name of the bar, such as ``P1``.
        what: What was measured.
        result: The figure: a ratio unless `unit` says otherwise.
        goal: Highest figure that is good; ``None`` for a fact that has no goal.
        limit: Highest figure that is not yet a failure, when that is more than the goal.
        yardstick: What it was measured against, with its own size; ``""`` when the goal is absolute.
        spread: Distance of the yardstick's quartiles as a share of its median, or ``None``.
        unit: Unit of figure and goal, ``""`` for a ratio.
        is_disturbed: Others kept the processors busy, so that a time above its goal proves nothing.
    """

    bar: str
    what: str
    result: float
    goal: float | None = None
    limit: float | None = None
    yardstick: str = ""
    spread: float | None = None
    unit: str = ""
    is_disturbed: bool = False

    @property
    def verdict(self) -> Verdict:
        """How the figure stands to its goal."""
        if self.goal is None:
            return "fact"
        if self.spread is not None and self.spread > NOISY:
            return "noisy"
        if self.result <= self.goal:
            return "ok"
        if self.is_disturbed:
            return "noisy"
        return "FAILS" if self.limit is None or self.result > self.limit else "short"

    def cells(self) -> tuple[str, ...]:
        """Return what stands in its line of the table."""
        unit = f" {self.unit}" if self.unit else ""
        goal = "-" if self.goal is None else f"<= {self.goal:.3g}{unit}"
        goal += "" if self.limit is None else f" (fails above {self.limit:.3g})"
        spread = "-" if self.spread is None else f"{self.spread:.0%}"
        result = f"{self.result:.3g}{unit}"
        return self.bar, self.what, goal, result, self.yardstick or "-", spread, self.verdict


def render(rows: Sequence[Row]) -> str:
    """Return the table, with the load of the machine under it."""
    lines = [_TITLES, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_TITLES))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    text.insert(1, "  ".join("-" * width for width in widths))
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return "\n".join([*text, "", f"load average {load} on {os.cpu_count()} processors"])
