"""Results of the checks as a table in Markdown, which reads well in a terminal too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from nbharness.testing.conformance.suite import CHECKS, CheckResult

__all__ = ["report", "row"]

_SIGNS = {"passed": "ok", "failed": "FAILED", "unchecked": "-"}
_WORDS = {"passed": "passed", "failed": "failed", "unchecked": "not checked"}


def row(agent: str, result: CheckResult) -> str:
    """Return a result as one line, for whoever waits for the rest."""
    return f"{agent}: {result.name} {_SIGNS[result.outcome]} ({result.seconds:.1f} s)"


def report(results: Mapping[str, Sequence[CheckResult]]) -> str:
    """Return the table of one or more agents, what did not pass, and a count for each.

    Args:
        results: Of each agent, in the order of the checks; all agents had the same checks.
    """
    agents = list(results)
    checks = [result.name for result in results[agents[0]]]
    columns = [[_SIGNS[result.outcome] for result in results[agent]] for agent in agents]
    cells = [list(line) for line in zip(checks, *columns, [_meaning(check) for check in checks], strict=True)]
    parts = [_table([["check", *agents, "what must hold"], *cells]), *_remarks(results)]
    return "\n\n".join([*parts, "\n".join(_count(agent, results[agent]) for agent in agents)])


def _remarks(results: Mapping[str, Sequence[CheckResult]]) -> list[str]:
    told = [
        f"- {agent}: {result.name} {_WORDS[result.outcome]}: {result.why}"
        for agent, each in results.items()
        for result in sorted(each, key=lambda result: result.outcome != "failed")
        if result.outcome != "passed"
    ]
    return ["\n".join(told)] if told else []


def _count(agent: str, results: Iterable[CheckResult]) -> str:
    counts = Counter(_WORDS[result.outcome] for result in results)
    return f"{agent}: " + ", ".join(f"{counts[word]} {word}" for word in _WORDS.values() if counts[word])


def _meaning(check: str) -> str:
    return (CHECKS[check].__doc__ or "").partition("\n")[0]


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in rows]
    rule = " | ".join("-" * width for width in widths)
    return "\n".join(f"| {line} |" for line in (lines[0], rule, *lines[1:]))
