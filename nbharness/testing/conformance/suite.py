"""All checks, and running them: each gets a fresh directory, agent and runtime."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from nbharness.errors import NbHarnessError
from nbharness.testing.conformance import asking, ends, turns
from nbharness.testing.conformance.bench import Bench, ConformanceError, NotCheckedError, expect
from nbharness.testing.conformance.processes import survivors
from nbharness.testing.conformance.subject import AgentUnderTest, Setup

__all__ = ["CHECKS", "Check", "CheckResult", "run_check", "run_checks"]

_GONE_S = 2.0

Check: TypeAlias = Callable[[Bench], None]
"""Raises :class:`ConformanceError` when an agent does not conform, :class:`NotCheckedError` when it cannot be told."""

CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        turns.status_is_quick,
        turns.opening_starts_nothing,
        turns.says,
        turns.second_turn_starts_nothing,
        turns.takes_up_a_session,
        turns.forks,
        turns.steers,
        turns.hears_what_waited,
        asking.writes,
        asking.runs,
        asking.rejected,
        asking.nobody_there,
        asking.edited,
        asking.answers_as_offered,
        asking.asks_a_question,
        asking.skips_a_question,
        asking.plans,
        asking.keeps_a_checklist,
        ends.aborted_while_asking,
        ends.aborted_while_running,
        ends.stops_at_its_budget,
        ends.killed_at_each_step,
        ends.flooded,
        ends.malformed,
        ends.long_line,
    )
}
"""Every check by its name, in the order of the report; a check's docstring says what must hold."""


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a check came out.

    Attributes:
        name: The check.
        outcome: ``passed``, ``failed``, or ``unchecked`` when the agent cannot do it or was not made to.
        why: What is wrong, or why it was not checked; ``""`` when it passed.
        seconds: Time it took.
    """

    name: str
    outcome: Literal["passed", "failed", "unchecked"]
    why: str = ""
    seconds: float = 0.0


def run_check(name: str, setup: Setup, folder: Path) -> CheckResult:
    """Run one check. Not on a thread whose event loop runs.

    Args:
        name: One of :data:`CHECKS`.
        setup: Makes the agent.
        folder: An empty directory for it.
    """
    began = time.monotonic()
    outcome, why = _outcome(CHECKS[name], setup, folder)
    return CheckResult(name=name, outcome=outcome, why=why, seconds=time.monotonic() - began)


def run_checks(setup: Setup, names: Iterable[str] = CHECKS) -> Iterator[CheckResult]:
    """Run checks one after the other, yielding each result as it comes."""
    for name in names:
        with tempfile.TemporaryDirectory(prefix="nbharness-conformance-", ignore_cleanup_errors=True) as folder:
            yield run_check(name, setup, Path(folder).resolve())


def _check(check: Check, agent: AgentUnderTest) -> None:
    with Bench(agent) as bench:
        check(bench)
    left = survivors(bench.processes.all(), _GONE_S)
    expect(not left, f"processes left after closing: {left}")


def _outcome(check: Check, setup: Setup, folder: Path) -> tuple[Literal["passed", "failed", "unchecked"], str]:
    try:
        with setup(folder) as agent:
            _check(check, agent)
    except NotCheckedError as error:
        return "unchecked", str(error)
    except (ConformanceError, NbHarnessError) as error:
        return "failed", str(error)
    return "passed", ""
