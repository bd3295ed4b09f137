"""Telling an agent about a variable without handing over its data: type, shape, columns and a few lines."""

from __future__ import annotations

import reprlib
from typing import Any

__all__ = ["describe"]

_MAX_CHARS = 2000
_HEAD_ROWS = 5
_HEAD_ITEMS = 20


def describe(name: str, value: Any) -> str:
    """Return a summary of a variable, at most about 2000 characters.

    Args:
        name: Its name.
        value: Its value; nothing of it is changed.
    """
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    facts = [f"`{name}`: {kind}"]
    for attribute in ("shape", "dtype", "dtypes", "columns"):
        fact = _attribute(value, attribute)
        if fact:
            facts.append(f"{attribute}: {fact}")
    if isinstance(value, list | tuple | dict | set | str | bytes):
        facts.append(f"length: {len(value)}")
    text = "\n".join(facts) + "\n" + _head(value)
    return text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]}… ({len(text) - _MAX_CHARS} characters left out)"


def _attribute(value: Any, name: str) -> str:
    # Asked of the class, so that no __getattr__ of the user's runs.
    if not hasattr(type(value), name):
        return ""
    found = getattr(value, name)
    return "" if callable(found) else _short(str(found), 600)


def _head(value: Any) -> str:
    # Only a table has both; the `head` of anything else may do whatever it likes.
    is_table = hasattr(type(value), "shape") and callable(getattr(type(value), "head", None))
    return _SHORTENED.repr(value.head(_HEAD_ROWS) if is_table else value)


def _shortened() -> reprlib.Repr:
    """Return a ``repr`` that stays short and quick for a list of a million items, and raises for nobody's own."""
    short = reprlib.Repr()
    short.maxlist = short.maxtuple = short.maxset = short.maxfrozenset = short.maxdict = short.maxdeque = _HEAD_ITEMS
    short.maxstring = short.maxother = _MAX_CHARS
    return short


_SHORTENED = _shortened()


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} characters left out)"
