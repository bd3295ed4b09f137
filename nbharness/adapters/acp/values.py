"""Reading fields of foreign JSON: each returns what is of the right kind, or nothing. Pure, never raises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["count_of", "mapping", "mappings", "name_of", "number_of", "path_in", "text_of"]


def mapping(value: object) -> dict[str, Any]:
    """Return an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in a list."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def text_of(value: object) -> str:
    """Return a text, or ``""``."""
    return value if isinstance(value, str) else ""


def name_of(value: object) -> str:
    """Return an id: a text, or a number as text; ``""`` when it is neither."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else ""


def count_of(value: object) -> int | None:
    """Return a whole number that is not negative, or ``None``."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def number_of(value: object) -> float | None:
    """Return a finite number that is not negative, or ``None``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 2**53 and math.isfinite(value) else None


def path_in(value: object, *keys: str, read: Callable[[object], Any] = text_of) -> Any:
    """Return a field of nested objects.

    Args:
        value: The outermost object.
        keys: Field names, outermost first.
        read: What to make of what is there.
    """
    for key in keys:
        value = mapping(value).get(key)
    return read(value)
