"""What an agent does without asking, and where the user's rules hold for it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from nbharness.adapters.base import Adapter, CompilesRules
from nbharness.adapters.registry import KnownAdapter
from nbharness.config import config_file, load, rules_path
from nbharness.policy import Rule, RuleBook
from nbharness.spec import rules_of
from nbharness.transcript.ink import Ink
from nbharness.transcript.visible import visible

__all__ = ["policy_lines"]

_WIDTH = 80


def policy_lines(agent: KnownAdapter, ink: Ink) -> Iterator[str]:
    """Return the lines about one agent.

    Raises:
        ConfigError: The settings or the remembered rules cannot be read.
    """
    yield ink.strong(visible(agent.name))
    if agent.adapter is None:
        yield from _item(agent.problem)
        return
    yield "  does without asking, so that no approval stops it:"
    for sentence in agent.adapter.unasked or ("Nothing is known that it does without asking.",):
        yield from _item(sentence)
    if not agent.adapter.capabilities.approvals:
        yield from _item("It asks about nothing at all: whatever it does runs as you.")
    yield from _rules(agent.adapter, ink)


def _rules(adapter: Adapter, ink: Ink) -> Iterator[str]:
    rules = [rule for rule in rules_of(load()) if rule.agent in {"", adapter.name}]
    remembered = [rule for rule in RuleBook(rules_path()).load() if rule.agent in {"", adapter.name}]
    yield "  your rules, deny before ask before allow:"
    for rule in rules:
        yield from _item(f"{visible(rule.words())} ({_where_it_holds(adapter, rule)})")
    if not rules:
        yield ink.muted(f"    none; write them under [policy] in {config_file()}")
    if remembered:
        count = len(remembered)
        yield ink.muted(f"    and {count} remembered by a click, in {rules_path()}")


def _where_it_holds(adapter: Adapter, rule: Rule) -> str:
    own = adapter.compiled(rule) if isinstance(adapter, CompilesRules) else None
    return "where it asks" if own is None else f"also where it would not ask, as its own rule {own}"


def _item(text: str) -> list[str]:
    return textwrap.wrap(
        visible(" ".join(text.split())),
        _WIDTH,
        initial_indent="    - ",
        subsequent_indent="      ",
        break_on_hyphens=False,
    )
