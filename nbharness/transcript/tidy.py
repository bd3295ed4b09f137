"""What is done to every turn before it is saved: no thinking, no secrets, no home directory, nothing but UTF-8."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from nbharness.events.repair import clean
from nbharness.redact import Redactor, tilde
from nbharness.state import ThinkingItem, TurnState

__all__ = ["tidy"]


def tidy(state: TurnState, redact: Callable[[str], str] | None = None) -> TurnState:
    """Return the turn as it may be seen by whoever reads the notebook.

    Args:
        state: Any turn.
        redact: Masks secrets; by default those of this process's environment.
    """
    mask = _own_redactor() if redact is None else redact
    spoken = msgspec.structs.replace(state, items=[item for item in state.items if not isinstance(item, ThinkingItem)])
    plain = clean(msgspec.to_builtins(spoken, str_keys=True, enc_hook=str))
    return msgspec.convert(_mapped(plain, lambda text: tilde(mask(text))), TurnState)


@lru_cache(maxsize=1)
def _own_redactor() -> Redactor:
    return Redactor.from_environment(os.environ)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _mapped(item, change) for key, item in value.items()}
    return [_mapped(item, change) for item in value] if isinstance(value, list) else value
