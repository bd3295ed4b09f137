"""Puts a turn together: its feed, its desk, its evidence and the question of trust, from what was asked for."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET

from nbharness.adapters.base import Adapter, TurnRequest
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
from nbharness.trust import TrustBook, TrustCheck
from nbharness.turn import Turn
from nbharness.turn_hooks import Spawn

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
            prepare=self._trust_check(spec, conversation.adapter),
            evidence=WorkspaceEvidence(spec.workspace, home() / "shadow", self._own_files),
        )
        return turn, feed

    def _trust_check(self, spec: TurnSpec, adapter: Adapter) -> TrustCheck | None:
        if spec.trust_project or not adapter.capabilities.project_config:
            return None
        return TrustCheck(adapter.name, spec.workspace, self._trusted)


def request_of(spec: TurnSpec, turn_id: str, adapter: Adapter) -> TurnRequest:
    """Return what an agent is to be told of a turn."""
    shared = spec.shared_mcp_servers if adapter.capabilities.mcp_servers else ()
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
        instructions=spec.instructions or (spec.shared_instructions if adapter.capabilities.instructions else ""),
        system_prompt_append=spec.system_prompt_append,
        environment=spec.environment,
        mcp_servers=spec.mcp_servers or shared,
        tools=spec.tools,
        rules=tuple(rule for rule in spec.rules if rule.agent in {"", adapter.name}),
        options=spec.options,
    )


def _started(spec: TurnSpec, adapter: Adapter, conversation_id: str) -> TurnStarted:
    return TurnStarted(
        prompt=spec.task,
        agent=adapter.name,
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
