"""Runs the command line as a user does: another process, a home of its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from nbharness.events import Envelope, decode
from nbharness.results import CodingResult
from nbharness.sample import create_sample_project

__all__ = ["Home", "one_line", "read_json"]

_TIMEOUT_S = 90


class Home:
    """A user's home directory, and a sample project in it to work on.

    Args:
        folder: An empty directory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = create_sample_project(folder / "project")
        self.state = folder / "state"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NBHARNESS_", "XDG_"))}
        own = {"HOME": str(folder), "NBHARNESS_HOME": str(self.state), "NBHARNESS_DEMO_DELAY_MS": "0", "TERM": "xterm"}
        own["NBHARNESS_AGENT"] = "demo"
        self.env = kept | own

    def command(self, *arguments: str) -> list[str]:
        """Return the interpreter's arguments that run nbharness."""
        return ["-m", "nbharness", *arguments]

    def nbharness(
        self, *arguments: str, stdin: str = "", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the project, with pipes, to its end."""
        return subprocess.run(
            [sys.executable, *self.command(*arguments)],
            cwd=self.project,
            env=self.env | (env or {}),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=_TIMEOUT_S,
        )

    def run(self, task: str, *options: str, **how: Any) -> subprocess.CompletedProcess[str]:
        """Run a turn of the demo agent on the project."""
        return self.nbharness("run", "--agent", "demo", "--workspace", str(self.project), *options, "--", task, **how)


def read_json(text: str) -> tuple[list[Envelope], CodingResult]:
    """Read what ``run --json`` printed: envelopes without a gap, then one result."""
    *lines, last = text.splitlines()
    envelopes = [read for line in lines if isinstance(read := decode(line), Envelope)]
    assert [envelope.seq for envelope in envelopes] == list(range(len(lines)))
    tail = msgspec.json.decode(last)
    assert tail["type"] == "result"
    return envelopes, msgspec.convert(tail["data"], CodingResult)


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the only line on standard error."""
    lines: Sequence[str] = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]
