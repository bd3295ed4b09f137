"""``bash``: runs a command line in the workspace."""

from __future__ import annotations

import shutil
from typing import Annotated

from msgspec import Meta

from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolOutput
from nbharness.tools.programs import DEFAULT_S, MAX_S, run_program

__all__ = ["TOOL"]


class _Bash(Arguments, frozen=True, kw_only=True):
    command: Annotated[str, Meta(description="The command line.", min_length=1)]
    timeout: Annotated[float, Meta(description="Seconds that it may take.", gt=0, le=MAX_S)] = DEFAULT_S


async def _run(context: ToolContext, args: _Bash) -> ToolOutput:
    shell = shutil.which("bash", path=context.environment.get("PATH")) or "/bin/sh"
    return await run_program(context, [shell, "-c", args.command], args.timeout)


TOOL = typed_tool(
    "bash",
    "Run a command line in the workspace. Returns standard output and error together; long output loses its middle. "
    "Each call is a new shell in the workspace; its input is empty, and what it leaves in the background is ended.",
    _Bash,
    _run,
    kind="execute",
    asks=True,
)
