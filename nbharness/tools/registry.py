"""Finding tools by name: ours, and those that other packages bring by an entry point."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from nbharness.errors import ConfigError, UnknownName
from nbharness.tools.base import Tool
from nbharness.tools.function import from_callable

__all__ = ["GROUP", "builtin_tools", "load_tools", "tool_names"]

GROUP = "nbharness.tools"
"""Entry-point group. Each entry is a `Tool` or a function; see `from_callable` for what becomes of a function."""

_ON = ("bash", "read", "write", "edit", "glob", "grep", "apply_patch", "python", "todo")
_OFF = ("fetch",)
"""Only when somebody names it: it talks to the network."""

_LIBRARIES: Final = ("regex", "httpcore2")


def builtin_tools() -> dict[str, Tool]:
    """Return the tools that are on unless somebody says otherwise, by name.

    Raises:
        ConfigError: A library of theirs is missing.
    """
    return {name: _own(name) for name in _ON}


def tool_names() -> list[str]:
    """Return the names of all tools that can be loaded, sorted; nothing is imported."""
    return sorted({*_ON, *_OFF, *(entry.name for entry in entry_points(group=GROUP))})


def load_tools(names: Iterable[str]) -> dict[str, Tool]:
    """Return tools by name, in the order given. One of ours goes before another package's of the same name.

    Args:
        names: Of our tools, also those that are off, and of entry points.

    Raises:
        UnknownName: There is no such tool.
        ConfigError: A tool cannot be loaded.
    """
    return {name: _load(name) for name in names}


def _load(name: str) -> Tool:
    if name in _ON or name in _OFF:
        return _own(name)
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in found:
        raise UnknownName("tool", name, tool_names())
    return _foreign(found[name])


def _own(name: str) -> Tool:
    try:
        module = importlib.import_module(f"nbharness.tools.{name}")
    except ModuleNotFoundError as error:
        if error.name not in _LIBRARIES:
            raise
        message = f"the tool {name!r} needs {error.name}. Install it with: pip install 'nbharness[agent]'"
        raise ConfigError(message) from error
    tool: Tool = module.TOOL
    return tool


def _foreign(entry: EntryPoint) -> Tool:
    package = entry.dist.name if entry.dist is not None else "an unknown package"
    try:
        loaded: Any = entry.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"the tool {entry.name!r} of {package} cannot be loaded: {error}") from error
    if isinstance(loaded, Tool):
        return loaded
    if callable(loaded):
        return from_callable(loaded, name=entry.name)
    raise ConfigError(f"the tool {entry.name!r} of {package} is {loaded!r}. Valid: a Tool or a function")
