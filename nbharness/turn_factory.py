"""Puts a turn together: its feed, its desk, its evidence and the question of trust, from what was asked for."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET

from nbharness.adapters.base import Adapter, TurnRequest
from nbharness.agents import prompt_of
from nbharness.approvals import ApprovalDesk
from nbharness.audience import Audience
from nbharness.clock import Clock
from nbharness.config import home
from nbharness.conversation import Conversation
from nbharness.events import TurnStarted
from nbharness.evidence import WorkspaceEvidence
from nbharness.feed import Feed
from nbharness.feed_writer import FeedWriter, NoJournal
from nbharness.git import branch_of
from nbharness.handle import CodingHandle
from nbharness.policy import Policy, RuleBook
from nbharness.recorder import Recorder
from nbharness.redact import tilde
from nbharness.spec import TurnSpec
from nbharness.store import TurnRecord
from nbharness.trust import TrustBook
from nbharness.turn import Turn
from nbharness.turn_hooks import Spawn
from nbharness.turn_preparation import TurnPreparation

__all__ = ["TurnFactory", "record_of", "request_of"]


class TurnFactory:
    """Makes turns. Belongs to the runtime's loop.

    Args:
        clock: Time.
        spawn: Starts asyncio tasks.
        recorder: Keeps events.
        rules: Keeps rules that a person asks to remember.
        trusted: Knows which workspaces may run what they carry.
        own_files: Files of ours, which are no evidence of what an agent did.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        spawn: Spawn,
        recorder: Recorder,
        rules: RuleBook,
        trusted: TrustBook,
        own_files: Sequence[Path],
    ) -> None:
        self._clock = clock
        self._spawn = spawn
        self._recorder = recorder
        self._rules = rules
        self._trusted = trusted
        self._own_files = own_files

    def make(
        self, spec: TurnSpec, conversation: Conversation, audience: Audience, policy: Policy, *, record: bool
    ) -> tuple[Turn, Feed]:
        """Return a turn that does not run yet, and its feed.

        Args:
            spec: The turn.
            conversation: Where it belongs.
            audience: Who could answer approvals.
            policy: Rules that answer first.
            record: Keep its events in the store.
        """
        turn_id = f"t{secrets.token_hex(6)}"
        feed = Feed()
        writer = FeedWriter(turn_id, feed, self._recorder if record else NoJournal(), self._clock)
        desk = ApprovalDesk(
            agent=conversation.adapter.name,
            workspace=spec.workspace,
            mode=spec.approval_mode,
            policy=policy,
            audience=audience,
            emit=writer.put,
            plan_mode=spec.plan_mode,
            open_notebook=spec.open_notebook,
            timeout_s=spec.approval_timeout_s,
            remember=self._rules.remember,
        )
        turn = Turn(
            request=request_of(spec, turn_id, conversation.adapter),
            started=_started(spec, conversation.adapter, conversation.id),
            open_session=conversation.open_session,
            desk=desk,
            writer=writer,
            clock=self._clock,
            spawn=self._spawn,
            timeout_s=spec.timeout_s,
            prepare=self._preparation(spec, conversation.adapter),
            evidence=WorkspaceEvidence(spec.workspace, home() / "shadow", self._own_files),
        )
        return turn, feed

    def _preparation(self, spec: TurnSpec, adapter: Adapter) -> TurnPreparation:
        return TurnPreparation(
            adapter,
            spec.workspace,
            self._trusted,
            definition=spec.definition,
            is_trusted=spec.trust_project,
        )


def request_of(spec: TurnSpec, turn_id: str, adapter: Adapter) -> TurnRequest:
    """Return what an agent is to be told of a turn."""
    shared = spec.shared_mcp_servers if adapter.capabilities.mcp_servers else ()
    first, append = _told(spec, takes_instructions=adapter.capabilities.instructions)
    return TurnRequest(
        turn_id=turn_id,
        task=spec.task,
        workspace=spec.workspace.resolve(),
        model=spec.model,
        approval_mode=spec.approval_mode,
        plan_mode=spec.plan_mode,
        mode=spec.mode,
        command=spec.command,
        budget=spec.budget,
        todos=spec.todos,
        instructions=first,
        system_prompt_append=append,
        environment=spec.environment,
        mcp_servers=spec.mcp_servers or shared,
        tools=spec.tools,
        rules=tuple(rule for rule in spec.rules if rule.agent in {"", adapter.name}),
        options=spec.options,
    )


def _told(spec: TurnSpec, *, takes_instructions: bool) -> tuple[str, str]:
    """Return what stands at the beginning of the system prompt and what is appended; ``""`` leaves it to the agent."""
    append = spec.system_prompt_append
    if spec.definition is None:
        return spec.instructions or (spec.shared_instructions if takes_instructions else ""), append
    own = prompt_of(spec.definition)
    return (own, append) if takes_instructions else ("", "\n\n".join(filter(None, [own, append])))


def _started(spec: TurnSpec, adapter: Adapter, conversation_id: str) -> TurnStarted:
    return TurnStarted(
        prompt=spec.task,
        agent=adapter.name,
        definition=spec.definition.name if spec.definition is not None else UNSET,
        model=spec.model if spec.model is not None else UNSET,
        approval_mode=spec.approval_mode,
        plan_mode=spec.plan_mode,
        workspace=_place(spec.workspace),
        conversation_id=conversation_id,
        capabilities=adapter.capabilities.names,
    )


def _place(workspace: Path) -> str:
    branch = branch_of(workspace)
    return tilde(str(workspace)) + (f" on {branch}" if branch else "")


def record_of(spec: TurnSpec, handle: CodingHandle, started_at: float) -> TurnRecord:
    """Return what the store is to know of a turn; `started_at` in Unix seconds."""
    return TurnRecord(
        id=handle.turn_id,
        conversation_id=handle.conversation_id,
        prompt=spec.task,
        agent=handle.agent,
        model=spec.model or "",
        approval_mode=spec.approval_mode,
        workspace=str(spec.workspace),
        cell_id=spec.cell_id,
        notebook=str(spec.open_notebook) if spec.open_notebook else None,
        pid=os.getpid(),
        started_at=started_at,
    )
