import json
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import events, foreign_values, json_values, tame_text, thorough, wild_text

from nbharness.events import (
    EVENT_CLASSES,
    TERMINAL_EVENTS,
    Envelope,
    Event,
    MessageDelta,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    TurnStarted,
    Unknown,
    decode,
    encode_data,
    from_builtins,
)

# The payloads of the browser schema that this one continues, field for field.
CONTRACT = {
    "turn.started": [],
    "message.delta": ["delta"],
    "message.thinking": ["delta"],
    "tool.start": ["id", "name", "args"],
    "tool.delta": ["id", "name", "partial"],
    "tool.end": ["id", "name", "output", "isError", "durationMs"],
    "approval.required": ["id", "toolName", "args", "message", "autoApprovable"],
    "approval.updated": ["id", "status"],
    "plan.proposed": ["plan"],
    "plan.approved": ["plan"],
    "plan.rejected": ["plan"],
    "todos.updated": ["todos"],
    "turn.completed": ["response"],
    "turn.failed": ["error"],
    "turn.aborted": [],
    "error": ["error"],
}

kinds = st.sampled_from(["envelope", "wrapped", "flat"])


def wire(event: Event, kind: str = "envelope") -> bytes:
    if kind == "envelope":
        return Envelope(0, "turn", 1.5, event).encode()
    data = encode_data(event)
    if kind == "wrapped":
        return b'{"type":%b,"data":%b}' % (json.dumps(event.type).encode(), data)
    rest = data[1:] if data == b"{}" else b"," + data[1:]
    return b'{"type":%b%b' % (json.dumps(event.type).encode(), rest)


@pytest.mark.parametrize("name", CONTRACT)
def test_what_the_contract_names_is_always_on_the_wire(name: str) -> None:
    fields = msgspec.structs.fields(EVENT_CLASSES[name])
    assert [field.encode_name for field in fields if field.required] == CONTRACT[name]


def test_everything_else_is_left_out_when_nothing_is_known() -> None:
    assert encode_data(TurnStarted()) == b"{}"
    assert encode_data(MessageDelta(delta="x")) == b'{"delta":"x"}'
    assert json.loads(encode_data(ToolEnd(id="t", name="n", output=None, is_error=False, duration_ms=None))) == {
        "id": "t",
        "name": "n",
        "output": None,
        "isError": False,
        "durationMs": None,
    }


def test_the_envelope_has_five_keys_in_order() -> None:
    raw = Envelope(3, "t", 1.5, MessageDelta(delta="é")).encode()
    assert raw.decode() == '{"seq":3,"turnId":"t","at":1.5,"type":"message.delta","data":{"delta":"é"}}'


def test_three_events_end_a_turn() -> None:
    assert [cls.__struct_config__.tag for cls in TERMINAL_EVENTS] == ["turn.completed", "turn.failed", "turn.aborted"]


@pytest.mark.parametrize("name", EVENT_CLASSES)
def test_events_are_values(name: str) -> None:
    cls = EVENT_CLASSES[name]
    config = cls.__struct_config__
    assert (config.frozen, config.tag_field, config.tag) == (True, "type", name)
    if cls.__struct_fields__:
        make: Any = cls
        with pytest.raises(TypeError):
            make("positional")


@thorough
@given(events(), kinds)
def test_every_form_reads_back_as_it_was_written(event: Event, kind: str) -> None:
    read = decode(wire(event, kind))
    assert (read.event if isinstance(read, Envelope) else read) == event


@thorough
@given(events(wild_text), tame_text, st.integers(0, 2**53), st.floats(allow_nan=False, allow_infinity=False))
def test_broken_text_is_repaired_once_and_for_all(event: Event, turn_id: str, seq: int, at: float) -> None:
    raw = Envelope(seq, turn_id, at, event).encode()
    assert raw.decode("utf-8", errors="strict")
    once = decode(raw)
    assert isinstance(once, Envelope)
    assert (once.seq, once.turn_id, once.at, type(once.event)) == (seq, turn_id, at, type(event))
    assert decode(once.encode()) == once


def test_half_a_surrogate_pair_costs_one_character_not_the_event() -> None:
    node_wrote = rb'{"seq":0,"turnId":"t","at":0,"type":"message.delta","data":{"delta":"cut \ud83d here"}}'
    assert decode(node_wrote) == Envelope(0, "t", 0.0, MessageDelta(delta="cut � here"))
    assert Envelope(0, "t", 0.0, MessageDelta(delta="a\ud83d")).encode() == (
        '{"seq":0,"turnId":"t","at":0.0,"type":"message.delta","data":{"delta":"a�"}}'.encode()
    )
    assert decode(wire(MessageDelta(delta="\ud83c\udf89"), "flat")) == MessageDelta(delta="🎉")


