"""The notebook's cells: those that are there, and one that the agent proposes."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nbharness.notebook.host import Host
from nbharness.notebook.kernel_tools.main_thread import MainThread
from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import Tool, ToolContext, ToolError, ToolOutput
from nbharness.tools.output import capped

__all__ = ["propose_tool", "read_tool"]

_MAX_BYTES = 64 * 1024 * 1024
_OUTPUT_CHARS = 2000


class _Which(Arguments, frozen=True, kw_only=True):
    first: Annotated[int, Meta(description="First cell; cells count from 1.", ge=1)] = 1
    count: Annotated[int, Meta(description="Number of cells.", ge=1, le=200)] = 40


class _Proposal(Arguments, frozen=True, kw_only=True):
    code: Annotated[str, Meta(description="Source of the cell.", min_length=1)]


def read_tool(host: Host) -> Tool:
    """Return the tool that reads cells and their outputs, as they were saved last."""

    async def run(_context: ToolContext, args: _Which) -> ToolOutput:
        notebook = host.notebook
        if notebook is None or not notebook.is_file():
            return ToolOutput(text=capped(_typed(host, args)))
        return ToolOutput(text=capped(await asyncio.to_thread(_saved, notebook, args)))

    return typed_tool(
        "read_cells",
        "Read cells of the user's notebook with the text of their outputs, as the notebook was saved last.",
        _Which,
        run,
        kind="read",
        asks=False,
    )


def propose_tool(host: Host, main_thread: MainThread) -> Tool:
    """Return the tool that puts a cell below the one that runs, for the user to run or to delete."""
    proposed: dict[str, list[str]] = {}

    async def run(_context: ToolContext, args: _Proposal) -> ToolOutput:
        def propose() -> None:
            # A front end takes one new cell a request.
            texts = proposed.setdefault(host.request_id(), [])
            texts.append(args.code)
            host.shell.set_next_input("\n\n".join(texts))

        await main_thread.run(propose)
        return ToolOutput(text="The cell appears below the running one when that ends. Only the user can run it.")

    return typed_tool(
        "propose_cell",
        "Propose a new cell of the user's notebook: it is put below the cell that runs, and the user decides about it.",
        _Proposal,
        run,
        kind="other",
        asks=False,
    )


def _typed(host: Host, which: _Which) -> str:
    """Return what was run, where there is no file."""
    typed = list(host.shell.history_manager.input_hist_raw)[1:]
    part = typed[which.first - 1 : which.first - 1 + which.count]
    lines = [f"[{number}]\n{source}" for number, source in enumerate(part, which.first)]
    return "\n\n".join([f"The notebook has no file; this was run in its kernel, {len(typed)} cells.", *lines])


def _saved(file: Path, which: _Which) -> str:
    try:
        size = file.stat().st_size
        if size > _MAX_BYTES:
            raise ToolError(f"read_cells: the notebook has {size} bytes, at most {_MAX_BYTES} can be read")
        cells: Any = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])["cells"]
        saved = dt.datetime.fromtimestamp(file.stat().st_mtime).astimezone().isoformat(timespec="seconds")
        part = cells[which.first - 1 : which.first - 1 + which.count]
        shown = [_cell(number, cell) for number, cell in enumerate(part, which.first)]
    except (OSError, msgspec.DecodeError, KeyError, TypeError, AttributeError) as error:
        raise ToolError(f"read_cells: {file.name} cannot be read as a notebook: {error}") from error
    return "\n\n".join([f"{file.name}, {len(cells)} cells, saved {saved}; later changes are not in it.", *shown])


def _cell(number: int, cell: dict[str, Any]) -> str:
    lines = [f"[{number}] {cell['cell_type']}", _text(cell["source"])]
    for output in cell.get("outputs", ()):
        text = _output(output)
        more = len(text) - _OUTPUT_CHARS
        lines.append("→ " + (f"{text[:_OUTPUT_CHARS]}… ({more} characters left out)" if more > 0 else text))
    return "\n".join(lines)


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _text(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    data = output["data"]
    return _text(data["text/plain"]) if "text/plain" in data else f"[{', '.join(data)}]"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "".join(value)
