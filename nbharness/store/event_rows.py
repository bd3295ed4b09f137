"""Envelopes as rows of the event log, and back."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from nbharness.events import EVENT_CLASSES, Envelope, Event, Unknown, encode_data, from_builtins
from nbharness.events.repair import clean, clean_text

__all__ = ["EventRows", "Redact", "WideRows", "from_row", "redacted_json"]

Redact: TypeAlias = Callable[[str], str]
"""Masks the secrets in a text. Called on the store's thread too."""

_names = {cls: name for name, cls in EVENT_CLASSES.items()}
_encoder = msgspec.json.Encoder()
_decoders: dict[str, msgspec.json.Decoder[Event]] = {
    name: msgspec.json.Decoder(cls) for name, cls in EVENT_CLASSES.items()
}


class EventRows:
    """Rows ``(turn_id, seq, at, type, data)`` of envelopes, encoded when they are iterated.

    That is on the connection's thread, so the loop does not wait for it; and until they are committed the envelopes are
    the ones the feed keeps anyway.
    """

    def __init__(self, envelopes: Sequence[Envelope], redact: Redact | None) -> None:
        self._envelopes = envelopes
        self._redact = redact

    def __iter__(self) -> Iterator[tuple[str, int, float, str, str]]:
        for envelope in self._envelopes:
            event = envelope.event
            data = encode_data(event)
            text = data.decode() if self._redact is None else redacted_json(data, self._redact)
            kind = clean_text(event.type) if isinstance(event, Unknown) else _names[type(event)]
            yield envelope.turn_id, envelope.seq, envelope.at, kind, text


class WideRows:
    """The same rows, several put end to end, for a statement that inserts so many at once.

    Args:
        rows: As many as fill wide rows completely.
        width: How many make a wide one.
    """

    def __init__(self, rows: EventRows, width: int) -> None:
        self._rows = rows
        self._width = width

    def __iter__(self) -> Iterator[tuple[object, ...]]:
        rows = iter(self._rows)
        while wide := tuple(itertools.chain.from_iterable(itertools.islice(rows, self._width))):
            yield wide


def from_row(turn_id: str, seq: int, at: float, kind: str, data: str) -> Envelope:
    """Return the envelope of a row. A payload that this version cannot read becomes an ``Unknown`` event."""
    decoder = _decoders.get(kind)
    try:
        event = decoder.decode(data) if decoder else from_builtins(kind, msgspec.json.decode(data))
    except msgspec.DecodeError:
        event = Unknown(kind, data)
    return Envelope(seq, turn_id, at, event)


def redacted_json(data: bytes | str, redact: Redact) -> str:
    """Return a JSON text with the secrets in every string of it masked, names of fields included."""
    value = msgspec.json.decode(data)
    try:
        # Nearly always there is none, and one look at all strings together tells.
        strings = "\0".join(_strings(value))
        if redact(strings) == strings:
            return data if isinstance(data, str) else data.decode()
        masked = _masked(value, redact)
    except RecursionError:
        masked = _masked(clean(value), redact)
    return _encoder.encode(masked).decode()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _masked(value: Any, redact: Redact) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(key): _masked(item, redact) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, redact) for item in value]
    return value
