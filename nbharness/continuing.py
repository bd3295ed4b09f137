"""Which stored conversation a turn goes on with."""

from __future__ import annotations

from pathlib import Path

from nbharness.errors import ConfigError
from nbharness.runtime import Runtime
from nbharness.store import ConversationRecord

__all__ = ["latest_conversation_in", "stored_conversation"]


def stored_conversation(runtime: Runtime, name: str) -> ConversationRecord:
    """Return a stored conversation by its id or the start of it.

    Raises:
        ConfigError: There is no such conversation, or several.
        StoreError: The store cannot be opened.
    """

    async def find() -> ConversationRecord:
        return await (await runtime.recorder.store()).get_conversation(name)

    return runtime.thread.call(find())


def latest_conversation_in(runtime: Runtime, workspace: Path, agent: str | None) -> ConversationRecord:
    """Return the conversation that was held last in a directory, with an agent if one is named.

    Raises:
        ConfigError: There is none.
        StoreError: The store cannot be opened.
    """

    async def find() -> list[ConversationRecord]:
        return await (await runtime.recorder.store()).list_conversations()

    for record in runtime.thread.call(find()):
        if Path(record.workspace) == workspace and agent in {None, record.agent}:
            return record
    whose = f" with the agent {agent!r}" if agent else ""
    message = f"nothing to continue: no conversation was held in {workspace}{whose}; `nbharness sessions` lists them"
    raise ConfigError(message)
