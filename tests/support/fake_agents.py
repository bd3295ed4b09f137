"""A fake program that speaks the real wire of Codex, set up for the conformance checks."""

from __future__ import annotations

import contextlib
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from support.processes import FAKES

from nbharness.adapters.codex import CodexAdapter
from nbharness.testing.conformance import AgentUnderTest, Task
from nbharness.testing.conformance.builtin import environment, workspace_in

__all__ = ["codex"]

LONG = 300_000_000


@contextlib.contextmanager
def codex(folder: Path) -> Iterator[AgentUnderTest]:
    """The fake program that speaks the app-server protocol of Codex; it touches no file."""
    program = folder / "codex"
    program.write_text(f"#!{sys.executable} -IS\nexec(open({str(FAKES / 'codex_app_server.py')!r}).read())\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    log = {"FAKE_CODEX_LOG": str(folder / "starts")}
    how: dict[Task, str] = {"flood": "flood 100000", "malformed": "malformed", "long_line": f"long {LONG}"}
    with environment(folder):
        yield AgentUnderTest(
            create=lambda: CodexAdapter(program),
            workspace=workspace_in(folder),
            tasks=dict.fromkeys(("say", "write", "flood", "malformed", "long_line"), "go"),
            turn={"environment": log},
            turns={task: {"environment": {**log, "FAKE_CODEX": verb}} for task, verb in how.items()},
        )
