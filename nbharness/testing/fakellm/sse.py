"""Server-sent events, and texts out of the many forms of a message's content."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["event", "split_json", "texts"]


def event(data: str, *, name: str | None = None) -> bytes:
    """Return one server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data}\n\n".encode()


def texts(content: object) -> str:
    """Return the texts of a message's content, which may be a text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part["text"]) for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def split_json(args: dict[str, Any] | str) -> list[str]:
    """Return arguments as two pieces of JSON, since that is how they arrive."""
    text = json.dumps(args)
    middle = len(text) // 2
    return [text[:middle], text[middle:]]
