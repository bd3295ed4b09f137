"""Reading JSON that a strict decoder refuses but that real agents write.

Node writes half a surrogate pair when it cuts an emoji between two deltas; Python programs write ``NaN``. Neither
is valid for msgspec, and neither may cost us the event.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable

import msgspec

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 64


def loads_leniently(raw: bytes) -> object:
    """Parse JSON, repairing what can be repaired.

    Lone surrogates and invalid UTF-8 become U+FFFD, numbers that are not finite become ``None``, and what is nested
    deeper than 64 levels is replaced by the text ``"…"``.

    Args:
        raw: One JSON text; a byte order mark is accepted.

    Raises:
        ValueError: If it is not JSON even so.
    """
    try:
        value = json.loads(raw.decode("utf-8-sig", errors="replace"), parse_constant=lambda _name: None)
    except RecursionError as error:
        message = "JSON nested too deeply"
        raise ValueError(message) from error
    return clean(value)


def clean(value: object, above: tuple[object, ...] = ()) -> object:
    """Return a copy of a JSON-like value that every strict encoder accepts.

    Args:
        value: What foreign code handed us. Structs become objects without their tag; what JSON has no form for becomes
            its ``str``, and what contains itself the text ``"…"``.
        above: What it lies in, outermost first.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _clean_number(value)
    if isinstance(value, msgspec.Struct):
        value = _fields(value)
    if isinstance(value, dict | list | tuple | set | frozenset):
        inside_itself = any(outer is value for outer in above)
        return "…" if inside_itself or len(above) >= _MAX_DEPTH else _clean_items(value, (*above, value))
    return clean_text(in_words(value))


def _clean_number(value: float) -> float | None:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if -(2**63) <= value < 2**64:
        return value
    return float(value) if abs(value) < 2**1023 else None


def _clean_items(value: dict[object, object] | Iterable[object], above: tuple[object, ...]) -> object:
    if isinstance(value, dict):
        return {clean_text(in_words(key)): clean(item, above) for key, item in value.items()}
    return [clean(item, above) for item in value]


def in_words(value: object) -> str:
    """Return the ``str`` of anything, also of what cannot say what it is."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 (foreign code; that it cannot say what it is must not cost the event)
        return f"<{type(value).__name__}>"


def _fields(value: msgspec.Struct) -> dict[str, object]:
    """Return the fields that are set, by their names on the wire."""
    names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
    fields = {on_wire: getattr(value, name) for name, on_wire in names}
    return {name: item for name, item in fields.items() if item is not msgspec.UNSET}


def clean_text(text: str) -> str:
    """Join surrogate pairs and replace lone halves, so that the text has a UTF-8 form."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", errors="replace")
