"""The real Codex, made ready for the conformance checks.

A report: ``PYTHONPATH=tests python -m nbharness.testing.conformance --agent support.codex_conformance:real``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from support.codex_home import KEY, set_up_home
from support.codex_real import call, patch, plan, run

from nbharness.adapters.codex import create
from nbharness.testing.conformance import RAN, WAITING, WRITTEN, AgentUnderTest
from nbharness.testing.conformance.builtin import environment, workspace_in
from nbharness.testing.fakellm import FakeLLM, Reply, Script

__all__ = ["real"]

_PIECES = 5000
_DONE = Reply(text="done")
_OPTIONS = [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}]
_QUESTION = {"id": "colour", "header": "Colour", "question": "Which colour?", "options": _OPTIONS}
_SCRIPTS: dict[str, Script] = {
    "say": [Reply(text="hello")],
    "write": [patch(f"*** Add File: {WRITTEN}", "+written"), _DONE],
    "run": [run(f"touch {RAN}"), _DONE],
    "wait": [run(f"echo $$ > {WAITING}; exec python3 -c 'import time; time.sleep(60)'", yield_time_ms=30_000), _DONE],
    "question": [call("request_user_input", {"questions": [_QUESTION]}), _DONE],
    "plan": [plan("1. Do it."), _DONE],
    "todos": [call("update_plan", {"plan": [{"step": "one", "status": "in_progress"}]}), _DONE],
    "flood": [Reply(text="word ", deltas=_PIECES)],
}


@contextlib.contextmanager
def real(folder: Path) -> Iterator[AgentUnderTest]:
    """Codex, with a fake model."""
    home = folder / "codex-home"
    with FakeLLM(_SCRIPTS) as model:
        set_up_home(home, model.url)
        variables = {"CODEX_HOME": str(home), "HOME": str(folder), KEY: "a-key-that-nobody-has"}
        with environment(folder, variables):
            yield AgentUnderTest(
                create=create,
                workspace=workspace_in(folder),
                tasks={
                    "say": "SCRIPT:say",
                    "write": "SCRIPT:write",
                    "run": "SCRIPT:run",
                    "wait": "SCRIPT:wait",
                    "question": "SCRIPT:question",
                    "plan": "SCRIPT:plan",
                    "todos": "SCRIPT:todos",
                    "flood": "SCRIPT:flood",
                },
                said={"say": "hello", "flood": "word " * _PIECES},
                # In its sandbox a command has process ids of its own, so that it cannot tell which one it is.
                turns={"wait": {"options": {"sandbox": "danger-full-access"}}, "question": {"plan_mode": True}},
            )
