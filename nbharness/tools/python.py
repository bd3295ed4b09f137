"""``python``: runs code in a fresh interpreter in the workspace."""

from __future__ import annotations

import sys
from typing import Annotated

from msgspec import Meta

from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.programs import DEFAULT_S, MAX_S, run_program

__all__ = ["TOOL"]

_MAX_BYTES = 100 * 1024
"""Linux takes no argument of 128 KiB."""


class _Python(Arguments, frozen=True, kw_only=True):
    code: Annotated[str, Meta(description="Python; print what you want to see.", min_length=1)]
    timeout: Annotated[float, Meta(description="Seconds that it may take.", gt=0, le=MAX_S)] = DEFAULT_S


async def _run(context: ToolContext, args: _Python) -> ToolOutput:
    size = len(args.code.encode("utf-8", "replace"))
    if size > _MAX_BYTES:
        raise ToolError(
            f"python: the code has {size} bytes, at most {_MAX_BYTES} are valid; write it to a file, run that"
        )
    if "\0" in args.code:
        raise ToolError("python: the code holds a null byte; write it as \\0 in a string")
    return await run_program(context, [sys.executable, "-c", args.code], args.timeout)


TOOL = typed_tool(
    "python",
    "Run Python code in a fresh interpreter in the workspace, the one that the notebook runs on, with its packages. "
    "Nothing stays between calls, and the notebook's own variables are not there. Returns what it prints.",
    _Python,
    _run,
    kind="execute",
    asks=True,
)
