"""The ACP adapter keeps what every adapter must: with the fake agent, and with the real Copilot."""

from pathlib import Path

import pytest
from support.acp_conformance import fake, real

from nbharness.testing.conformance import CHECKS, run_check

# No ACP agent takes messages while it works, nor other arguments than it asked for; tokens are told at the end.
NOT_OF_ANY = {"steers", "edited", "stops_at_its_budget"}
# The others are in test_adapter_acp_copilot, or beyond it; the report of the kit has them all.
OF_COPILOT = [
    "takes_up_a_session",
    "nobody_there",
    "aborted_while_asking",
    "aborted_while_running",
    "killed_at_each_step",
]
SLOW = {"killed_at_each_step", "long_line"}


@pytest.mark.parametrize("check", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CHECKS])
def test_fake_agent_conforms(check: str, tmp_path: Path) -> None:
    result = run_check(check, fake, tmp_path)
    assert result.outcome == ("unchecked" if check in NOT_OF_ANY else "passed"), result.why


@pytest.mark.agents
@pytest.mark.slow
@pytest.mark.parametrize("check", OF_COPILOT)
def test_copilot_conforms(check: str, tmp_path: Path) -> None:
    result = run_check(check, real, tmp_path)
    assert result.outcome == "passed", result.why
