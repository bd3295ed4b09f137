"""P13: whatever an agent pours out, little of it is held.

A Claude Code of ours pours, through adapter, turn, feed and store: a gigabyte on standard error, words of the answer
among it; a line of 300 MB; a million letters, each in a message of its own. What is measured is how much the peak of
this process's memory grows, in lengths of the longest line that is kept. The answer must arrive whole, to the byte.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from bench.table import Row
from support.fake_claude import program
from support.memory import peak_bytes, reset_peak

from nbharness.adapters.claude import ClaudeAdapter
from nbharness.process.lines import MAX_LINE_BYTES
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.testing.conformance.builtin import environment, workspace_in

__all__ = ["run"]

GOAL, LIMIT = 4.0, 8.0
STDERR_BYTES, LINE_BYTES, PIECES = 2**30, 300 * 2**20, 1_000_000
_WORD_EVERY = 2**20
_CLOSE_S = 10.0


def run() -> list[Row]:
    """Measure each in a conversation that has had a turn before."""
    words = "".join(f"{16 * number} " for number in range(STDERR_BYTES // _WORD_EVERY))
    with tempfile.TemporaryDirectory() as place, environment(Path(place)):
        agent = _Agent(Path(place))
        return [
            agent.row(f"{STDERR_BYTES / 1e9:.2f} GB on standard error", f"stderr {STDERR_BYTES}", words),
            agent.row(f"a line of {LINE_BYTES / 1e6:.0f} MB", f"long {LINE_BYTES}", "after"),
            agent.row(f"{PIECES:,} letters, one by one", f"flood {PIECES} x", "x" * PIECES),
        ]


class _Agent:
    def __init__(self, folder: Path) -> None:
        self._adapter = ClaudeAdapter(program(folder))
        self._workspace = workspace_in(folder)
        self._database = folder / "store.db"

    def row(self, what: str, task: str, wanted: str) -> Row:
        """Return how much the peak grows in a turn, once the text has proved to be what was said."""
        with contextlib.ExitStack() as leaving:
            runtime = Runtime(self._database)
            leaving.callback(runtime.close, _CLOSE_S)
            self._answer(runtime, "say hello")
            before = reset_peak()
            text = self._answer(runtime, task)
            grown = peak_bytes() - before
        assert text == wanted, f"{what}: {len(wanted)} characters were said, {len(text)} arrived, or not the same"
        return Row(
            bar="P13",
            what=f"{what}: peak memory grows by {grown / 2**20:.0f} MiB",
            goal=GOAL,
            limit=LIMIT,
            result=grown / MAX_LINE_BYTES,
            yardstick=f"the longest line that is kept, {MAX_LINE_BYTES // 2**20} MiB",
        )

    def _answer(self, runtime: Runtime, task: str) -> str:
        spec = TurnSpec(task=task, agent="claude", workspace=self._workspace, trust_project=True, timeout_s=None)
        result = runtime.start(spec, adapter=self._adapter).result()
        assert result.status == "completed", result
        return result.output.text
