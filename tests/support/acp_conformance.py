"""ACP agents, made ready for the conformance checks.

A report: ``PYTHONPATH=tests python -m nbharness.testing.conformance --agent support.acp_conformance:real``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from support.acp import FAKE, copilot_environment

from nbharness.adapters.acp import copilot, create
from nbharness.testing.conformance import RAN, WAITING, WRITTEN, AgentUnderTest
from nbharness.testing.conformance.builtin import environment, workspace_in
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Script

__all__ = ["fake", "real"]

_PIECES = 20_000


@contextlib.contextmanager
def fake(folder: Path) -> Iterator[AgentUnderTest]:
    """The fake agent of these tests."""
    with environment(folder):
        yield AgentUnderTest(
            create=create,
            workspace=workspace_in(folder),
            tasks={
                "say": "say hello",
                "write": "do write",
                "run": "do run",
                "wait": "do wait",
                "question": "form",
                "plan": "plan",
                "todos": "todos",
                "flood": f"flood {_PIECES}",
                "malformed": "malformed",
                "long_line": f"long {300 * 2**20}",
            },
            said={"say": "hello", "malformed": "still here", "flood": "".join(f"{one} " for one in range(_PIECES))},
            turn={"command": f"{FAKE} --can resume,fork,modes"},
        )


@contextlib.contextmanager
def real(folder: Path) -> Iterator[AgentUnderTest]:
    """Copilot, with a fake model."""
    workspace = workspace_in(folder).resolve()
    with FakeLLM(_scripts(workspace)) as model, environment(folder, copilot_environment(model.url, folder)):
        yield AgentUnderTest(
            create=copilot,
            workspace=workspace,
            tasks={
                "say": "SCRIPT:say",
                "write": "SCRIPT:write",
                "run": "SCRIPT:run",
                "wait": "SCRIPT:wait",
            },
            # No flood: Copilot itself ends a turn whose answer repeats itself.
            said={"say": "hello"},
        )


def _scripts(workspace: Path) -> dict[str, Script]:
    wait = f"echo $$ > {WAITING}; exec python3 -c 'import time; time.sleep(60)'"
    deeds = {
        "write": Call(tool="create", args={"path": str(workspace / WRITTEN), "file_text": "written\n"}),
        "run": Call(tool="bash", args={"command": f"touch {RAN}", "description": "Make a file"}),
        "wait": Call(tool="bash", args={"command": wait, "description": "Wait"}),
    }
    scripts: dict[str, Script] = {name: [Reply(calls=[call]), Reply(text="done")] for name, call in deeds.items()}
    return {**scripts, "say": [Reply(text="hello")]}
