"""Writes stamped lines at a steady rate, as an agent's program does: ``stamper.py COUNT RATE``.

A line is a part of a text in the rich vocabulary; the text is the moment it was written, on the machine's monotonic
clock, in nanoseconds.
"""

import json
import sys
import time

SETTLE_S = 0.3
"""Pause before the first line, so that it comes after one."""


def main(count: int, rate: float) -> None:
    time.sleep(SETTLE_S)
    began = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, began + number / rate - time.monotonic()))
        line = {"type": "model.streaming", "payload": {"delta": f"{time.monotonic_ns()} "}}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
