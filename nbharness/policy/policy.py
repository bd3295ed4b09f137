"""Rules in their order, and Python callbacks after them.

A rule covers one exact set of arguments (remembered with a click) or what the user wrote down; see
:mod:`nbharness.policy.grammar`. Files of a workspace never add rules.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeAlias

import msgspec

from nbharness.errors import ConfigError
from nbharness.policy.rule import Call, Effect, Rule

__all__ = ["Callback", "Policy", "Verdict"]

_ORDER: dict[str, int] = {"deny": 0, "ask": 1, "allow": 2}

Callback: TypeAlias = Callable[[str, Any], Effect | bool | None]
"""Python rule: gets tool name and arguments; ``True`` allows, ``False`` denies, ``None`` says nothing."""


class Verdict(msgspec.Struct, frozen=True):
    """What the rules say.

    Attributes:
        effect: The answer; ``ask`` leaves it to a person.
        rule: The rule in words, for the transcript.
    """

    effect: Effect
    rule: str


class Policy:
    """Ordered rules: deny before ask before allow, then callbacks in order. No rule means ask.

    Args:
        rules: The rules.
        callbacks: Python rules.
    """

    def __init__(self, rules: Iterable[Rule] = (), callbacks: Iterable[Callback] = ()) -> None:
        self.rules = sorted(rules, key=lambda rule: _ORDER[rule.effect])
        self.callbacks = list(callbacks)

    def answer(self, call: Call) -> Verdict | None:
        """Return what the rules say about a call, or ``None`` when none speaks about it.

        Raises:
            ConfigError: If a callback returns something else than it may.
        """
        for rule in self.rules:
            if rule.matches(call):
                return Verdict(rule.effect, rule.words())
        for callback in self.callbacks:
            effect = _effect_of(callback, callback(call.tool, call.args))
            if effect is not None:
                return Verdict(effect, _name_of(callback))
        return None

    def add(self, rule: Rule) -> None:
        """Add one rule."""
        self.rules = sorted([*self.rules, rule], key=lambda item: _ORDER[item.effect])


def _effect_of(callback: Callback, said: object) -> Effect | None:
    """Return what a callback said. Anything but its few words is refused: a coroutine or a "no" is no yes."""
    if said is None or isinstance(said, bool):
        return None if said is None else "allow" if said else "deny"
    effects: dict[object, Effect] = {"allow": "allow", "ask": "ask", "deny": "deny"}
    if isinstance(said, str) and said in effects:
        return effects[said]
    if isinstance(said, Coroutine):
        said.close()
    message = (
        f"the approval callback {_name_of(callback)} returned {said!r}; "
        f"valid: True, False, None, {', '.join(map(repr, effects))} (it cannot be async)"
    )
    raise ConfigError(message)


def _name_of(callback: Callback) -> str:
    return str(getattr(callback, "__name__", "callback"))
