"""What the user's variables are: their kinds for all of them, a bounded look at one."""

from __future__ import annotations

import types
from typing import Annotated, Any

from msgspec import Meta

from nbharness.notebook.kernel_tools.main_thread import MainThread
from nbharness.notebook.kernel_tools.time_limit import TooSlow, time_limit
from nbharness.notebook.variables import describe
from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import Tool, ToolContext, ToolError, ToolOutput
from nbharness.tools.output import capped

__all__ = ["inspect_tool", "list_tool", "waited"]

_LISTED = 200
_LOOK_S = 2.0
_SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset, range)
_ARRAYS = frozenset({"numpy", "pandas", "polars", "torch", "jax", "jaxlib", "xarray", "scipy", "pyarrow"})
"""Packages whose shapes are plain facts, so that looking runs no code of the user's."""


class _Nothing(Arguments, frozen=True, kw_only=True):
    pass


class _Name(Arguments, frozen=True, kw_only=True):
    name: Annotated[str, Meta(description="Name of the variable.", min_length=1, max_length=200)]


def list_tool(shell: Any) -> Tool:
    """Return the tool that lists variables; it answers also while the kernel is busy."""

    async def run(_context: ToolContext, _args: _Nothing) -> ToolOutput:
        return ToolOutput(text=capped(_listed(shell)))

    return typed_tool(
        "list_variables",
        "List the variables of the user's notebook kernel: name, type, and length or shape. Values are not shown.",
        _Nothing,
        run,
        kind="read",
        asks=False,
    )


def inspect_tool(shell: Any, main_thread: MainThread) -> Tool:
    """Return the tool that looks at one variable."""

    async def run(_context: ToolContext, args: _Name) -> ToolOutput:
        def look() -> str:
            if args.name not in shell.user_ns:
                raise ToolError(f"inspect_variable: there is no variable {args.name!r}; list_variables names them")
            try:
                with time_limit(_LOOK_S):
                    return describe(args.name, shell.user_ns[args.name])
            except TooSlow:
                raise ToolError(f"inspect_variable: {args.name!r} takes more than {_LOOK_S:g} s to show") from None

        text, seconds = await main_thread.run(look)
        return ToolOutput(text=capped(waited(seconds) + text))

    return typed_tool(
        "inspect_variable",
        "Look at one variable of the user's notebook kernel: type, shape, columns, its first lines, never all.",
        _Name,
        run,
        kind="read",
        asks=False,
    )


def waited(seconds: float) -> str:
    """Return the words for a wait of so many seconds."""
    return f"(waited {seconds:.0f} s for the kernel)\n" if seconds else ""


def _listed(shell: Any) -> str:
    hidden = shell.user_ns_hidden
    known = [
        (name, value)
        for name, value in dict(shell.user_ns).items()
        if isinstance(name, str)
        and not name.startswith("_")
        and not (name in hidden and hidden[name] is value)
        and not isinstance(value, types.ModuleType)
    ]
    lines = [f"{name}: {_kind(value)}" for name, value in sorted(known, key=lambda pair: pair[0])[:_LISTED]]
    if len(known) > _LISTED:
        lines.append(f"… and {len(known) - _LISTED} more")
    return "\n".join(lines) or "(no variables)"


def _kind(value: Any) -> str:
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.").removeprefix("__main__.")
    if kind in _SIZED:
        return f"{name}, length {len(value)}"
    if str(kind.__module__).partition(".")[0] in _ARRAYS:
        return ", ".join([name, *(_fact(value, fact) for fact in ("shape", "dtype") if hasattr(kind, fact))])
    return name


def _fact(value: Any, name: str) -> str:
    try:
        return f"{name} {getattr(value, name)}"
    except Exception as error:  # noqa: BLE001 (one array that is broken hides no other variable)
        return f"{name} unknown ({type(error).__name__})"
