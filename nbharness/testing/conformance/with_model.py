"""The built-in agent, made ready for the checks with a fake model."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbharness.adapters.builtin import BuiltinAdapter
from nbharness.testing.conformance.places import environment, workspace_in
from nbharness.testing.conformance.subject import EDITED, RAN, WAITING, WRITTEN, AgentUnderTest
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Script

__all__ = ["with_model"]

_PIECES = 5_000
_DONE = Reply(text="done")


def _call(tool: str, **args: Any) -> Reply:
    return Reply(calls=[Call(tool=tool, args=args)])


_SCRIPTS: dict[str, Script] = {
    "say": [Reply(text="hello")],
    "write": [_call("write", path=WRITTEN, content="written\n"), _DONE],
    "run": [_call("bash", command=f"touch {RAN}"), _DONE],
    "wait": [_call("bash", command=f"echo $$ > {WAITING}; exec sleep 60"), _DONE],
    "question": [_call("ask_user", question="Which colour?", options=["red", "blue"]), _DONE],
    "plan": [_call("propose_plan", plan="1. Do it."), _DONE],
    "todos": [_call("todo", todos=[{"content": "one", "status": "in_progress"}]), _DONE],
    "flood": [Reply(text="word ", deltas=_PIECES)],
}


@contextlib.contextmanager
def with_model(folder: Path) -> Iterator[AgentUnderTest]:
    """The built-in agent."""
    with FakeLLM(_SCRIPTS) as model:
        variables = {
            "ANTHROPIC_API_KEY": "a-key-that-nobody-has",
            "ANTHROPIC_BASE_URL": model.url,
            "NBHARNESS_MODEL": "anthropic:claude-sonnet-5-5",
        }
        with environment(folder, variables):
            yield AgentUnderTest(
                create=BuiltinAdapter,
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
                edit=lambda _args: {"command": f"touch {EDITED}"},
            )
