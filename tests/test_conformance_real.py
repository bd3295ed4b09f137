"""The real Codex and the real Claude Code keep what every agent must, against a fake model."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import real_agents

from nbharness.testing.conformance import CHECKS, run_check

pytestmark = [pytest.mark.agents, pytest.mark.slow]

NEEDS_A_FAKE = {"malformed", "long_line"}
NOT_OF_CODEX = {"edited", "answers_as_offered"}
NOT_OF_CLAUDE = {"steers", "answers_as_offered"}


@pytest.mark.parametrize("check", [check for check in CHECKS if check not in NEEDS_A_FAKE | NOT_OF_CODEX])
def test_codex(check: str, tmp_path: Path) -> None:
    result = run_check(check, real_agents.codex, tmp_path)
    assert result.outcome == "passed", result.why


@pytest.mark.parametrize("check", [check for check in CHECKS if check not in NEEDS_A_FAKE | NOT_OF_CLAUDE])
def test_claude(check: str, tmp_path: Path) -> None:
    result = run_check(check, real_agents.claude, tmp_path)
    assert result.outcome == "passed", result.why
