"""Running a program for a tool: in the workspace, shown as it writes, ended with all it started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nbharness.errors import AdapterProcessError
from nbharness.process import run_command
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.output import Shown

__all__ = ["DEFAULT_S", "MAX_S", "run_program"]

DEFAULT_S, MAX_S = 120, 3600
"""Seconds that a program gets unless the model says otherwise, and at most."""

_QUIET = {
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PAGER": "cat",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUNBUFFERED": "1",
    "TERM": "dumb",
}
"""Nobody is there to turn pages or to type, and nothing is left behind or held back."""


async def run_program(context: ToolContext, argv: Sequence[str], timeout_s: float) -> ToolOutput:
    """Run a program to its end.

    Args:
        context: Where it runs and who sees its output.
        argv: Program and arguments.
        timeout_s: Seconds that it may take.

    Raises:
        ToolError: It cannot be started.
        asyncio.CancelledError: The caller was cancelled; nothing of the program is left then.
    """
    output = Shown(context.write)
    environment: Mapping[str, str] = {**context.environment, **_QUIET}
    try:
        done = await run_command(
            argv, cwd=context.workspace, env=environment, on_output=output.add, timeout_s=timeout_s
        )
    except AdapterProcessError as error:
        raise ToolError(str(error)) from error
    if done.is_timed_out:
        note = f"[stopped: it took longer than {timeout_s:g} s]"
    elif done.signal is not None:
        note = f"[ended by signal {done.signal}]"
    else:
        note = f"[exit code {done.exit_code}]" if done.exit_code else ""
    status = -(done.signal or 0) if done.exit_code is None else done.exit_code
    text = output.end()
    between = "\n" if note and text and not text.endswith("\n") else ""
    return ToolOutput(text=text + between + note, exit_code=status)
