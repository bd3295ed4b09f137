"""What a turn of the built-in agent is to use: read off its request and checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec

from nbharness.adapters.base import TurnRequest
from nbharness.adapters.builtin.models import Effort, chosen_model
from nbharness.errors import ConfigError
from nbharness.tools.base import Tool
from nbharness.tools.registry import builtin_tools, load_tools

__all__ = ["OPTIONS", "TODO", "Choices", "choices_of"]

TODO = "todo"
"""The tool that keeps the checklist."""

OPTIONS = frozenset({"context_window", "effort", "only_tools", "tools"})
"""Options of the agent: tokens that the model's context holds, how much it thinks, the only tools, further ones."""


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What to use.

    Attributes:
        model: The model, as ``provider:model``.
        tools: What the model may use.
        effort: How much it should think, or ``None`` for its own choice.
        window: Tokens that its context holds, or ``None`` for what is known of it.
    """

    model: str
    tools: Sequence[Tool]
    effort: Effort | None = None
    window: int | None = None


def choices_of(request: TurnRequest, environ: Mapping[str, str]) -> Choices:
    """Return what a turn is to use.

    Args:
        request: The turn.
        environ: Usually ``os.environ``.

    Raises:
        ConfigError: An option has a value that cannot be used, or the model is not known.
        AuthNeeded: The key of the model is not set.
    """
    return Choices(
        model=chosen_model(request.model, environ),
        tools=_tools(request),
        effort=_effort(request.options.get("effort")),
        window=_window(request.options.get("context_window")),
    )


def _tools(request: TurnRequest) -> list[Tool]:
    given = {tool.name: tool for tool in request.tools}
    only = request.options.get("only_tools")
    if only is None:
        tools = {**builtin_tools(), **load_tools(_names("tools", request.options.get("tools") or ())), **given}
    else:
        named = _names("only_tools", only)
        tools = {**load_tools(name for name in named if name not in given), **given}
        tools = {name: tools[name] for name in named}
    return [tool for name, tool in tools.items() if request.todos or name != TODO]


def _names(option: str, value: Any) -> list[str]:
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{option}: {value!r} is not valid. Valid: names of tools, such as fetch,my_tool")
    return [name.strip() for name in names if name.strip()]


def _effort(value: Any) -> Effort | None:
    if value is None:
        return None
    if value not in get_args(Effort):
        raise ConfigError(f"effort: {value!r} is not valid. Valid: {', '.join(get_args(Effort))}")
    effort: Effort = value
    return effort


def _window(value: Any) -> int | None:
    if value is None:
        return None
    try:
        window = msgspec.convert(value, int, strict=False)
    except msgspec.ValidationError:
        window = 0
    if window <= 0:
        raise ConfigError(f"context_window: {value!r} is not valid. Valid: a whole number of tokens above 0")
    return window
