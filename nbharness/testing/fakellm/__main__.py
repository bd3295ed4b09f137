"""Serve scripts from a JSON file: ``python -m nbharness.testing.fakellm scripts.json``.

The file holds ``{"name": [{"type": "reply", "text": "...", "calls": [...]}, {"type": "fail", "status": 429}]}``. The
address is printed; it serves until its standard input ends or it is interrupted.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import msgspec

from nbharness.testing.fakellm import FakeLLM, Step


def main(arguments: list[str]) -> int:
    """Serve the scripts of one file."""
    if len(arguments) != 1:
        print("usage: python -m nbharness.testing.fakellm SCRIPTS.json", file=sys.stderr)  # noqa: T201 (a command)
        return 2
    scripts = msgspec.json.decode(Path(arguments[0]).read_bytes(), type=dict[str, list[Step]])
    with FakeLLM(scripts) as model, contextlib.suppress(KeyboardInterrupt):
        print(model.url, flush=True)  # noqa: T201 (as above)
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
