"""Joins deltas that follow each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nbharness.events import Event, MessageDelta, MessageThinking, ToolDelta, Unknown

__all__ = ["coalesce"]


def coalesce(events: Iterable[Event | Unknown]) -> list[Event | Unknown]:
    """Join deltas that follow each other and belong together: Codex may tell a command's output by the character."""
    joined: list[Event | Unknown] = []
    texts: list[str] = []
    for event in events:
        if texts and _key(event) is not None and _key(event) == _key(joined[-1]):
            texts.append(_text(event))
            continue
        _close(joined, texts)
        joined.append(event)
        texts = [_text(event)] if _key(event) is not None else []
    _close(joined, texts)
    return joined


def _close(joined: list[Event | Unknown], texts: list[str]) -> None:
    if len(texts) > 1:
        field = "partial" if isinstance(joined[-1], ToolDelta) else "delta"
        joined[-1] = msgspec.structs.replace(joined[-1], **{field: "".join(texts)})


def _key(event: Event | Unknown) -> tuple[object, ...] | None:
    match event:
        case ToolDelta():
            return (ToolDelta, event.id)
        case MessageDelta():
            return (MessageDelta, event.message_id, event.parent_id)
        case MessageThinking():
            return (MessageThinking, event.parent_id)
        case _:
            return None


def _text(event: Event | Unknown) -> str:
    match event:
        case ToolDelta():
            return event.partial
        case MessageDelta() | MessageThinking():
            return event.delta
        case _:
            return ""
