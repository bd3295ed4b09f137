"""The conformance checks: they pass agents that conform, and each finds the fault that it is for."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from support import broken_agent, fake_agents

from nbharness.testing.conformance import CHECKS, Setup, run_check
from nbharness.testing.conformance.__main__ import main
from nbharness.testing.conformance.builtin import SETUPS

SLOW = {"killed_at_each_step", "long_line"}
NEEDS_FILES = {"writes", "rejected", "forks", "hears_what_waited"}
"""Checks that the fake Codex cannot pass: it touches no file, refuses nothing and has one session."""

UNCHECKED = {
    "builtin": {"killed_at_each_step", "malformed", "long_line", "answers_as_offered"},
    "demo": {"forks", "runs", "edited", "asks_a_question", "aborted_while_running", "killed_at_each_step"}
    | {"flooded", "long_line", "answers_as_offered", "skips_a_question", "stops_at_its_budget"},
    "mock": set(CHECKS)
    - {"status_is_quick", "opening_starts_nothing", "says", "second_turn_starts_nothing", "takes_up_a_session"}
    - {"flooded"},
}

FAULTS = {
    "missing": "status_is_quick",
    "eager": "opening_starts_nothing",
    "leaves": "says",
    "talks on": "says",
    "starts again": "second_turn_starts_nothing",
    "cumulative": "second_turn_starts_nothing",
    "forgets": "takes_up_a_session",
    "unasked": "writes",
    "no start": "writes",
    "no end": "writes",
    "ignores rejection": "rejected",
    "ignores edit": "edited",
    "undeclared": "says",
    "deaf": "steers",
    "leaves command": "aborted_while_running",
    "hides death": "killed_at_each_step",
    "hears nothing": "hears_what_waited",
    "ignores option": "answers_as_offered",
    "insists": "skips_a_question",
    "hides cost": "stops_at_its_budget",
    "loses": "flooded",
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("agent", SETUPS)
def test_agents_of_ours(agent: str, check: str, tmp_path: Path) -> None:
    result = run_check(check, SETUPS[agent], tmp_path)
    assert result.outcome == ("unchecked" if check in UNCHECKED[agent] else "passed"), result.why


def marked(checks: list[str]) -> list[object]:
    return [pytest.param(check, marks=pytest.mark.slow) if check in SLOW else check for check in checks]


@pytest.mark.parametrize("check", marked([check for check in CHECKS if check not in NEEDS_FILES]))
def test_codex_on_the_wire(check: str, tmp_path: Path) -> None:
    unchecked = {"runs", "edited", "asks_a_question", "skips_a_question", "plans", "keeps_a_checklist"}
    unchecked |= {"aborted_while_running", "answers_as_offered", "stops_at_its_budget"}
    result = run_check(check, fake_agents.codex, tmp_path)
    assert result.outcome == ("unchecked" if check in unchecked else "passed"), result.why


@pytest.mark.parametrize("check", sorted(set(FAULTS.values())))
def test_an_agent_without_fault(check: str, tmp_path: Path) -> None:
    assert run_check(check, broken_agent.setup, tmp_path).why == ""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # faulty agents drop processes
@pytest.mark.parametrize(("fault", "check"), FAULTS.items())
def test_every_fault_is_found(fault: str, check: str, tmp_path: Path) -> None:
    setup: Setup = functools.partial(broken_agent.setup, fault=fault)
    result = run_check(check, setup, tmp_path)
    assert result.outcome == "failed", result


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--agent", "mock", "--agent", "support.broken_agent:missing"]
    assert main([*both, "--check", "status_is_quick", "--check", "writes"]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("mock: status_is_quick ok")
    head, rule, first, second, _, *rest = told.out.splitlines()
    assert [cell.strip() for cell in head.split("|")[1:4]] == ["check", "mock", "support.broken_agent:missing"]
    assert set(rule) == {"|", "-", " "}
    assert [cell.strip() for cell in first.split("|")[1:4]] == ["status_is_quick", "ok", "FAILED"]
    assert [cell.strip() for cell in second.split("|")[1:4]] == ["writes", "-", "ok"]
    assert first.split("|")[4].strip().startswith("The status comes within a second")
    assert rest[0] == "- mock: writes not checked: no prompt for 'write'"
    assert rest[1].startswith("- support.broken_agent:missing: status_is_quick failed: status() says")
    assert rest[3:] == ["mock: 1 passed, 1 not checked", "support.broken_agent:missing: 1 passed, 1 failed"]


def test_report_of_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agent", "support.broken_agent:nothing"]) == 2
    assert f"Valid: {', '.join(SETUPS)}, or module:function" in capsys.readouterr().err
