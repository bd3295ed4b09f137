"""A tool out of a Python function: its signature is the schema, its docstring the description."""

from __future__ import annotations

import asyncio
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_type_hints

import msgspec

from nbharness.errors import ConfigError
from nbharness.events import ToolKind
from nbharness.tools.arguments import Arguments, schema_of, typed_tool
from nbharness.tools.base import Tool, ToolContext, ToolOutput

__all__ = ["from_callable"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_SECTION = re.compile(r"^(?:Args|Arguments):\n((?:[ \t]+.*\n?|\n)*)", re.MULTILINE)
_ENTRY = re.compile(r"(\w+)(?: \(.*?\))?: (.*(?:\n[ \t]+.*)*)")
_OTHER_SECTIONS = re.compile(r"^(?:Args|Arguments|Returns|Yields|Raises|Attributes|Examples?|Notes?):\n", re.MULTILINE)


def from_callable(
    function: Callable[..., Any], *, name: str | None = None, kind: ToolKind = "other", asks: bool = True
) -> Tool:
    """Return a tool that calls a function.

    Parameters become arguments, checked by their annotations and described by the ``Args:`` of the docstring; one that
    is annotated `ToolContext` is filled in. A function that is not async runs in a thread, which an abort does not end.
    What it returns is the result: a `ToolOutput` or text as it is, anything else as JSON.

    Args:
        function: The function.
        name: Name of the tool; by default that of the function.
        kind: What it does.
        asks: Whether it may change something; a function that only looks at things says False.

    Raises:
        ConfigError: It cannot be called with named arguments, or an annotation means nothing in JSON.
    """
    called = name or str(getattr(function, "__name__", ""))
    if not _NAME.fullmatch(called):
        raise ConfigError(f"a tool cannot be called {called!r}. Valid: letters, digits, _ and -, a letter first")
    documented = inspect.getdoc(function) or called
    arguments, context_names = _signature(function, called, _described(documented))

    async def run(context: ToolContext, args: msgspec.Struct) -> ToolOutput:
        values = {field: getattr(args, field) for field in args.__struct_fields__}
        values |= dict.fromkeys(context_names, context)
        if inspect.iscoroutinefunction(function):
            result = await function(**values)
        else:
            result = await asyncio.to_thread(function, **values)
            if inspect.isawaitable(result):
                result = await result
        return _output(result)

    description = _OTHER_SECTIONS.split(documented)[0].strip() or called
    return typed_tool(called, description, arguments, run, kind=kind, asks=asks)


def _signature(
    function: Callable[..., Any], called: str, described: Mapping[str, str]
) -> tuple[type[msgspec.Struct], list[str]]:
    """Return a class for the arguments and the names of those that are the context."""
    try:
        parameters = inspect.signature(function).parameters.values()
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError, ValueError) as error:
        raise ConfigError(f"the tool {called!r} cannot be made of {function!r}: {error}") from error
    fields: list[Any] = []
    contexts: list[str] = []
    for parameter in parameters:
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise ConfigError(
                f"the tool {called!r}: its parameter {parameter} has no name of its own. Valid: name: type"
            )
        hint = hints.get(parameter.name, Any)
        if hint is ToolContext:
            contexts.append(parameter.name)
            continue
        if text := described.get(parameter.name):
            hint = Annotated[hint, msgspec.Meta(description=text)]
        default = () if parameter.default is parameter.empty else (_default(parameter.default),)
        fields.append((parameter.name, hint, *default))
    try:
        kind = msgspec.defstruct(called.replace("-", "_"), fields, bases=(Arguments,), kw_only=True, frozen=True)
        schema_of(kind)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the tool {called!r}: its parameters cannot be described in JSON Schema: {error}") from error
    return kind, contexts


def _default(value: Any) -> Any:
    return msgspec.field(default_factory=value.copy) if isinstance(value, list | dict | set) else value


def _described(documented: str) -> dict[str, str]:
    """Return what a docstring in Google's style says about each parameter."""
    section = _SECTION.search(documented)
    if section is None:
        return {}
    return {name: " ".join(text.split()) for name, text in _ENTRY.findall(textwrap.dedent(section[1]))}


def _output(result: Any) -> ToolOutput:
    if isinstance(result, ToolOutput):
        return result
    if result is None or isinstance(result, str):
        return ToolOutput(text=result or "")
    return ToolOutput(text=msgspec.json.encode(result, enc_hook=repr).decode())
