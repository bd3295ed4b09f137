"""Imports the Python of a definition that was chosen and trusted, and makes tools of its functions.

What runs is the text that was read with the definition, never the file as it may be by now. One text is run once in a
process, so that its tools keep what they know from turn to turn.
"""

from __future__ import annotations

import inspect
import sys
import threading
import traceback
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from nbharness.agents.definition import Definition, SourceFile
from nbharness.errors import BrokenDefinition, ConfigError
from nbharness.events.repair import in_words
from nbharness.tools.base import Tool
from nbharness.tools.function import from_callable
from nbharness.tools.registry import tool_names

__all__ = ["Loaded", "load_definition"]

_locks: dict[str, threading.Lock] = {}


class Loaded(msgspec.Struct, frozen=True):
    """What a definition brings.

    Attributes:
        tools: Its tools.
        only: Names of all tools that it may use, or ``None`` for the usual ones and its own.
    """

    tools: tuple[Tool, ...]
    only: tuple[str, ...] | None


def load_definition(definition: Definition, workspace: Path, taken: Collection[str] = ()) -> Loaded:
    """Run the Python of a definition in this process and return its tools. Blocking.

    Public functions and tools of a module count, or those that its ``__all__`` names.

    Args:
        definition: A definition that was trusted.
        workspace: Where it was found.
        taken: Names of further tools that the agent is given.

    Raises:
        BrokenDefinition: Its Python fails, or a name is wrong; the message names file and line.
    """
    known = {*tool_names(), *taken}
    shared: dict[str, Tool] = {}
    own: dict[str, Tool] = {}
    for source in definition.code:
        into = own if source is definition.own_code else shared
        for line, tool in _tools(_module(source, workspace), source):
            if tool.name in {*known, *shared, *own}:
                raise BrokenDefinition(source.path, line, f"there is another tool {tool.name!r}; call it otherwise")
            into[tool.name] = tool
    if definition.tools is None:
        return Loaded((*shared.values(), *own.values()), None)
    for name in definition.tools:
        if name not in {*known, *shared, *own}:
            valid = ", ".join(sorted({*known, *shared, *own}))
            raise BrokenDefinition(definition.path, definition.tools_line, f"unknown tool {name!r}. Valid: {valid}")
    chosen = [tool for name, tool in shared.items() if name in definition.tools]
    return Loaded((*chosen, *own.values()), tuple(dict.fromkeys([*definition.tools, *own, *taken])))


def _module(source: SourceFile, workspace: Path) -> ModuleType:
    file = str(workspace.resolve() / source.path)
    name = "nbharness_agents_" + SourceFile(file, f"{file}\0{source.text}").sha256
    with _locks.setdefault(name, threading.Lock()):
        module = sys.modules.get(name)
        if module is None:
            module = _run(ModuleType(name), source, file)
        return module


def _run(module: ModuleType, source: SourceFile, file: str) -> ModuleType:
    """Run a text as a module. Its folder is not on the path: what it imports must be importable anyway."""
    module.__file__ = file
    sys.modules[module.__name__] = module
    try:
        exec(compile(source.text, file, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 (a person trusted it)
    except (Exception, SystemExit) as error:  # (the boundary: what a project's Python raises)
        del sys.modules[module.__name__]
        why = f"{type(error).__name__}: {in_words(error)}"
        raise BrokenDefinition(source.path, _line(error, file), why) from error
    return module


def _line(error: BaseException, file: str) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


def _tools(module: ModuleType, source: SourceFile) -> Iterator[tuple[int | None, Tool]]:
    for name, value in _offered(module, source):
        line = value.__code__.co_firstlineno if inspect.isfunction(value) else None
        if isinstance(value, Tool):
            yield None, value
            continue
        try:
            yield line, from_callable(value, name=name)
        except ConfigError as error:
            raise BrokenDefinition(source.path, line, str(error)) from error


def _offered(module: ModuleType, source: SourceFile) -> Iterator[tuple[str, Any]]:
    named = vars(module).get("__all__")
    if named is None:
        for name, value in list(vars(module).items()):
            is_own = inspect.isfunction(value) and value.__module__ == module.__name__
            if not name.startswith("_") and (is_own or isinstance(value, Tool)):
                yield name, value
        return
    for name in named if isinstance(named, list | tuple) else [named]:
        value = vars(module).get(name) if isinstance(name, str) else None
        if not (callable(value) or isinstance(value, Tool)):
            raise BrokenDefinition(source.path, None, f"__all__ has {name!r}; valid: names of its functions and tools")
        yield name, value
