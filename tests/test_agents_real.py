"""A declared agent that real agents work as: its instructions reach their model, after what they say themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.acp import claude_environment
from support.codex_home import KEY, set_up_home
from support.declared import put

from nbharness.agents import select
from nbharness.audience import Nobody
from nbharness.config import load
from nbharness.errors import NotSupported
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.testing.fakellm import FakeLLM, Reply

pytestmark = [pytest.mark.agents, pytest.mark.slow]


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path / "state"))
    made = Runtime(tmp_path / "nbharness.db")
    yield made
    made.close(10)


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_its_instructions_reach_the_model(
    agent: str, runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "workspace" / "agents" / "reviewer"
    put(folder / "instructions.md", f"---\nagent: {agent}\n---\nYou review. The password is xyzzy.")
    put(folder / "skills/naming/SKILL.md", "---\ndescription: How names are chosen here.\n---\nShort ones.\n")
    with FakeLLM({"x": [Reply(text="Done.")]}) as model:
        set_up_home(tmp_path / "codex-home", model.url)
        variables = {
            "CODEX_HOME": str(tmp_path / "codex-home"),
            "HOME": str(tmp_path),
            KEY: "a-key-that-nobody-has",
            **(claude_environment(model.url, tmp_path) if agent == "claude" else {}),
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        workspace = tmp_path / "workspace"
        spec = TurnSpec.over(
            load(), task="SCRIPT:x", workspace=workspace, definition=select(workspace, "reviewer"), trust_project=True
        )
        assert spec.agent == agent
        result = runtime.start(spec, audience=Nobody()).result(60)
        assert result.status == "completed", result.error
        said = [json.dumps(request.body) for request in model.requests]
    assert any("The password is xyzzy." in body and "agents/reviewer/skills/naming/SKILL.md" in body for body in said)


def test_an_agent_that_takes_no_text_refuses(runtime: Runtime, tmp_path: Path) -> None:
    put(tmp_path / "agents/reviewer/instructions.md", "Hi.")
    spec = TurnSpec.over(load(), task="x", agent="gemini", workspace=tmp_path, definition=select(tmp_path, "reviewer"))
    with pytest.raises(NotSupported, match="'gemini' does not support instructions of a declared agent"):
        runtime.start(spec, audience=Nobody())
