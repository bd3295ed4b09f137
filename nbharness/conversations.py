"""The conversations of this process: which one a turn belongs to, and which agents are kept at hand."""

from __future__ import annotations

import asyncio
import secrets

from nbharness.adapters.base import Adapter
from nbharness.conversation import Conversation
from nbharness.errors import ConfigError
from nbharness.recorder import Recorder
from nbharness.spec import TurnSpec
from nbharness.turn_hooks import Spawn

__all__ = ["Conversations"]

_KEPT_SESSIONS = 16
"""Conversations at rest whose agent is kept at hand; another one is taken up again by its session's id."""

_IDLE_CLOSE_S = 5.0


class Conversations:
    """Finds, opens and closes conversations. Belongs to the runtime's loop.

    Args:
        recorder: The way to those that are stored.
        spawn: Starts asyncio tasks.
    """

    def __init__(self, recorder: Recorder, spawn: Spawn) -> None:
        self._recorder = recorder
        self._spawn = spawn
        self._open: dict[str, Conversation] = {}

    async def of(self, spec: TurnSpec, adapter: Adapter, *, record: bool) -> Conversation:
        """Return the conversation of a turn: the one it names, a copy of that, or a new one.

        Args:
            spec: The turn.
            adapter: Drives its agent.
            record: Keep a new one in the store.

        Raises:
            ConfigError: It was held with another agent, or has nothing to fork.
            StoreError: The store cannot be opened.
        """
        conversation_id, session_id = spec.conversation or "", spec.session_id
        if conversation_id and conversation_id not in self._open:
            store = await self._recorder.store()
            stored = await store.get_conversation(conversation_id)
            _check_agent(stored.id, stored.agent, adapter.name)
            conversation_id, session_id = stored.id, stored.session_id or session_id
        known = self._open.get(conversation_id)
        if spec.fork:
            conversation_id, session_id = "", _forked(spec, known, session_id)
        elif known is not None:
            _check_agent(known.id, known.adapter.name, adapter.name)
            self._open[known.id] = self._open.pop(known.id)  # the last one used is the last to go
            return known
        if not conversation_id:
            conversation_id = await self._new_id(spec, adapter, record=record)
        return self._opened(conversation_id, session_id, spec, adapter, record=record)

    async def close(self, patience_s: float) -> None:
        """Close all of them, whose turns were stopped before.

        Args:
            patience_s: Seconds that an agent may take to stop, and again to close.
        """
        closing = [self._close(conversation, patience_s) for conversation in self._open.values()]
        if closing:
            await asyncio.wait(closing)

    def _opened(
        self, conversation_id: str, session_id: str | None, spec: TurnSpec, adapter: Adapter, *, record: bool
    ) -> Conversation:
        async def on_session(session_id: str) -> None:
            if record:
                await self._recorder.session(conversation_id, session_id)

        conversation = Conversation(
            id=conversation_id,
            adapter=adapter,
            workspace=spec.workspace,
            session_id=session_id,
            spawn=self._spawn,
            on_session=on_session,
            fork=spec.fork,
        )
        self._let_idle_ones_go()
        self._open[conversation_id] = conversation
        return conversation

    async def _new_id(self, spec: TurnSpec, adapter: Adapter, *, record: bool) -> str:
        if not record:
            return f"c{secrets.token_hex(6)}"
        store = await self._recorder.store()
        definition = spec.definition.name if spec.definition is not None else ""
        return (await store.create_conversation(adapter.name, str(spec.workspace), definition=definition)).id

    def _let_idle_ones_go(self) -> None:
        idle = [each for each in self._open.values() if each.idle and each.adapter.capabilities.resume]
        for conversation in idle[: max(0, len(idle) + 1 - _KEPT_SESSIONS)]:
            del self._open[conversation.id]
            self._close(conversation, _IDLE_CLOSE_S)

    def _close(self, conversation: Conversation, patience_s: float) -> asyncio.Task[None]:
        return self._spawn(conversation.close(patience_s), f"closing conversation {conversation.id}")


def _check_agent(conversation_id: str, agent: str, asked: str) -> None:
    if agent != asked:
        message = (
            f"conversation {conversation_id} was held with the agent {agent!r}, not {asked!r}; "
            f"continue it with that agent, or start a new one"
        )
        raise ConfigError(message)


def _forked(spec: TurnSpec, known: Conversation | None, session_id: str | None) -> str:
    original = session_id if known is None else known.session_id or session_id
    if not original:
        message = f"conversation {spec.conversation} has no session to fork: no turn of it has reached the agent"
        raise ConfigError(message)
    return original
