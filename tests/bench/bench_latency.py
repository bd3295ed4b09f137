"""P6: how long a line of the agent's program needs to the frame that shows it.

The program stamps each line with the machine's monotonic clock, which the bench reads too when the frame comes out of
the kernel. The yardstick of the first line is the same program read through a bare pipe.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.agent import STAMPER
from bench.measure import ROUNDS, percentile, weather
from bench.table import Row
from bench.tap import Tap, bench_kernel
from support.kernels import Kernel

from nbharness.events import MessageDelta

__all__ = ["run"]

FRAME_S = 1 / 30
LINES, RATE = 400, 200


def run() -> list[Row]:
    """Measure in one kernel, the newest, and a bare pipe in turns."""
    waits: list[float] = []
    firsts: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as place, bench_kernel("python3", Path(place)) as kernel, weather() as seen:
        for _ in range(ROUNDS):
            bare, ours = _through_pipe()[0], _through_kernel(kernel)
            firsts.append((bare, ours[0]))
            waits += ours
    pipe = statistics.median(bare for bare, _ours in firsts)
    return [
        Row(
            bar="P6",
            what=f"line to frame, p95 of {len(waits)} lines at {RATE}/s, in frames",
            goal=1.2,
            result=percentile(waits, 95) / FRAME_S,
            yardstick=f"a frame, {1000 * FRAME_S:.1f} ms",
            is_disturbed=seen.is_bad,
        ),
        Row(
            bar="P6",
            what="first line to frame, over a bare pipe",
            goal=5,
            result=1000 * statistics.median(ours - bare for bare, ours in firsts),
            unit="ms",
            yardstick=f"a bare pipe, {1000 * pipe:.2f} ms",
            is_disturbed=seen.is_bad,
        ),
    ]


def _through_pipe() -> list[float]:
    waits = []
    with subprocess.Popen([sys.executable, STAMPER, "20", str(RATE)], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        for line in program.stdout:
            came = time.monotonic_ns()
            waits.append((came - int(json.loads(line)["payload"]["delta"])) / 1e9)
    return waits


def _through_kernel(kernel: Kernel) -> list[float]:
    tap = Tap(kernel)
    said = kernel.run(f"%coder --bg --new --agent bench --as turn pipe {LINES} {RATE}")
    said += kernel.run("print(turn.result().status)")
    messages = tap.stop()
    assert said.split() == ["completed"], said
    waits = [
        message.at - int(stamp) / 1e9
        for message in messages
        for envelope in message.envelopes
        if isinstance(envelope.event, MessageDelta)
        for stamp in envelope.event.delta.split()
    ]
    assert len(waits) == LINES, len(waits)
    return waits
