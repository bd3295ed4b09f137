"""Rules of ours as permission rules of Claude Code's own, which it obeys also where it would not ask."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nbharness.policy import Rule

__all__ = ["compiled", "settings_of"]

_TOOLS = {"read": "Read", "edit": "Edit", "execute": "Bash", "fetch": "WebFetch"}
_SPECIAL = frozenset("()*\n\r\\")


def compiled(rule: Rule) -> str | None:
    """Return a rule in Claude's words, or ``None`` when it has none that mean the same.

    A rule that allows stays with us: there it is read more strictly than by Claude.
    """
    if rule.effect == "allow" or rule.args_hash or rule.workspace or rule.agent not in {"", "claude"}:
        return None
    if rule.tool:
        return None if rule.command or rule.path or rule.host else rule.tool
    tool = _TOOLS.get(rule.kind)
    if tool is None:
        return None
    if rule.command:
        return _command(rule.command)
    if rule.path:
        return None if _SPECIAL - {"*"} & set(rule.path) else f"{tool}(./{rule.path})"
    if rule.host:
        return None if "*" in rule.host else f"{tool}(domain:{rule.host})"
    # Its editing tools have several names, but one word for paths, of which this is every one.
    return "Edit(//**)" if tool == "Edit" else tool


def settings_of(rules: Iterable[Rule]) -> str | None:
    """Return settings, as JSON, that hold what can be said of rules in Claude's words; ``None`` when nothing can."""
    permissions: dict[str, list[str]] = {}
    for rule in rules:
        own = compiled(rule)
        if own is not None:
            permissions.setdefault(rule.effect, []).append(own)
    return msgspec.json.encode({"permissions": permissions}).decode() if permissions else None


def _command(command: str) -> str | None:
    beginning = command.removesuffix(" *")
    if _SPECIAL & set(beginning):
        return None
    return f"Bash({beginning}:*)" if beginning != command else f"Bash({command})"
