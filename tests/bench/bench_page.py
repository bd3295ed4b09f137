"""PAGE: 20,000 deltas in a real page: it stays smooth, shows them soon, and loses none."""

from __future__ import annotations

import bisect
import itertools
import tempfile
from pathlib import Path

from bench.agent import delta
from bench.measure import percentile, weather
from bench.page import moments, notebook_page, serve
from bench.table import Row
from support.notebook_page import NotebookPage

__all__ = ["run"]

DELTAS, CHARS = 20_000, 4
GOAL_MS = 200

# Each frame: when it was drawn, and how many letters of the answer it shows.
_PROBE = """cell => {
  const frames = (window.nbhFrames = []);
  const letters = () => [...document.querySelectorAll(".jp-Notebook .jp-Cell")[cell]
    .querySelectorAll("[data-nbh=message]")]
    .reduce((sum, message) => sum + message.textContent.replace(/\\s+/g, "").length, 0);
  const tick = () => {
    frames.push([(performance.timeOrigin + performance.now()) / 1000, letters()]);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}"""

Frames = list[tuple[float, int]]


def run() -> list[Row]:
    """Measure in JupyterLab on the newest kernel, at the pace of the budget and at five times that."""
    with tempfile.TemporaryDirectory() as place, serve(Path(place)) as (lab, context):
        with notebook_page(lab, context, "lab", "python3") as page, weather() as seen:
            said, frames = _stream(page, 800, Path(place))
        with notebook_page(lab, context, "lab", "python3") as page:
            _, fast = _stream(page, 4000, Path(place))
    gaps = [after - before for (before, _), (after, _) in itertools.pairwise(frames)]
    waits = _waits(said, frames)
    what = f"{DELTAS:,} deltas x {CHARS} at 800/s"
    return [
        Row(
            bar="PAGE",
            what=f"{what}: gap between frames, p99",
            goal=GOAL_MS,
            result=1000 * percentile(gaps, 99),
            unit="ms",
            is_disturbed=seen.is_bad,
        ),
        Row(
            bar="PAGE",
            what=f"{what}: emitted to drawn, p99",
            goal=GOAL_MS,
            result=percentile(waits, 99),
            unit="ms",
            is_disturbed=seen.is_bad,
        ),
        Row(bar="PAGE", what=f"{what}: emitted to drawn, median", result=percentile(waits, 50), unit="ms"),
        Row(bar="PAGE", what="letters lost at 800/s", goal=0, result=_letters(DELTAS) - frames[-1][1], unit="letters"),
        Row(bar="PAGE", what="letters lost at 4000/s", goal=0, result=_letters(DELTAS) - fast[-1][1], unit="letters"),
    ]


def _stream(page: NotebookPage, rate: int, place: Path) -> tuple[list[float], Frames]:
    """Stream one turn; return when each delta was emitted, and the frames that showed it."""
    file = place / f"stream-{rate}.json"
    cell = page.append(f"%coder --bg --new --agent bench stream {DELTAS} {CHARS} {rate} {file}")
    page.page.evaluate(_PROBE, cell)
    page.run(cell)
    said = moments(page, file)
    frames: Frames = [(at, shown) for at, shown in page.page.evaluate("() => window.nbhFrames")]
    return said, [frame for frame in frames if frame[0] >= said[0]]


def _waits(said: list[float], frames: Frames) -> list[float]:
    """Return the milliseconds from each delta to the first frame that shows it."""
    shown = [letters for _, letters in frames]
    waits = []
    for index, moment in enumerate(said):
        frame = bisect.bisect_left(shown, _letters(index + 1))
        if frame < len(frames):
            waits.append(1000 * (frames[frame][0] - moment))
    return waits


def _letters(deltas: int) -> int:
    """Return how many letters so many deltas have."""
    paragraphs, rest = divmod(deltas, 40)
    inside = len("".join(delta(index, CHARS) for index in range(40)).replace("\n", "").replace(" ", ""))
    return paragraphs * inside + rest * len(delta(0, CHARS).strip())
