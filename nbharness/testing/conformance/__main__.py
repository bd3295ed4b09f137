"""Print a conformance report: ``python -m nbharness.testing.conformance --agent NAME``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nbharness.errors import ConfigError
from nbharness.testing.conformance.builtin import SETUPS, find_setup
from nbharness.testing.conformance.report import report, row
from nbharness.testing.conformance.suite import CHECKS, CheckResult, run_checks

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Run the checks; return 0 when none failed, 1 when one did, 2 when an agent is not known.

    Each result is told on standard error as it comes, and all of them in a table on standard output in the end.
    """
    parser = argparse.ArgumentParser(prog="python -m nbharness.testing.conformance", description=__doc__)
    known = ", ".join(SETUPS)
    agent_help = f"{known}, or module:function that sets yours up; may be repeated"
    parser.add_argument("--agent", action="append", required=True, help=agent_help)
    parser.add_argument("--check", action="append", choices=list(CHECKS), help="run this one only; may be repeated")
    asked = parser.parse_args(arguments)
    sys.path.insert(0, str(Path.cwd()))
    try:
        setups = {agent: find_setup(agent) for agent in asked.agent}
    except ConfigError as error:
        print(error, file=sys.stderr)  # noqa: T201 (a command)
        return 2
    results: dict[str, list[CheckResult]] = {agent: [] for agent in setups}
    for agent, setup in setups.items():
        for result in run_checks(setup, asked.check or list(CHECKS)):
            print(row(agent, result), file=sys.stderr, flush=True)  # noqa: T201 (as above)
            results[agent].append(result)
    print(report(results))  # noqa: T201 (as above)
    return 1 if any(result.outcome == "failed" for each in results.values() for result in each) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
