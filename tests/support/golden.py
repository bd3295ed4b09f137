"""Golden files: what an agent said, the events that it makes, and the state that they fold into.

`tests/golden/<set>/<case>.native.jsonl -> .events.jsonl -> .state.json`; the sets `fold` and others without native
files begin at the events. Both the Python and the TypeScript tests read them. NBH_UPDATE_GOLDEN=1 writes what is
derived, for a person to look at the difference.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nbharness.events import Envelope, Event, Unknown, decode
from nbharness.state import TurnState

ROOT = Path(__file__).parents[1] / "golden"
UPDATE = os.environ.get("NBH_UPDATE_GOLDEN") == "1"


def cases(suffix: str) -> list[Any]:
    """All cases that have a file with that suffix, as parameters named `<set>/<case>`."""
    files = sorted(ROOT.glob(f"*/*{suffix}"))
    return [pytest.param(file, id=f"{file.parent.name}/{file.name.removesuffix(suffix)}") for file in files]


def beside(file: Path, suffix: str) -> Path:
    return file.with_name(file.name.split(".", 1)[0] + suffix)


def read_natives(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def read_envelopes(file: Path) -> list[Envelope]:
    decoded = [decode(line) for line in file.read_bytes().splitlines()]
    assert all(isinstance(envelope, Envelope) for envelope in decoded)
    return [envelope for envelope in decoded if isinstance(envelope, Envelope)]


def stamp(events: Iterable[Event | Unknown], turn_id: str = "turn") -> list[Envelope]:
    """Envelopes one tenth of a second apart."""
    return [Envelope(seq, turn_id, seq / 10, event) for seq, event in enumerate(events)]


def events_text(envelopes: Iterable[Envelope]) -> str:
    return "".join(envelope.encode().decode() + "\n" for envelope in envelopes)


def state_text(state: TurnState) -> str:
    return msgspec.json.format(msgspec.json.encode(state).decode(), indent=2) + "\n"


def check(file: Path, text: str) -> None:
    """Compare with the golden file, or write it."""
    if UPDATE:
        file.write_text(text, encoding="utf-8", newline="\n")
    assert file.exists(), f"{file} is missing; NBH_UPDATE_GOLDEN=1 writes it"
    assert file.read_text(encoding="utf-8") == text
