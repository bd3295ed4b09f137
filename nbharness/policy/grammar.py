"""Rules as people write them: ``bash(git diff *)``, ``edit(docs/**)``, ``read``, ``fetch(docs.python.org)``.

::

    RULE     = WHAT | WHAT(PATTERN)
    WHAT     = bash | read | edit | delete | move | search | fetch | agent, whatever the agent calls its tool,
               or the name of one tool of one agent, exact: mcp__github__create_issue
    PATTERN  = bash:              a whole command, or how it begins and ` *`
               fetch:             a host, or *.host
               any other:         a path glob relative to the workspace; * within a folder, ** at any depth

Deny comes before ask before allow, whatever the order in which they are written.

A rule that allows is read strictly. ``bash(git diff *)`` covers `git diff` and further words that are no options, in
a command in which nothing means anything to a shell: no operator, line end, expansion, redirection, escape or glob, not
even in quotes. A wildcard in a path covers no name that begins with a dot. A rule that asks or denies is read
generously, in any part of a command; it guards against mistakes, not against somebody who wants around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from nbharness.errors import ConfigError
from nbharness.events import ToolKind
from nbharness.policy.commands import check_command
from nbharness.policy.rule import Effect, Rule

__all__ = ["parse_rule", "parse_rules"]

_KINDS: dict[str, ToolKind] = {
    "bash": "execute", "execute": "execute", "read": "read", "edit": "edit", "delete": "delete", "move": "move",
    "search": "search", "fetch": "fetch", "agent": "agent",
}  # fmt: skip
_FORM = re.compile(r"([A-Za-z_][\w.:/-]*)(?:\((.*)\))?", re.DOTALL)
_HOST = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*")
_EXAMPLES = "bash(git status), bash(git diff *), edit(docs/**), read, fetch(docs.python.org), or the name of a tool"


def parse_rules(effect: Effect, texts: Iterable[str], *, agent: str = "", where: str = "") -> list[Rule]:
    """Read several rules; see :func:`parse_rule`."""
    return [parse_rule(effect, text, agent=agent, where=where) for text in texts]


def parse_rule(effect: Effect, text: str, *, agent: str = "", where: str = "") -> Rule:
    """Read one rule as a person wrote it.

    Args:
        effect: What it does.
        text: The rule.
        agent: Only for this agent.
        where: Where it is written, for the error.

    Raises:
        ConfigError: It cannot be read, or would allow more than it seems to. The message says what is valid.
    """
    try:
        return _rule(effect, text.strip(), agent)
    except ConfigError as error:
        place = f"{where}: " if where else ""
        raise ConfigError(f"{place}the rule {text!r} cannot be used to {effect}: {error}") from None


def _rule(effect: Effect, text: str, agent: str) -> Rule:
    form = _FORM.fullmatch(text)
    if form is None:
        raise ConfigError(f"it is not of the form WHAT or WHAT(PATTERN). Valid: {_EXAMPLES}")
    what, pattern = form[1], form[2]
    # An agent's own tool may be called Read or edit: it is of that kind.
    kind = _KINDS.get(what.lower())
    tool = "" if kind else what
    fields: dict[str, str] = {}
    if pattern is not None:
        fields = _pattern(kind, pattern.strip(), allows=effect == "allow")
    elif effect == "allow" and kind == "execute":
        raise ConfigError("it would allow any command; name commands, or use --approval auto")
    return Rule(effect=effect, kind=kind or "", tool=tool, agent=agent, label=f"{effect} {text}", **fields)


def _pattern(kind: ToolKind | None, pattern: str, *, allows: bool) -> dict[str, str]:
    if kind == "execute":
        check_command(pattern, allows=allows)
        return {"command": pattern}
    if kind == "fetch":
        host = pattern.lower()
        if not _HOST.fullmatch(host):
            raise ConfigError(f"{pattern!r} is no host; valid: docs.python.org, *.python.org")
        return {"host": host}
    _check_path(pattern)
    return {"path": pattern}


def _check_path(pattern: str) -> None:
    parts: Sequence[str] = PurePosixPath(pattern).parts
    if not parts or pattern.startswith(("/", "~")) or ".." in parts:
        raise ConfigError(f"{pattern!r} is no path inside the workspace; valid: docs/**, src/*.py, README.md")
