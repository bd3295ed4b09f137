"""Arguments of tools as msgspec structs: one class is the schema that a model sees and the check of what it sends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from nbharness.events import ToolKind
from nbharness.tools.base import Tool, ToolContext, ToolError, ToolOutput

__all__ = ["Arguments", "read_arguments", "schema_of", "typed_tool"]

_SHOWN_CHARS = 200


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the arguments of a tool; each field has a description by `msgspec.Meta`."""


Checked = TypeVar("Checked", bound=msgspec.Struct)


def typed_tool(
    name: str,
    description: str,
    arguments: type[Checked],
    run: Callable[[ToolContext, Checked], Awaitable[ToolOutput]],
    *,
    kind: ToolKind,
    asks: bool,
    every_mode: bool = False,
) -> Tool:
    """Return a tool that gets its arguments checked.

    Args:
        name: Its name.
        description: For the model.
        arguments: Class of the arguments.
        run: Runs one call.
        kind: What it does.
        asks: Whether it may change something.
        every_mode: It asks in every permission mode.
    """

    async def checked(context: ToolContext, args: dict[str, Any]) -> ToolOutput:
        return await run(context, read_arguments(name, args, arguments))

    parameters = schema_of(arguments)
    return Tool(
        name=name,
        description=description,
        parameters=parameters,
        kind=kind,
        asks=asks,
        run=checked,
        every_mode=every_mode,
    )


def read_arguments(tool: str, args: Any, kind: type[Checked]) -> Checked:
    """Return arguments checked; a number or a truth value may also come as text, as some models send it.

    Raises:
        ToolError: They do not fit; the message names all that are valid.
    """
    try:
        return msgspec.convert(args, kind, strict=False)
    except msgspec.ValidationError as error:
        shown = repr(args)
        shown = shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}…"
        raise ToolError(f"{tool}: {error}. It was given {shown}. Valid: {_valid(schema_of(kind))}") from error


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON Schema of a struct without references and titles, which not every provider understands."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
    inlined: dict[str, Any] = _inlined(schema, parts)
    inlined.pop("description", None)  # The docstring of the class; the tool has words of its own.
    return inlined


def _inlined(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined({**parts[schema["$ref"]], **{key: schema[key] for key in schema if key != "$ref"}}, parts)
    properties = schema.get("properties", {})
    rest = {key: _inlined(value, parts) for key, value in schema.items() if key not in {"title", "properties"}}
    if "properties" in schema:
        rest["properties"] = {name: _inlined(value, parts) for name, value in properties.items()}
    return rest


def _valid(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    named = [
        f"{name} ({part.get('type', 'any')}{', required' if name in required else ''})"
        for name, part in schema.get("properties", {}).items()
    ]
    return ", ".join(named) or "no arguments"
