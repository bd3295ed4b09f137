"""Ratios on a machine that others use too.

Ours and the yardstick are measured in turns, so both meet the same weather. Rounds are chosen by the yardstick alone:
a processor that others slow down for a while shows in it, and those rounds are left out, never the ones where we were
slow.
"""

from __future__ import annotations

import contextlib
import dataclasses
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from bench.table import NOISY

__all__ = ["ROUNDS", "Ratio", "Round", "Weather", "percentile", "ratio", "ratios", "spread", "weather"]

ROUNDS = 7
"""Rounds that count."""

_NAP_S, _LATE_S = 0.01, 0.005

Round = tuple[float, float]
"""The yardstick's figure and ours."""


@dataclasses.dataclass(frozen=True)
class Ratio:
    """A figure against a yardstick.

    Attributes:
        value: Median of ours / yardstick, round by round.
        yardstick: Median of the yardstick, in its own unit.
        spread: Distance of the yardstick's quartiles as a share of its median.
        more: Median of ours - yardstick, round by round.
        rounds: How many rounds counted.
    """

    value: float
    yardstick: float
    spread: float
    more: float
    rounds: int


def ratio(measure: Callable[[], Round], rounds: int = ROUNDS) -> Ratio:
    """Measure until `rounds` rounds have a yardstick of about one size.

    Args:
        measure: Measures the yardstick and ours, close together.
        rounds: How many rounds must count.
    """
    (only,) = ratios(lambda: [measure()], rounds)
    return only


def ratios(measure: Callable[[], Sequence[Round]], rounds: int = ROUNDS, at_most: int | None = None) -> list[Ratio]:
    """Measure several things at once, until `rounds` rounds of each have a yardstick of about one size.

    Args:
        measure: Measures the yardstick and ours of each, close together.
        rounds: How many rounds must count.
        at_most: How many to measure at most; five times `rounds` when it is not told.
    """
    done = [measure()]
    while len(done) < (at_most or 5 * rounds) and any(len(_alike(each)) < rounds for each in _columns(done)):
        done.append(measure())
    return [_summary(_alike(each) if len(_alike(each)) >= rounds else each) for each in _columns(done)]


def _columns(done: Sequence[Sequence[Round]]) -> list[list[Round]]:
    return [list(column) for column in zip(*done, strict=True)]


def _summary(rounds: Sequence[Round]) -> Ratio:
    sizes = [yardstick for yardstick, _ours in rounds]
    return Ratio(
        value=statistics.median(ours / yardstick for yardstick, ours in rounds),
        yardstick=statistics.median(sizes),
        spread=spread(sizes),
        more=statistics.median(ours - yardstick for yardstick, ours in rounds),
        rounds=len(rounds),
    )


@dataclasses.dataclass
class Weather:
    """How late this process woke from short sleeps, in seconds.

    What takes a fixed time has no yardstick: this says whether the machine was free to keep it.
    """

    late: list[float] = dataclasses.field(default_factory=list)

    @property
    def is_bad(self) -> bool:
        """True when one wake in a hundred came so late that others must have had the processors."""
        return percentile(self.late, 99) > _LATE_S


@contextlib.contextmanager
def weather() -> Iterator[Weather]:
    """Watch until the block ends."""
    seen, stopped = Weather(), threading.Event()

    def watch() -> None:
        while not stopped.is_set():
            began = time.monotonic()
            time.sleep(_NAP_S)
            seen.late.append(time.monotonic() - began - _NAP_S)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        stopped.set()
        watcher.join()


def spread(sizes: Sequence[float]) -> float:
    """Return the distance of the quartiles as a share of the median."""
    low, middle, high = statistics.quantiles(sizes, n=4)
    return (high - low) / middle


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value that `share` per cent of the values do not exceed."""
    return statistics.quantiles(values, n=100, method="inclusive")[share - 1]


def _alike(rounds: Sequence[Round]) -> list[Round]:
    """Return the most rounds whose yardsticks lie within the tolerated spread of each other."""
    runs = ([each for each in rounds if first[0] <= each[0] <= first[0] * (1 + NOISY)] for first in rounds)
    return max(runs, key=len, default=[])
