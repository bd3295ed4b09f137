"""What may follow ``--mode`` and ``--model``: what the adapter or the settings know, and what the agent named last."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import UnsetType

from nbharness.adapters.base import KnowsModes
from nbharness.adapters.registry import create_adapter
from nbharness.config import load
from nbharness.events import Choice, SessionUpdated
from nbharness.store.reader import read_choices

__all__ = ["models_of", "modes_of"]

_NEEDS_QUOTES = re.compile(r"[\s\"']")


def modes_of(agent: str) -> list[str]:
    """Return the modes of an agent: those that its adapter knows, then those that it named when it worked last.

    Raises:
        ConfigError: There is no such agent, or a setting cannot be used.
        StoreError: The store cannot be read.
    """
    adapter = create_adapter(agent)
    return _ids(adapter.modes if isinstance(adapter, KnowsModes) else (), _said_by(agent).modes)


def models_of(agent: str) -> list[str]:
    """Return models for an agent: that of the settings, then those that it named when it worked last.

    Raises:
        ConfigError: A setting cannot be used.
        StoreError: The store cannot be read.
    """
    return _ids([load().model_for(agent) or ""], _said_by(agent).models)


def _said_by(agent: str) -> SessionUpdated:
    return read_choices(load().database, agent)


def _ids(known: Iterable[str], said: list[Choice] | UnsetType) -> list[str]:
    named = [choice.id for choice in said] if isinstance(said, list) else []
    return [id_ for id_ in dict.fromkeys([*known, *named]) if id_ and not _NEEDS_QUOTES.search(id_)]
