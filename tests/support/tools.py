"""Calls a tool as the built-in agent does."""

import os
from pathlib import Path
from typing import Any

from nbharness.process import agent_environment
from nbharness.tools import Tool, ToolContext, ToolOutput, load_tools


class Caller:
    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.shown: list[str] = []

    async def __call__(self, tool: str | Tool, **args: Any) -> ToolOutput:
        found = tool if isinstance(tool, Tool) else load_tools([tool])[tool]
        environment = agent_environment(os.environ, {})
        return await found.run(
            ToolContext(workspace=self.workspace, write=self.shown.append, environment=environment), args
        )


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())
