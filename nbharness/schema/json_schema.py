"""The JSON Schema of the wire: envelopes out, inputs in."""

from __future__ import annotations

import ast
import inspect
import json
from types import ModuleType
from typing import Any, get_args

import msgspec

from nbharness import inputs
from nbharness.events import EVENT_CLASSES, asking, types, values

Schema = dict[str, Any]

_MODULES = (values, asking, types, inputs)

_ENVELOPE_FIELDS: dict[str, Schema] = {
    "seq": {"type": "integer", "minimum": 0, "description": "Place in the turn, from 0 without gaps."},
    "turnId": {"type": "string", "description": "The turn."},
    "at": {"type": "number", "description": "Wall clock, Unix seconds."},
}


def json_schema() -> Schema:
    """Return the whole schema: an envelope, with everything else under ``$defs``.

    ``$defs`` holds the values in events, the payload of each event by its class, then ``CodingInput`` and the inputs.
    """
    _, components = msgspec.json.schema_components(
        [*EVENT_CLASSES.values(), *get_args(inputs.CodingInput)], ref_template="#/$defs/{name}"
    )
    docs = {name: texts for module in _MODULES for name, texts in _field_docs(module).items()}
    definitions = {name: _described(components[name], docs.get(name, {})) for name in _order(components)}
    for cls in EVENT_CLASSES.values():
        _drop_type(definitions[cls.__name__])
    members = [{"$ref": f"#/$defs/{cls.__name__}"} for cls in get_args(inputs.CodingInput)]
    definitions["CodingInput"] = {"description": "Everything a turn can be told.", "anyOf": members}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Envelope",
        "description": "One event of a turn, as it is stored, sent and shown. Types and fields may be added.",
        "type": "object",
        "properties": {**_ENVELOPE_FIELDS, "type": {"type": "string"}, "data": {}},
        "required": [*_ENVELOPE_FIELDS, "type", "data"],
        "oneOf": [_of_type(name, cls.__name__) for name, cls in EVENT_CLASSES.items()],
        "$defs": definitions,
    }


def json_text(schema: Schema) -> str:
    """Return the schema as it stands in the file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _of_type(name: str, definition: str) -> Schema:
    return {"properties": {"type": {"const": name}, "data": {"$ref": f"#/$defs/{definition}"}}}


def _order(components: dict[str, Schema]) -> list[str]:
    """Return the names in the order of their classes: values, events, inputs."""
    events = [cls.__name__ for cls in EVENT_CLASSES.values()]
    classes = [*vars(values), *events, *vars(inputs)]
    return sorted(components, key=classes.index)


def _described(component: Schema, docs: dict[str, str]) -> Schema:
    properties = {
        name: {"description": docs[name], **schema} if name in docs else schema
        for name, schema in component["properties"].items()
    }
    return {**component, "properties": properties}


def _drop_type(component: Schema) -> None:
    """An event's name lies in the envelope, not in its payload."""
    del component["properties"]["type"]
    component["required"] = [name for name in component["required"] if name != "type"]


def _field_docs(module: ModuleType) -> dict[str, dict[str, str]]:
    """Return the text under each field, by class and by the field's name on the wire."""
    docs = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef):
            cls = getattr(module, node.name)
            names = dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))
            docs[node.name] = {names[field]: text for field, text in _texts_under_fields(node)}
    return docs


def _texts_under_fields(node: ast.ClassDef) -> list[tuple[str, str]]:
    found = []
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found.append((name, inspect.cleandoc(text)))
    return found
