"""Which agent a turn gets when nobody names one."""

from __future__ import annotations

import pytest

from nbharness.adapters.base import AgentStatus
from nbharness.adapters.default import PREFERRED, default_agent

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
    assert "pip install it" in why
    assert "set A_KEY" in why
    assert "claude" in why