@pytest.mark.parametrize(
    ("args", "read"),
    [
        ({"x": float("nan"), "y": float("inf")}, {"x": None, "y": None}),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        ({"path": object}, {"path": "<class 'object'>"}),
        ([2**80, (1, 2)], [2**80, [1, 2]]),
        ([10**5000, 2**80, "\ud800", {3}], [None, float(2**80), "\ufffd", [3]]),
    ],
)
def test_arguments_that_are_no_json_are_written_as_what_comes_nearest(args: Any, read: Any) -> None:
    assert decode(wire(ToolStart(id="t", name="n", args=args), "flat")) == ToolStart(id="t", name="n", args=read)


def test_a_value_that_holds_itself_is_cut() -> None:
    args: dict[str, Any] = {}
    args["self"] = args
    raw = wire(ToolStart(id="t", name="n", args=args), "wrapped")
    assert isinstance(decode(raw), ToolStart)
    assert raw.count(b"self") <= 64


@pytest.mark.parametrize(
    ("raw", "type_"),
    [
        (b"", ""),
        (b"no json", ""),
        (b"[1]", ""),
        (b'"text"', ""),
        (b'{"data":{}}', ""),
        (b'{"type":7}', ""),
        (b'{"type":"agent.mood","data":{"mood":"fine"}}', "agent.mood"),
        (b'{"type":"message.delta","data":{"delta":5}}', "message.delta"),
        (b'{"type":"message.delta","data":[]}', "message.delta"),
        (b'{"type":"message.delta"}', "message.delta"),
        (b"[" * 100_000, ""),
        (b'{"type":"tool.start","data":' + b"[" * 5000 + b"]" * 5000 + b"}", ""),
        (b"\xff\xfe\x00", ""),
        (b'{"type":"agent.mood","data":' + b"9" * 5000 + b"}", ""),
    ],
)
def test_what_cannot_be_read_is_kept(raw: bytes, type_: str) -> None:
    read = decode(raw)
    assert isinstance(read, Unknown)
    assert read.type == type_


def test_an_unknown_event_keeps_its_place_and_payload() -> None:
    raw = b'{"seq":4,"turnId":"t","at":2.5,"type":"agent.mood","data":{"mood":["fine",null]}}'
    read = decode(raw)
    assert read == Envelope(4, "t", 2.5, Unknown("agent.mood", {"mood": ["fine", None]}))
    assert isinstance(read, Envelope)
    assert read.encode() == raw


def test_fields_that_we_do_not_know_are_ignored() -> None:
    assert decode(b'{"type":"turn.completed","data":{"response":null,"mood":1},"extra":[]}') == TurnCompleted(
        response=None
    )


@thorough
@given(st.binary(max_size=60) | wild_text)
def test_no_bytes_and_no_text_raise(raw: bytes | str) -> None:
    assert isinstance(decode(raw), Unknown | Envelope | msgspec.Struct)


@thorough
@given(json_values(tame_text), kinds, st.sampled_from([*EVENT_CLASSES, "x"]), st.data())
def test_no_json_raises(payload: Any, kind: str, name: str, data: st.DataObject) -> None:
    identity = {key: data.draw(json_values()) for key in ("seq", "turnId", "at")} if kind == "envelope" else {}
    flat = payload if kind == "flat" and isinstance(payload, dict) else {"data": payload}
    assert decode(json.dumps({**flat, **identity, "type": name})) is not None


@thorough
@given(events(), kinds, st.integers(0), st.integers(0, 255), st.sampled_from(["set", "cut", "drop", "double"]))
def test_no_damaged_line_raises(event: Event, kind: str, place: int, byte: int, damage: str) -> None:
    raw = bytearray(wire(event, kind))
    place %= len(raw)
    match damage:
        case "set":
            raw[place] = byte
        case "cut":
            del raw[place:]
        case "drop":
            del raw[place]
        case _:
            raw[place:place] = raw[place:]
    assert decode(bytes(raw)) is not None


@thorough
@given(tame_text | st.sampled_from([*EVENT_CLASSES]), foreign_values())
def test_an_event_from_foreign_values_is_an_event_or_unknown(name: str, payload: Any) -> None:
    assert isinstance(from_builtins(name, payload), Unknown | EVENT_CLASSES.get(name, Unknown))


def test_the_schema_alone_is_light() -> None:
    code = "import sys, nbharness.events; print([m for m in ('asyncio', 'IPython', 'sqlite3') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
