"""Reading JSON that may be anything. Pure."""

from __future__ import annotations

from typing import Any

__all__ = ["items", "number", "obj", "text"]


def obj(value: Any, *names: str) -> dict[str, Any]:
    """Return the object at a path of names; empty where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: Any, name: str) -> str:
    """Return a text field; ``""`` where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def number(value: Any, name: str) -> int | float | None:
    """Return a field that is a number above or equal to 0; ``None`` where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    usable = isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < float("inf")
    return found if usable else None


def items(value: Any, name: str) -> list[dict[str, Any]]:
    """Return the objects in a list field."""
    found = value.get(name) if isinstance(value, dict) else None
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
