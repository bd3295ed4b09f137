"""Reading foreign values: each function takes anything at all and returns something usable."""

from __future__ import annotations

import json
import math
from typing import Any, TypeGuard

_MAX_NUMBER = 2**53

Fields = dict[str, Any]
"""A JSON object."""


def is_object(value: object) -> TypeGuard[Fields]:
    """Tell whether a value is a JSON object."""
    return isinstance(value, dict)


def first(fields: Fields, *names: str) -> Any:
    """Return the first of these fields that is there and not null, else None."""
    return next((value for name in names if (value := fields.get(name)) is not None), None)


def parsed(value: Any) -> Any:
    """Return what a text says when it is JSON, else the value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, parse_constant=_not_json, parse_float=_finite)
    except (ValueError, RecursionError):
        return value


def flag(value: object) -> bool:
    """Return a bool for anything; null, false, zero and what is empty count as false."""
    return bool(value) if isinstance(value, bool | int | float | str | list | dict) else value is not None


def number(value: object) -> int | float | None:
    """Return a number that JSON can carry exactly, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _MAX_NUMBER else None


def text(value: object) -> str:
    """Return a text for anything: null is empty, an object or list is its JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseException):
        return " ".join(arg for arg in value.args if isinstance(arg, str)) or _type_name(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=_type_name)
    except (TypeError, ValueError, RecursionError):
        return _type_name(value)


def error_message(fields: Fields) -> str:
    """Return what went wrong: the message of an error object, else the error as a text."""
    error = first(fields, "error", "message")
    message = error.get("message") if is_object(error) else None
    return text(error if message is None else message)


def _type_name(value: object) -> str:
    return f"<{type(value).__name__}>"


def _not_json(name: str) -> float:
    raise ValueError(name)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _not_json(digits)
