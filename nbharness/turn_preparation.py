"""What happens before the agent of a turn starts: what the project carries is trusted, and its own agent is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from nbharness.adapters.base import Adapter, TurnPort, TurnRequest
from nbharness.agents import Definition, load_definition
from nbharness.errors import AdapterError, BrokenDefinition
from nbharness.trust import ProjectFile, TrustBook, TrustCheck, files_of, find

__all__ = ["TurnPreparation"]


class TurnPreparation:
    """Run once, before the agent of a turn starts.

    Args:
        adapter: Drives the agent.
        workspace: Its directory.
        book: Remembers what was trusted.
        definition: The agent of the workspace that it is to be, if any.
        is_trusted: What the project carries may run without a question.
    """

    def __init__(
        self, adapter: Adapter, workspace: Path, book: TrustBook, *, definition: Definition | None, is_trusted: bool
    ) -> None:
        self._adapter = adapter
        self._workspace = workspace
        self._definition = definition
        matters = definition is not None or adapter.capabilities.project_config
        asks = matters and not is_trusted
        self._check = TrustCheck(adapter.name, workspace, book, self._files) if asks else None

    async def __call__(self, port: TurnPort, request: TurnRequest) -> TurnRequest:
        """Return what the agent is to do, with the tools that the definition brings.

        Raises:
            AdapterError: Somebody said no, or the definition's Python fails.
        """
        if self._check is not None:
            await self._check(port)
        if self._definition is None:
            return request
        try:
            return await asyncio.to_thread(self._defined, self._definition, request)
        except BrokenDefinition as error:
            raise AdapterError(str(error)) from error

    def _files(self, workspace: Path) -> Sequence[ProjectFile]:
        own = () if self._definition is None else files_of(self._definition)
        if not self._adapter.capabilities.project_config:
            return own
        named = {file.path for file in own}
        return [*own, *(file for file in find(workspace) if file.path not in named)]

    def _defined(self, definition: Definition, request: TurnRequest) -> TurnRequest:
        loaded = load_definition(definition, self._workspace, [tool.name for tool in request.tools])
        options = request.options if loaded.only is None else {**request.options, "only_tools": loaded.only}
        return msgspec.structs.replace(request, tools=(*request.tools, *loaded.tools), options=options)
