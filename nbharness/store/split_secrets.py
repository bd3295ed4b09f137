"""Secrets that were streamed in pieces: each row is masked as it is written, but a key cut in two shows in neither.

So when a turn ends, the texts that a reader will see joined are looked at joined, and where a secret lay across rows
those rows are written again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from nbharness.events import Envelope, MessageDelta, MessageThinking, ToolDelta

__all__ = ["masked_across"]


def masked_across(envelopes: Iterable[Envelope], redact: Callable[[str], str]) -> list[Envelope]:
    """Return the envelopes to write again; their joined text is then masked, and every seq stays.

    Args:
        envelopes: All events of one turn, in order, each masked by itself.
        redact: Masks the secrets in a text.
    """
    changed: list[Envelope] = []
    for run in _runs(envelopes):
        whole = "".join(_text(envelope) for envelope in run)
        masked = redact(whole)
        if masked != whole:
            changed += [_with_text(run[0], masked), *(_with_text(envelope, "") for envelope in run[1:])]
    return changed


def _runs(envelopes: Iterable[Envelope]) -> list[list[Envelope]]:
    """Group deltas whose text is drawn as one: the output of a tool call, and messages without anything between."""
    tools: dict[str, list[Envelope]] = {}
    texts: list[list[Envelope]] = []
    for envelope in envelopes:
        event = envelope.event
        if isinstance(event, ToolDelta):
            tools.setdefault(event.id, []).append(envelope)
        elif isinstance(event, MessageDelta | MessageThinking):
            if texts and texts[-1] and _continues(texts[-1][-1], envelope):
                texts[-1].append(envelope)
            else:
                texts.append([envelope])
        else:
            texts.append([])
    return [run for run in (*texts, *tools.values()) if len(run) > 1]


def _continues(before: Envelope, envelope: Envelope) -> bool:
    first, second = before.event, envelope.event
    if isinstance(first, MessageDelta) and isinstance(second, MessageDelta):
        return (first.message_id, first.parent_id) == (second.message_id, second.parent_id)
    if isinstance(first, MessageThinking) and isinstance(second, MessageThinking):
        return first.parent_id == second.parent_id
    return False


def _text(envelope: Envelope) -> str:
    event = envelope.event
    if isinstance(event, ToolDelta):
        return event.partial
    return event.delta if isinstance(event, MessageDelta | MessageThinking) else ""


def _with_text(envelope: Envelope, text: str) -> Envelope:
    event = envelope.event
    if isinstance(event, ToolDelta):
        return msgspec.structs.replace(envelope, event=msgspec.structs.replace(event, partial=text))
    if isinstance(event, MessageDelta | MessageThinking):
        return msgspec.structs.replace(envelope, event=msgspec.structs.replace(event, delta=text))
    return envelope
