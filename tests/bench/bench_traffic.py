"""P4 and P5: what a kernel publishes while agents stream.

The Jupyter server drops, without a word, what exceeds 1000 messages a second on a page's socket, so few and small
messages are what makes a stream reliable.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.agent import delta
from bench.table import Row
from bench.tap import Message, Tap, bench_kernel, text_of
from support.kernels import Kernel

__all__ = ["run"]

SESSIONS = 50

_MANY = f"""
handles = [get_ipython().run_line_magic("coder", "--bg --new --agent bench stream 1000 20 100")
           for _ in range({SESSIONS})]
"""
_SETTLED = "print(*sorted({handle.result().status for handle in handles}))"


def run() -> list[Row]:
    """Measure in one kernel, the newest."""
    with tempfile.TemporaryDirectory() as place, bench_kernel("python3", Path(place)) as kernel:
        one = _stream(kernel, 10_000, 20, 1000)
        reply = _stream(kernel, 2500, 40, 1000)
        before = _cpu_s(kernel)
        tokens = _stream(kernel, 20_000, 4, 800)
        spent = _cpu_s(kernel) - before
        _stream(kernel, 20_000, 4, 4000)
        many = _many(kernel)
    left = sum(message.size for message in reply if message.kind == "update_display_data")
    return [
        Row(
            bar="P4",
            what="iopub messages a delta, one session at 1000/s",
            goal=1 / 30,
            result=len(one) / 10_000,
            yardstick="10,000 deltas",
        ),
        Row(
            bar="P4",
            what=f"iopub messages, {SESSIONS} sessions at 100/s each",
            goal=250,
            result=many,
            unit="/s",
            yardstick="the server's limit is 1000/s",
        ),
        Row(
            bar="P5",
            what="iopub bytes of a 100 kB reply at 1000/s, 40 characters a delta",
            goal=1.5,
            result=_streamed(reply) / 100_000,
            yardstick="100 kB visible text",
        ),
        Row(
            bar="P5",
            what="the same with 20 characters a delta, in twice the time",
            result=_streamed(one) / 200_000,
            yardstick="200 kB visible text",
        ),
        Row(
            bar="P5",
            what="the transcript that replaces it, in four forms",
            result=left / 100_000,
            yardstick="100 kB visible text",
        ),
        Row(bar="P5", what="iopub for 20,000 deltas x 4 at 800/s", goal=0.8, result=_streamed(tokens) / 1e6, unit="MB"),
        Row(bar="P5", what="CPU of the kernel in those 25 s, its agent included", result=spent, unit="s"),
        Row(bar="P5", what="characters lost of 20,000 deltas x 4 at 4000/s", goal=0, result=0, unit="chars"),
    ]


def _stream(kernel: Kernel, count: int, chars: int, rate: int) -> list[Message]:
    """Stream one turn; return all that was published for it, and let nothing count that lost a character."""
    tap = Tap(kernel)
    said = kernel.run(f"%coder --bg --new --agent bench --as turn stream {count} {chars} {rate}")
    said += kernel.run("print(turn.result().status)", timeout_s=120)
    messages = tap.stop()
    assert said.split() == ["completed"], said
    expected = "".join(delta(index, chars) for index in range(count))
    assert text_of(messages) == expected, f"the page would miss some of {len(expected)} characters"
    return messages


def _cpu_s(kernel: Kernel) -> float:
    return float(kernel.run("import time; print(time.process_time())"))


def _streamed(messages: list[Message]) -> int:
    """Return the bytes that carry a stream; the transcript that replaces it in the end is counted apart."""
    return sum(message.size for message in messages if message.kind == "comm_msg")


def _many(kernel: Kernel) -> float:
    """Return the messages a second while all sessions stream."""
    said = kernel.run(_MANY, timeout_s=120)
    tap = Tap(kernel)
    said += kernel.run(_SETTLED, timeout_s=120)
    messages = tap.stop()
    assert said.split() == ["completed"], said
    ends = [m.at for m in messages if any(e.type == "turn.completed" for e in m.envelopes)]
    streaming = [message for message in messages if message.at < min(ends)]
    return len(streaming) / (min(ends) - streaming[0].at)
