"""The one wire form of an event, and the one way to read it.

An envelope is ``{seq, turnId, at, type, data}``. Store, widget, SSE, command line and golden files carry nothing else.
"""

from __future__ import annotations

from typing import Any

import msgspec

from nbharness.events.repair import clean, clean_text, loads_leniently
from nbharness.events.types import EVENT_CLASSES, Event

_MAX_BYTES = 64 * 1024 * 1024

_encoder = msgspec.json.Encoder()
_decoders: dict[str, msgspec.json.Decoder[Event]] = {
    name: msgspec.json.Decoder(cls) for name, cls in EVENT_CLASSES.items()
}
_UNENCODABLE = (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError)
# msgspec writes the tag first, so the payload is what follows it.
_names: dict[type, str] = {cls: name for name, cls in EVENT_CLASSES.items()}
_payload_at = {cls: len(b'{"type":"",') + len(name) for name, cls in EVENT_CLASSES.items()}


class Unknown(msgspec.Struct, frozen=True):
    """An event that this version does not know, or could not read; kept as it came.

    Attributes:
        type: Name it came with; ``""`` when it had none.
        raw: The whole payload, or the text when it was not JSON.
    """

    type: str
    raw: Any


class Envelope(msgspec.Struct, frozen=True):
    """An event with its identity: which turn, which place in it, and when.

    Attributes:
        seq: Place in the turn, from 0 without gaps.
        turn_id: The turn.
        at: Wall clock, Unix seconds.
        event: What happened.
    """

    seq: int
    turn_id: str
    at: float
    event: Event | Unknown

    @property
    def type(self) -> str:
        """The event's name on the wire."""
        return self.event.type

    def encode(self) -> bytes:
        """Return the wire form as UTF-8 JSON without a newline."""
        return b'{"seq":%d,"turnId":%b,"at":%b,"type":%b,"data":%b}' % (
            self.seq,
            _encoder.encode(self.turn_id),
            _encoder.encode(self.at),
            _encoder.encode(self.event.type),
            encode_data(self.event),
        )


class _Wire(msgspec.Struct):
    """Any of the three forms, before we know which."""

    type: str
    data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    seq: int | msgspec.UnsetType = msgspec.UNSET
    turnId: str | msgspec.UnsetType = msgspec.UNSET  # noqa: N815 (the wire's own name; faster than a rename table)
    at: float | msgspec.UnsetType = msgspec.UNSET


_wire_decoder = msgspec.json.Decoder(_Wire)


def encode_data(event: Event | Unknown) -> bytes:
    """Return the payload of an event as JSON, without its type.

    Text that has no UTF-8 form (half of a surrogate pair) is repaired.
    """
    if isinstance(event, Unknown):
        return _encoder.encode(clean(event.raw))
    try:
        encoded = _encoder.encode(event)
    except _UNENCODABLE:
        return _encoder.encode(clean(event))
    payload_at = _payload_at[type(event)]
    return b"{" + encoded[payload_at:] if len(encoded) > payload_at else b"{}"


def sound(event: object) -> Event | Unknown:
    """Return a copy of an event that says what every reader of its wire form will see; never raises.

    What its maker changes afterwards changes no log. Something that is no event, or has a field of the wrong kind,
    comes back as :class:`Unknown`.
    """
    if isinstance(event, Unknown):
        return Unknown(clean_text(str(event.type)), clean(event.raw))
    name = _names.get(type(event))
    if name is None:
        return Unknown(type(event).__name__, clean(event))
    try:
        return _decoders[name].decode(_encoder.encode(event))
    except (msgspec.DecodeError, *_UNENCODABLE):
        return from_builtins(name, clean(event))


def sound_value(value: object) -> Any:
    """Return a copy of a JSON-like value that says what every reader of its wire form will see; never raises."""
    try:
        return msgspec.json.decode(_encoder.encode(value))
    except (msgspec.DecodeError, *_UNENCODABLE):
        return clean(value)


def decode(raw: bytes | str) -> Event | Unknown | Envelope:
    """Read one event in any of its forms; never raises on foreign input.

    Args:
        raw: UTF-8 JSON of ``{type, ...}``, ``{type, data}`` or ``{seq, turnId, at, type, data}``.

    Returns:
        An :class:`Envelope` for the third form, else the event. Unknown fields are ignored; an unknown type, a value of
        the wrong kind or text that is not JSON comes back as :class:`Unknown`.
    """
    raw = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else bytes(raw)
    if len(raw) > _MAX_BYTES:
        return Unknown("", f"{len(raw)} bytes, more than an event may have")
    try:
        return _decode_strict(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_repaired(raw)


def _decode_strict(raw: bytes) -> Event | Unknown | Envelope:
    wire = _wire_decoder.decode(raw)
    decoder = _decoders.get(wire.type)
    if isinstance(wire.data, msgspec.UnsetType):
        payload: bytes | msgspec.Raw = raw
    else:
        payload = wire.data
    event = decoder.decode(payload) if decoder else Unknown(wire.type, _payload(msgspec.json.decode(raw)))
    return _with_identity(event, wire.seq, wire.turnId, wire.at)


def _decode_repaired(raw: bytes) -> Event | Unknown | Envelope:
    try:
        value = loads_leniently(raw)
    except ValueError:
        return Unknown("", raw[:4096].decode("utf-8", errors="replace"))
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return Unknown("", value)
    event = from_builtins(value["type"], _payload(value))
    return _with_identity(event, value.get("seq"), value.get("turnId"), value.get("at"))


def from_builtins(name: str, payload: object) -> Event | Unknown:
    """Build the event `name` from a JSON-like payload; never raises.

    Args:
        name: The event's name on the wire.
        payload: Its fields in camelCase; ``None`` counts as empty.
    """
    cls = EVENT_CLASSES.get(name)
    fields = {} if payload is None else payload
    if cls is None or not isinstance(fields, dict):
        return Unknown(name, payload)
    try:
        return msgspec.convert({key: item for key, item in fields.items() if key != "type"}, cls)
    except msgspec.ValidationError:
        return Unknown(name, payload)


def _payload(value: dict[str, Any]) -> object:
    if "data" in value:
        return value["data"]
    return {key: item for key, item in value.items() if key not in {"type", "seq", "turnId", "at"}}


def _with_identity(event: Event | Unknown, seq: object, turn_id: object, at: object) -> Event | Unknown | Envelope:
    if isinstance(seq, int) and isinstance(turn_id, str) and isinstance(at, int | float):
        return Envelope(seq, turn_id, float(at), event)
    return event
