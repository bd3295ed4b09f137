"""Which agent a turn gets when nobody names one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.alone import stranger

from nbharness.adapters.base import AgentStatus
from nbharness.adapters.default import PREFERRED, Chosen, agent_for, default_agent
from nbharness.adapters.registry import adapter_names
from nbharness.config import load
from nbharness.spec import TurnSpec

READY = AgentStatus(installed=True, logged_in=True)
SIGNED_OUT = AgentStatus(installed=True, logged_in=False, login="set A_KEY")
UNKNOWN = AgentStatus(installed=True, logged_in=None)
MISSING = AgentStatus(installed=False, logged_in=False, install="pip install it", login="set A_KEY")


@pytest.mark.parametrize(
    ("statuses", "agent"),
    [
        ({"builtin": READY, "claude": READY}, "builtin"),
        ({"builtin": SIGNED_OUT, "codex": READY, "claude": READY}, "claude"),
        ({"builtin": MISSING, "codex": READY}, "codex"),
        ({"builtin": SIGNED_OUT, "claude": UNKNOWN, "codex": READY}, "codex"),
        ({"builtin": SIGNED_OUT, "claude": UNKNOWN}, "demo"),
        ({"builtin": SIGNED_OUT, "claude": AgentStatus(installed=False, logged_in=True)}, "demo"),
        ({"mine": READY}, "demo"),
        ({}, "demo"),
    ],
)
def test_first_that_can_work_is_taken(statuses: dict[str, AgentStatus], agent: str) -> None:
    chosen = default_agent(statuses, statuses.get)
    assert chosen.agent == agent
    assert agent in {"demo", "builtin"} or agent in chosen.why


@pytest.mark.parametrize(
    ("model", "statuses", "agent"),
    [
        ("ollama:qwen3", {"builtin": SIGNED_OUT, "claude": READY}, "builtin"),
        ("opus", {"builtin": SIGNED_OUT, "claude": READY}, "claude"),
        # It says what is missing, where the demo agent could only say that it takes no model.
        ("opus", {"builtin": SIGNED_OUT}, "builtin"),
        ("opus", {}, "demo"),
    ],
)
def test_a_model_that_is_named_has_a_say(model: str, statuses: dict[str, AgentStatus], agent: str) -> None:
    chosen = default_agent(statuses, statuses.get, model)
    assert chosen.agent == agent
    assert agent != "builtin" or repr(model) in chosen.why


def test_broken_adapter_hides_no_other() -> None:
    statuses = {"builtin": None, "claude": None, "codex": READY}
    assert default_agent(statuses, statuses.get).agent == "codex"


def test_nothing_is_asked_beyond_the_first_that_can_work() -> None:
    asked: list[str] = []

    def status_of(name: str) -> AgentStatus:
        asked.append(name)
        return READY if name == "claude" else SIGNED_OUT

    default_agent(PREFERRED, status_of)
    assert asked == ["builtin", "claude"]


def test_demo_says_how_to_get_a_real_agent() -> None:
    why = default_agent(PREFERRED, {"builtin": MISSING, "claude": UNKNOWN}.get).why
    assert "pip install it, then set A_KEY" in why
    assert "claude" in why
    ready = AgentStatus(installed=False, logged_in=True, install="pip install it", login="set A_KEY")
    assert "pip install it." in default_agent(PREFERRED, {"builtin": ready}.get).why


def test_all_that_are_preferred_exist() -> None:
    assert set(PREFERRED) <= set(adapter_names())


@pytest.fixture
def newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody without any account; returns the home directory. The only program on the path is a fake ``claude``."""
    variables = stranger(os.environ, tmp_path / "home")
    for name in os.environ:
        if name not in variables:
            monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/it-was-run\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return tmp_path / "home"


def test_a_key_or_a_sign_in_counts_from_the_moment_it_is_there(newcomer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = agent_for(load())
    assert chosen.agent == "demo"
    assert "ANTHROPIC_API_KEY" in chosen.why
    (newcomer / ".claude").mkdir()
    (newcomer / ".claude" / ".credentials.json").write_text("{}")
    assert agent_for(load()).agent == "claude"
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert agent_for(load()).agent == "builtin"
    assert not (newcomer.parent / "it-was-run").exists()


def test_a_name_comes_before_the_choice_and_needs_no_reason(newcomer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del newcomer
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert agent_for(load(), "codex") == Chosen(agent="codex")
    monkeypatch.setenv("NBHARNESS_AGENT", "claude")
    assert agent_for(load()) == Chosen(agent="claude")
    assert agent_for(load(), "codex") == Chosen(agent="codex")


def test_work_goes_on_with_what_was_chosen_before_unless_that_was_the_demo(
    newcomer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del newcomer
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert agent_for(load(), before=Chosen(agent="claude", why="It was ready.")).agent == "claude"
    assert agent_for(load(), before=Chosen(agent="demo", why="Nothing was ready.")).agent == "builtin"
    assert agent_for(load(), model="ollama:qwen3", before=Chosen(agent="claude", why="…")).agent == "builtin"


def test_the_model_of_the_settings_is_for_the_agent_that_is_chosen(
    newcomer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NBHARNESS_MODEL", "ollama:qwen3")
    spec = TurnSpec.over(load(), workspace=newcomer)
    assert (spec.agent, spec.model) == ("builtin", "ollama:qwen3")
    assert "'ollama:qwen3'" in spec.agent_because
    assert TurnSpec.over(load(), agent="builtin", workspace=newcomer).model == "ollama:qwen3"
    assert TurnSpec.over(load(), agent="claude", workspace=newcomer).model is None
    (newcomer / ".claude").mkdir()
    (newcomer / ".claude" / ".credentials.json").write_text("{}")
    monkeypatch.setenv("NBHARNESS_MODEL", "opus")
    spec = TurnSpec.over(load(), workspace=newcomer)
    assert (spec.agent, spec.model) == ("claude", "opus")


def test_an_own_server_without_a_model_is_told_what_it_lacks(newcomer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del newcomer
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    chosen = agent_for(load())
    assert chosen.agent == "demo"
    assert "OPENAI_BASE_URL is set and nobody knows the models there" in chosen.why
    monkeypatch.setenv("NBHARNESS_MODEL", "my-model")
    assert agent_for(load()).agent == "builtin"
