"""What is saved of a turn: never more than the cap, with an exact count, and no secrets."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path
from typing import Any

import msgspec
import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.transcripts import asked, call, edited, state, whole_turn

from nbharness.events import Event, MessageDelta, Notice, ToolStart, TurnCompleted, TurnFailed
from nbharness.redact import Redactor
from nbharness.state import MessageItem, ToolItem, TurnState
from nbharness.transcript import TRANSCRIPT_MIME, transcript_bundle
from nbharness.transcript.bundle import DEFAULT_CAP, MIN_CAP
from nbharness.transcript.limits import LADDER
from nbharness.transcript.tidy import tidy
from nbharness.transcript.trim import trim

Bundle = dict[str, Any]
FORMS = ("text/html", "text/markdown", "text/plain")


def file_size(bundle: Bundle) -> int:
    """Bytes that a notebook file grows by when an output holds the bundle."""

    def written(data: Bundle) -> int:
        v4: Any = nbformat.v4
        cell = v4.new_code_cell(id="cell", outputs=[v4.new_output("display_data", data=data)])
        return len(v4.writes(v4.new_notebook(cells=[cell])).encode())

    return written(bundle) - written({})


def text_of(turn: TurnState) -> int:
    """UTF-8 bytes of the texts of a turn that holds only messages and tool output."""
    messages = sum(len(item.text.encode()) for item in turn.items if isinstance(item, MessageItem))
    return messages + sum(len(str(item.output).encode()) for item in turn.items if isinstance(item, ToolItem))


def big_turn(seed: int, size: int) -> TurnState:
    """A turn of about `size` bytes, of everything a little."""
    rng = random.Random(seed)  # noqa: S311 (a test that can be repeated)
    parts: list[Any] = []
    used = n = 0
    while used < size:
        n += 1
        text = "".join(rng.choices("abc é字\n<&`*", k=rng.choice((10, 200, 5000, 60_000))))
        used += len(text)
        parts += rng.choice(
            (
                [MessageDelta(delta=text, message_id=f"m{n}")],
                call(f"t{n}", "Bash", {"command": text[:300]}, text),
                call(f"t{n}", "Read", {"path": text[:30]}, text),
                call(f"t{n}", "frob", {"x": text, "y": [text]}, {"z": text}),
                [ToolStart(id=f"t{n}", name="Edit", args={"path": "a"}), edited(f"t{n}", "Edit", patch=text)],
                asked(f"t{n}", "Bash", {"command": text}, {"status": "rejected", "by": "user", "reason": text}),
                [Notice(message=text)],
            )
        )
    return state(*parts, MessageDelta(delta="THE ANSWER", message_id="last"), TurnCompleted(response="THE ANSWER"))


def test_an_ordinary_turn_is_saved_whole() -> None:
    bundle = transcript_bundle(state(*whole_turn()))
    assert set(bundle) == {*FORMS, TRANSCRIPT_MIME}
    assert "left out" not in str(bundle)
    assert file_size(bundle) < DEFAULT_CAP // 2


@pytest.mark.parametrize("size", [100_000, 400_000, 3_000_000])
@pytest.mark.parametrize("cap", [MIN_CAP, 40_000, DEFAULT_CAP])
def test_a_big_turn_stays_below_the_cap_and_keeps_the_answer(size: int, cap: int) -> None:
    bundle: Bundle = transcript_bundle(big_turn(size, size), cap=cap)
    assert file_size(bundle) <= cap
    for form in FORMS:
        assert "THE ANSWER" in bundle[form]
        assert "Done" in bundle[form]
    left_out = bundle[TRANSCRIPT_MIME]["leftOut"]
    if left_out["bytes"]:
        assert f"{left_out['bytes']:,} bytes left out; nbharness show c1a2b3c4 has all of it." in bundle["text/plain"]


def test_what_is_left_out_is_counted_to_the_byte() -> None:
    parts: list[Any] = []
    for n in range(3000):
        parts += [
            MessageDelta(delta=f"message {n} é " * 9, message_id=f"m{n}"),
            *call(f"t{n}", "Bash", {}, f"out {n}\n" * 40),
        ]
    turn = state(*parts, TurnCompleted(response=None))
    whole = tidy(turn)
    for limits in LADDER:
        small, cuts, left_out = trim(whole, limits)
        # The notes of what is missing are ours, not the agent's.
        notes = sum(len(found.encode()) for found in re.findall(r"\n\n… [\d,]+ bytes? left out", str_of(small)))
        space = sum(len(item.text) - len(item.text.rstrip()) for item in whole.items if isinstance(item, MessageItem))
        assert 0 <= text_of(whole) - (text_of(small) - notes) - left_out.bytes <= space
        assert left_out.items == len(whole.items) - len(small.items)
        assert sum(cut.bytes for cut in cuts.values()) <= left_out.bytes
    bundle: Bundle = transcript_bundle(turn)
    assert bundle[TRANSCRIPT_MIME]["leftOut"]["items"] > 0


def str_of(turn: TurnState) -> str:
    return "".join(item.text for item in turn.items if isinstance(item, MessageItem))


def test_output_goes_before_words_and_the_newest_stays_longest() -> None:
    parts: list[Any] = []
    for n in range(400):
        parts += [
            MessageDelta(delta=f"word {n}", message_id=f"m{n}"),
            *call(f"t{n}", "Bash", {"command": f"c{n}"}, "noise\n" * 400),
        ]
    bundle: Bundle = transcript_bundle(
        state(*parts, MessageDelta(delta="END", message_id="e"), TurnCompleted(response=None))
    )
    plain = bundle["text/plain"]
    assert "c399" in plain
    assert "word 399" in plain
    assert plain.count("noise") < 400 * 20
    assert "400 steps" in plain


def test_a_command_keeps_its_last_lines_and_a_file_its_first() -> None:
    lines = "\n".join(f"line {n}" for n in range(20_000))
    parts = [*call("t1", "Bash", {"command": "make"}, lines), *call("t2", "Read", {"path": "a.py"}, lines)]
    bundle: Bundle = transcript_bundle(state(*parts, TurnCompleted(response=None)))
    labels = re.findall(r"<summary>Output, (first|last) ([\d,]+) of 20,000 lines</summary>", bundle["text/html"])
    assert [end for end, _ in labels] == ["last", "first"]
    last, first = (int(count.replace(",", "")) for _, count in labels)
    outputs = re.findall(r"<pre[^>]*>(line .*?)</pre>", bundle["text/html"], re.DOTALL)
    assert outputs[0].split("\n") == [f"line {n}" for n in range(20_000 - last, 20_000)]
    assert outputs[1].split("\n") == [f"line {n}" for n in range(first)]


@pytest.mark.parametrize("field", ["prompt", "agent", "model", "workspace", "conversation_id", "session_id", "turn_id"])
def test_no_field_alone_can_burst_the_cap(field: str) -> None:
    turn = state(MessageDelta(delta="ok"), TurnCompleted(response="r" * 3_000_000, metadata={"k": ["v" * 9] * 100_000}))
    bundle = transcript_bundle(replace(turn, **{field: "x" * 2_000_000}), cap=MIN_CAP)
    assert file_size(bundle) <= MIN_CAP


@pytest.mark.parametrize(
    "end", [TurnFailed(error="e" * 900_000, code="c" * 900_000), TurnCompleted(response='\u0001\\"\n' * 300_000)]
)
def test_no_ending_can_burst_the_cap(end: Event) -> None:
    assert file_size(transcript_bundle(state(end), cap=MIN_CAP)) <= MIN_CAP


LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=30)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
)


@given(JSON, JSON, st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_value_is_saved_somehow(args: Any, output: Any, text: str) -> None:
    parts = [
        *call("t", text[:20], args, output),
        *asked("a", "x", args, {"status": "approved", "by": "user", "args": output}),
    ]
    bundle = transcript_bundle(
        state(*parts, MessageDelta(delta=text), TurnCompleted(response=text, metadata={"m": args}))
    )
    assert json.loads(json.dumps(bundle, allow_nan=False)) == bundle
    assert "".join(str(bundle[form]) for form in FORMS).encode()


def test_half_an_emoji_is_no_reason_to_lose_the_turn() -> None:
    bundle = transcript_bundle(state(MessageDelta(delta="cut \ud83d"), TurnCompleted(response=None)))
    assert "cut \ufffd" in str(bundle["text/plain"])
    msgspec.json.encode(bundle)


def test_a_cap_that_holds_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"cap: 1000 is too small. Valid: 16384 bytes or more"):
        transcript_bundle(state(), cap=1000)


def test_secrets_are_masked_in_every_form() -> None:
    secret, key = "hunter2-hunter2", "ghp_" + "aB3" * 12
    text = f"it is {secret} or {key}"
    parts = [*call("t", "Bash", {"command": text, key: 1}, {"out": text}, is_error=True), MessageDelta(delta=text)]
    bundle = transcript_bundle(state(*parts, TurnFailed(error=text)), redactor=Redactor({secret: "MY_PASSWORD"}).redact)
    written = msgspec.json.encode(bundle).decode()
    assert secret not in written
    assert key not in written
    assert "[redacted: MY_PASSWORD]" in str(bundle["text/plain"])


def test_a_secret_is_masked_before_the_cut_could_halve_it() -> None:
    secret = "s3cret-" + "0123456789" * 8
    for shift in range(0, 90, 7):
        output = "x" * (32_768 - shift) + secret + "\n" + "y" * 50_000
        bundle = transcript_bundle(
            state(*call("t", "Read", {"path": "a"}, output)), redactor=Redactor({secret: "S"}).redact
        )
        assert "s3cret-0123" not in msgspec.json.encode(bundle).decode()


def test_the_environment_is_where_secrets_come_from_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "value-of-the-key-1")
    tidy.__globals__["_own_redactor"].cache_clear()
    try:
        assert "value-of-the-key-1" not in str(transcript_bundle(state(MessageDelta(delta="value-of-the-key-1"))))
    finally:
        tidy.__globals__["_own_redactor"].cache_clear()


def test_the_home_directory_is_a_tilde() -> None:
    home = str(Path.home())
    parts = [*call("t", "Read", {"path": f"{home}/shop/a.py"}, f"{home}/x"), MessageDelta(delta=f"see {home}/shop")]
    bundle = transcript_bundle(state(*parts, TurnCompleted(response=None)))
    assert home + os.sep not in msgspec.json.encode(bundle).decode()
    assert "✓ Read ~/shop/a.py" in str(bundle["text/plain"])
