"""Code in the user's kernel, among their variables, with its output kept out of their cells."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import msgspec
from IPython.core.displaypub import CapturingDisplayPublisher
from msgspec import Meta

from nbharness.notebook.host import Host
from nbharness.notebook.kernel_tools.main_thread import MainThread
from nbharness.notebook.kernel_tools.variables import waited
from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import Tool, ToolContext, ToolError, ToolOutput
from nbharness.tools.output import Shown

__all__ = ["run_code", "run_tool"]

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class _Code(Arguments, frozen=True, kw_only=True):
    code: Annotated[str, Meta(description="Python or IPython; the value of its last line is shown.", min_length=1)]


class _Ran(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    failed: bool


def run_tool(host: Host, main_thread: MainThread) -> Tool:
    """Return the tool that runs code; it always asks."""

    async def run(context: ToolContext, args: _Code) -> ToolOutput:
        loop = asyncio.get_running_loop()

        def write(text: str) -> None:
            loop.call_soon_threadsafe(context.write, text)

        ran, seconds = await main_thread.run(lambda: run_code(host, args.code, write))
        if ran.failed:
            raise ToolError(waited(seconds) + ran.text)
        return ToolOutput(text=waited(seconds) + ran.text)

    return typed_tool(
        "run_in_kernel",
        "Run code in the live kernel of the user's notebook, where their variables are; what it defines stays there. "
        "The user is asked first. It waits while the kernel is busy. For anything that needs no variable of theirs, "
        "use `python` instead.",
        _Code,
        run,
        kind="execute",
        asks=True,
        every_mode=True,
    )


def run_code(host: Host, code: str, write: Callable[[str], None]) -> _Ran:
    """Run code as a cell would, and keep what it shows. On the kernel's main thread.

    The count of executions and the history stay as they are; nothing is shown in a cell. `input()` fails at once.

    Args:
        host: What runs the cells.
        code: The code.
        write: Takes output as it comes.
    """
    shell = host.shell
    if _awaits(shell, code):
        return _Ran(text="code with `await` outside a function cannot be run here", failed=True)
    shown = Shown(write)
    with _diverted(host, shown):
        outcome = shell.run_cell(code, store_history=False)
    error = outcome.error_before_exec or outcome.error_in_exec
    if isinstance(error, KeyboardInterrupt):
        raise error
    return _Ran(text=shown.end(), failed=error is not None)


def _awaits(shell: Any, code: str) -> bool:
    """True for code that only a loop of its own could run, and the cell that waits holds the thread."""
    try:
        return bool(shell.should_run_async(code, transformed_cell=shell.transform_cell(code)))
    except SyntaxError:
        return False


class _Output(io.TextIOBase):
    """Standard output, to a `Shown`."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def write(self, text: str, /) -> int:
        self._shown.add(text)
        return len(text)

    def writable(self) -> bool:
        return True


class _Publisher(CapturingDisplayPublisher):
    """Takes what the code displays."""

    def __init__(self, shown: Shown) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # traitlets has no types
        self._shown = shown

    def publish(self, data: Any, *_args: Any, **_more: Any) -> None:
        self._shown.add(_as_text(data))


@contextlib.contextmanager
def _diverted(host: Host, shown: Shown) -> Iterator[None]:
    """Let all that a cell would show go to `shown`: text, results, rich output and tracebacks."""
    shell, output = host.shell, _Output(shown)

    def result(value: object) -> None:
        if value is not None:
            data, _ = shell.display_formatter.format(value)
            shown.add(_as_text(data))

    def traceback(_kind: object, _error: object, lines: list[str]) -> None:
        shown.add(_COLOURS.sub("", "\n".join(lines)) + "\n")

    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
        _replaced(sys, "displayhook", result),
        # It puts its own hook in place unless a cell runs around this one.
        _replaced(shell.display_trap, "hook", result),
        _replaced(shell, "display_pub", _Publisher(shown)),
        _shadowed(shell, "_showtraceback", traceback),
        _replaced(host.kernel, "_allow_stdin", value=False),
    ):
        yield


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: object) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextlib.contextmanager
def _shadowed(owner: Any, name: str, value: object) -> Iterator[None]:
    """Hide a method of the class behind an attribute."""
    setattr(owner, name, value)
    try:
        yield
    finally:
        delattr(owner, name)


def _as_text(data: dict[str, Any]) -> str:
    """Return the plain text of an output, and the kinds of it that are left out."""
    others = [kind for kind in data if kind not in {"text/plain", "text/html", "text/markdown"}]
    text = str(data.get("text/plain", ""))
    return text + (f" [{', '.join(others)} left out]" if others else "") + "\n"
