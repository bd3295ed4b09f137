"""P12: knowing what a turn changed costs little more than asking git.

Processor time, in a repository of ten thousand files: the first snapshot, with a shadow that is not there yet, against
``git worktree add``; finding out what a turn did to fifty files, ready as an event, against a plain ``git diff`` of
them. Then the two snapshots of a turn in a small repository, which every turn waits for.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.measure import ROUNDS, Ratio, Round, ratios, weather
from bench.table import Row

from nbharness.git import ShadowRepository

__all__ = ["run"]

FILES, SMALL, EDITED = 10_000, 100, 50
FIRST_GOAL, DIFF_GOAL, TURN_GOAL_MS = 1.2, 2.5, 60.0
TURNS = 21
AT_MOST = ROUNDS + 5

_LINES = 60


def run() -> list[Row]:
    """Measure in repositories that are removed afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        large, small = _repository(Path(directory) / "large", FILES), _repository(Path(directory) / "small", SMALL)
        turns = itertools.count()
        first, diff = ratios(lambda: [_first(large), _diff(large, next(turns))], at_most=AT_MOST)
        return [
            _row(f"first snapshot of {FILES:,} files, CPU", FIRST_GOAL, "git worktree add", first),
            _row(f"what a turn did to {EDITED} of {FILES:,} files, CPU", DIFF_GOAL, "git diff", diff),
            _turn(small),
        ]


def _row(what: str, goal: float, yardstick: str, measured: Ratio) -> Row:
    return Row(
        bar="P12",
        what=what,
        goal=goal,
        result=measured.value,
        yardstick=f"{yardstick}, {1000 * measured.yardstick:.0f} ms",
        spread=measured.spread,
    )


def _first(top: Path) -> Round:
    tree, state = top.parent / "tree", top.parent / "fresh"
    plain = _git(top, "worktree", "add", "--detach", str(tree))
    began = _cpu()
    asyncio.run(_baseline(tree, state))
    ours = _cpu() - began
    shutil.rmtree(state)
    _git(top, "worktree", "remove", "--force", str(tree))
    return plain, ours


def _diff(top: Path, turn: int) -> Round:
    _git(top, "checkout", "-q", ".")
    # Else git would have to read what is as young as its index.
    _git(top, "update-index", "-q", "--refresh")
    ours = asyncio.run(_changes(top, sorted(top.glob("d*/*"))[turn * EDITED :][:EDITED]))
    return _git(top, "diff"), ours


async def _changes(top: Path, files: Sequence[Path]) -> float:
    shadow = await ShadowRepository.open(top, top.parent / "state")
    baseline = await shadow.baseline()
    for file in files:
        file.write_text(file.read_text() + "one more line\n")
    began = _cpu()
    changed = await shadow.changes(baseline)
    seconds = _cpu() - began
    assert changed is not None
    assert changed.files == len(files)
    return seconds


def _turn(top: Path) -> Row:
    with weather() as seen:
        seconds = asyncio.run(_turns(top))
    return Row(
        bar="P12",
        what=f"both snapshots of a turn in {SMALL} files, 1 changed, median of {TURNS}",
        goal=TURN_GOAL_MS,
        result=1000 * statistics.median(seconds),
        unit="ms",
        is_disturbed=seen.is_bad,
    )


async def _turns(top: Path) -> list[float]:
    file, seconds = top / "d0" / "f0", []
    for turn in range(TURNS + 1):
        began = time.perf_counter()
        shadow = await ShadowRepository.open(top, top.parent / "state")
        baseline = await shadow.baseline()
        between = time.perf_counter()
        file.write_text(f"turn {turn}\n")
        resumed = time.perf_counter()
        await shadow.changes(baseline)
        seconds.append(time.perf_counter() - resumed + between - began)
    return seconds[1:]


async def _baseline(top: Path, state: Path) -> None:
    shadow = await ShadowRepository.open(top, state)
    shadow.forget(await shadow.baseline())


def _repository(top: Path, files: int) -> Path:
    for number in range(files):
        file = top / f"d{number % 100}" / f"f{number}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"line {line} of file {number}\n" for line in range(_LINES)))
    _git(top, "init", "-q")
    _git(top, "add", "-A")
    _git(top, "commit", "-q", "-m", "all")
    return top


def _git(top: Path, *arguments: str) -> float:
    """Run git without the settings of whoever measures; return its CPU seconds."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@bench.invalid"]
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["git", *identity, *arguments], cwd=top, env=environment, check=True, capture_output=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


def _cpu() -> float:
    """Return the CPU seconds of this process and of those that ended in it."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
