"""``todo``: the checklist that the user sees."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nbharness.events import Todo, TodoStatus
from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolOutput

__all__ = ["TOOL"]


class _Item(Arguments, frozen=True, kw_only=True):
    content: Annotated[str, Meta(description="What is to be done.", min_length=1)]
    status: Annotated[TodoStatus, Meta(description="Where it stands.")] = "pending"


class _Todos(Arguments, frozen=True, kw_only=True):
    todos: Annotated[list[_Item], Meta(description="The whole checklist, in order; it takes the place of the last.")]


async def _run(_context: ToolContext, args: _Todos) -> ToolOutput:
    todos = tuple(Todo(content=item.content, status=item.status) for item in args.todos)
    done = sum(todo.status == "completed" for todo in todos)
    return ToolOutput(text=f"The checklist has {len(todos)} lines, {done} completed.", todos=todos)


TOOL = typed_tool(
    "todo",
    "Show the user a checklist of the work, each time whole. For work of several steps; one step is in progress at a "
    "time, and is completed before the next begins.",
    _Todos,
    _run,
    kind="think",
    asks=False,
)
