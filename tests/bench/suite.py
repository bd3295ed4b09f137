"""All benches by the bars they measure."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.table import Row, render

__all__ = ["main"]

_CACHE = Path(__file__).resolve().parents[2] / ".cache"

_BENCHES = {
    "bench_pipeline": ("P1", "P2"),
    "bench_traffic": ("P4", "P5"),
    "bench_latency": ("P6",),
    "bench_turn": ("P7",),
    "bench_builtin": ("B1", "B2"),
    "bench_store": ("P8",),
    "bench_import": ("P11",),
    "bench_git": ("P12",),
    "bench_memory": ("P13",),
    "bench_clicks": ("CLICK",),
    "bench_page": ("PAGE",),
}


def main(arguments: Sequence[str]) -> int:
    """Measure the bars that are named, or all; print one table.

    Returns:
        1 when a bar fails, else 0: a noisy figure is no failure and no success.
    """
    known = [bar for bars in _BENCHES.values() for bar in bars]
    asked = [argument.upper() for argument in arguments] or known
    unknown = [bar for bar in asked if bar not in known]
    if unknown:
        print(f"unknown bar {', '.join(unknown)}. Valid: {', '.join(known)}", file=sys.stderr)
        return 2
    # The extra kernels are found here, and nothing is written to the user's home.
    os.environ.setdefault("JUPYTER_PATH", str(_CACHE / "share" / "jupyter"))
    os.environ.setdefault("IPYTHONDIR", str(_CACHE / "ipython"))
    rows: list[Row] = []
    for name, bars in _BENCHES.items():
        if set(bars) & set(asked):
            print(f"measuring {', '.join(bars)} ...", file=sys.stderr, flush=True)
            rows += [row for row in importlib.import_module(f"bench.{name}").run() if row.bar in asked]
    print(render(rows))
    return 1 if any(row.verdict == "FAILS" for row in rows) else 0
