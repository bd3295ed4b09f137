"""P1 and P2: the whole way of an agent's line costs less than letting the standard library parse it.

On the way a line is parsed, translated, taken by its turn, joined with those of its frame, redacted and stored, and
encoded for the page.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.lines import claude_lines, claude_reader, rich_lines, rich_reader
from bench.measure import ratio
from bench.replay import LINES_PER_FRAME, Replayed, replay
from bench.table import Row

__all__ = ["run"]

LINES = 300 * LINES_PER_FRAME
LIMITS = {0.6: 1.0, 1.3: 2.0}
"""Goal: the figure above which it fails."""


def run() -> list[Row]:
    """Measure both vocabularies."""
    claude, rich = claude_lines(LINES), rich_lines(LINES)
    return [
        _row("P1", 0.6, "pipeline, CPU: Claude-like lines", lambda: replay(claude, claude_reader)),
        _row("P1", 0.6, "pipeline, CPU: rich lines, TypedTranslator", lambda: replay(rich, rich_reader)),
        _row(
            "P1",
            None,
            "the first, with Jupyter's envelope around each frame",
            lambda: replay(claude, claude_reader, enveloped=True),
        ),
        _row(
            "P2",
            1.3,
            "the same, and `async for` gets every event",
            lambda: replay(claude, claude_reader, enveloped=True, followed=True),
        ),
    ]


def _row(bar: str, goal: float | None, what: str, run_once: Callable[[], Replayed]) -> Row:
    def measure() -> tuple[float, float]:
        replayed = run_once()
        # Nothing counts that lost a character.
        assert (replayed.chars, replayed.frames) == (20 * LINES, LINES // LINES_PER_FRAME), replayed
        return replayed.yardstick_s, replayed.cpu_s

    measured = ratio(measure)
    return Row(
        bar=bar,
        what=what,
        goal=goal,
        limit=None if goal is None else LIMITS[goal],
        result=measured.value,
        yardstick=f"json.loads, {1e6 * measured.yardstick / LINES:.1f} us a line",
        spread=measured.spread,
    )
