import json
import subprocess
import sys
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from support.golden import cases, stamp
from support.strategies import events, thorough

from nbharness.events import EVENT_CLASSES, Event
from nbharness.schema import generated, stale
from nbharness.schema.json_schema import json_schema
from nbharness.schema.readme import BEGIN, END, table

ROOT = Path(__file__).parents[1]

# These hold, on purpose, what the schema does not have.
UNREADABLE = {"fold/unreadable", "rich/malformed", "demo/malformed-event", "acp/handmade-odd"}

VALIDATOR = jsonschema.Draft202012Validator(json_schema())


def test_everything_derived_is_up_to_date() -> None:
    assert not [str(path.relative_to(ROOT)) for path in stale()], "run: python -m nbharness.schema"


def test_the_readme_has_the_table_of_events() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index(BEGIN) < readme.index(END)
    assert table(json_schema()) in readme


def test_the_command_tells_what_is_stale_by_its_exit_code() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nbharness.schema", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_event_and_every_field_is_documented() -> None:
    definitions = json_schema()["$defs"]
    undocumented = [
        f"{name}.{field}"
        for name, definition in definitions.items()
        for field, schema in definition.get("properties", {}).items()
        if "description" not in schema and field != "type"
    ]
    assert not undocumented
    assert all("description" in definition for definition in definitions.values())


def test_the_types_name_every_event() -> None:
    text = generated()[ROOT / "js" / "src" / "events.gen.ts"]
    for name, cls in EVENT_CLASSES.items():
        assert f"export interface {cls.__name__} {{" in text
        assert f'"{name}": {cls.__name__};' in text or f"  {name}: {cls.__name__};" in text


@thorough
@given(events())
def test_what_we_write_is_valid_by_the_schema(event: Event) -> None:
    for envelope in stamp([event]):
        VALIDATOR.validate(json.loads(envelope.encode()))


@pytest.mark.parametrize("file", [case for case in cases(".events.jsonl") if case.id not in UNREADABLE])
def test_golden_events_are_valid_by_the_schema(file: Path) -> None:
    for line in file.read_text(encoding="utf-8").splitlines():
        VALIDATOR.validate(json.loads(line))


@pytest.mark.parametrize(
    "wrong",
    [
        {"seq": -1, "turnId": "t", "at": 0, "type": "turn.started", "data": {}},
        {"seq": 0, "turnId": "t", "at": 0, "type": "turn.began", "data": {}},
        {"seq": 0, "turnId": "t", "at": 0, "type": "message.delta", "data": {}},
        {"seq": 0, "turnId": "t", "type": "turn.started", "data": {}},
    ],
)
def test_the_schema_refuses_what_is_wrong(wrong: dict[str, object]) -> None:
    assert not VALIDATOR.is_valid(wrong)
