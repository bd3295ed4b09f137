"""Tools that the built-in agent hands to its model: they work on a workspace and never leave it.

``base`` says what a tool is, ``registry`` finds them, ``from_callable`` makes one of a function; each of ours is a
module of its name.
"""

from __future__ import annotations

from nbharness.tools.base import Tool, ToolContext, ToolError, ToolOutput
from nbharness.tools.function import from_callable
from nbharness.tools.registry import builtin_tools, load_tools, tool_names

__all__ = [
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolOutput",
    "builtin_tools",
    "from_callable",
    "load_tools",
    "tool_names",
]
