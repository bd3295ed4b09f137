"""``glob``: files of the workspace by the pattern of their path."""

from __future__ import annotations

import threading
from typing import Annotated

from msgspec import Meta

from nbharness.tools.arguments import Arguments, typed_tool
from nbharness.tools.base import ToolContext, ToolError, ToolOutput
from nbharness.tools.output import capped
from nbharness.tools.patterns import braces, matches, pattern_of
from nbharness.tools.searching import searched
from nbharness.tools.tree import Tree
from nbharness.tools.walk import files_below

__all__ = ["TOOL", "wanted"]

_MOST = 500


class _Glob(Arguments, frozen=True, kw_only=True):
    pattern: Annotated[str, Meta(description="Such as *.py, src/**/*.{ts,tsx}.", min_length=1, max_length=1000)]
    path: Annotated[str, Meta(description="Directory to search in.", min_length=1)] = "."
    ignored: Annotated[bool, Meta(description="Whether files that .gitignore leaves out count too.")] = False


async def _run(context: ToolContext, args: _Glob) -> ToolOutput:
    patterns = wanted(args.pattern)

    def search(stop: threading.Event) -> list[str]:
        with Tree(context.workspace) as tree, tree.place(args.path) as place:
            below = 0 if place.relative == "." else len(place.relative.split("/"))
            files = files_below(tree, args.path, stop, ignored=args.ignored)
            return [file for file in files if any(matches(each, file.split("/")[below:]) for each in patterns)]

    found = await searched(search)
    more = [f"[{len(found) - _MOST} more files]"] if len(found) > _MOST else []
    return ToolOutput(text=capped("\n".join([*found[:_MOST], *more])) or "(no files)")


def wanted(pattern: str) -> list[tuple[str, ...]]:
    """Return the patterns that a pattern stands for, in steps.

    Raises:
        ToolError: They are too many, or lead upwards.
    """
    try:
        patterns = [pattern_of(each) for each in braces(pattern)]
    except ValueError as error:
        raise ToolError(str(error)) from error
    if any(".." in steps for steps in patterns) or pattern.startswith("/"):
        raise ToolError(f"{pattern!r} is no pattern of a path below; give the directory as path, such as path='src'")
    return patterns


TOOL = typed_tool(
    "glob",
    "Find files of the workspace by a pattern of their path, relative to the directory searched: * within a name, ** "
    "for any directories, {a,b} for either; a pattern without / holds in any directory. Sorted; links and what "
    ".gitignore leaves out do not count.",
    _Glob,
    _run,
    kind="search",
    asks=False,
)
