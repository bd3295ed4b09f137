"""The approval desk: the only place that decides what an agent may do, and the only writer of that fact.

An adapter asks; rules answer first, then the permission mode, then a person through any door (widget, HTTP, command
line, Python). The answer is bound to the approval's id and the hash of the arguments that were shown. The first answer
wins, the same answer twice changes nothing, another one is a conflict. What still waits dies with the turn. When nobody
can answer, the answer is no.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from nbharness.approvals.entries import (
    Entry,
    GivenAnswer,
    check_answer,
    decision_of,
    plan_entry,
    proposed,
    request_entry,
    required,
    updated,
)
from nbharness.approvals.open_notebook import with_warning
from nbharness.approvals.questions import QuestionDesk
from nbharness.approvals.standing import StandingAnswers
from nbharness.approvals.values import ApprovalMode, ApprovalRequest, Decision, PlanAnswer
from nbharness.audience import Audience
from nbharness.errors import AdapterProtocolError, UnknownApproval
from nbharness.events import Event, Unknown, sound_value
from nbharness.inputs import ApprovalDecision, PlanDecision, QuestionAnswer, ToolResponse
from nbharness.policy import Policy, Rule

__all__ = ["ApprovalDesk"]

_RAW_CHARS = 1000


class ApprovalDesk:
    """The approvals of one turn. Everything runs on the loop of the turn.

    Args:
        agent: Agent that asks.
        workspace: Its directory.
        mode: Permission mode.
        policy: Rules that answer first.
        audience: Who could answer.
        emit: Takes the desk's events.
        plan_mode: Reject what changes something until a plan is approved.
        open_notebook: The notebook on view; writes to it always ask.
        timeout_s: Seconds until an approval expires, or ``None``.
        remember: Keeps a rule beyond this process.
    """

    def __init__(
        self,
        *,
        agent: str,
        workspace: Path,
        mode: ApprovalMode,
        policy: Policy,
        audience: Audience,
        emit: Callable[[Event], None],
        plan_mode: bool = False,
        open_notebook: Path | None = None,
        timeout_s: float | None = None,
        remember: Callable[[Rule], None] | None = None,
    ) -> None:
        self._agent = agent
        self._audience = audience
        self._emit = emit
        self._timeout_s = timeout_s
        self._standing = StandingAnswers(
            agent=agent,
            workspace=workspace,
            mode=mode,
            policy=policy,
            plan_mode=plan_mode,
            open_notebook=open_notebook,
            remember=remember,
        )
        self._entries: dict[str, Entry] = {}
        self._closed = False
        self.refused = 0
        self.on_change: Callable[[], None] = lambda: None
        """Called when something begins or stops to wait."""
        self.questions = QuestionDesk(audience=audience, emit=emit, timeout_s=timeout_s, on_change=self._changed)
        """Where the agent's questions are answered."""

    def _changed(self) -> None:
        self.on_change()

    @property
    def waiting(self) -> list[str]:
        """Ids of approvals and plans that wait for an answer, oldest first, then those of questions."""
        return [entry.id for entry in self._entries.values() if entry.status == "pending"] + self.questions.waiting

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Return the answer to a request; wait for a person when neither rule nor mode answers.

        Cancelling the caller withdraws the question.

        Raises:
            AdapterProtocolError: The request has a field of the wrong kind.
            ConfigError: A callback of the policy gave no answer.
        """
        # What is allowed is what was shown, also where arguments had to be repaired to be shown at all.
        request = msgspec.structs.replace(request, args=sound_value(request.args))
        if not request.mutates and not self._standing.concern(request):
            return Decision(status="approved", by="mode", args=request.args)
        if self._closed:
            return Decision(status="cancelled", by="turn", args=request.args)
        guarded = self._standing.guard(request)
        answered = self._standing.answer(request, guarded=guarded)
        if answered is not None and answered.approved and answered.by == "mode" and self._standing.mode == "off":
            return answered
        if guarded:
            request = with_warning(request)
        entry = request_entry(len(self._entries) + 1, request)
        asks = guarded or request.person_only or request.every_mode
        by_itself = self._standing.mode != "require" and not asks
        shown = required(entry, request, auto_approvable=by_itself)
        if isinstance(shown, Unknown):
            message = f"the agent {self._agent!r} asked for approval with a field of the wrong kind"
            raise AdapterProtocolError(message, str(request)[:_RAW_CHARS])
        self._entries[entry.id] = entry
        self._emit(shown)
        return await self._from_person(entry) if answered is None else self._settle(entry, answered)

    async def propose(self, plan: str) -> PlanAnswer:
        """Put a plan before a person and return the answer."""
        if self._closed:
            return PlanAnswer(approved=False, plan=plan, by="turn")
        entry = plan_entry(len(self._entries) + 1, plan)
        self._entries[entry.id] = entry
        self._emit(proposed(entry))
        if self._standing.mode != "require":
            decision = self._settle(entry, Decision(status="approved", by="mode", args=plan))
        else:
            decision = await self._from_person(entry)
        if decision.approved:
            self._standing.plan_approved()
        return PlanAnswer(approved=decision.approved, plan=decision.args, reason=decision.reason, by=decision.by)

    def resolve(self, answer: ApprovalDecision | PlanDecision | QuestionAnswer | ToolResponse, by: str) -> None:
        """Take an answer from any door.

        Args:
            answer: The answer.
            by: Who gives it: ``user``, ``terminal`` or ``code``.

        Raises:
            UnknownApproval: Nothing by that id was asked in this turn.
            ApprovalConflict: It was answered otherwise, or for other arguments, or with a choice not offered.
            ConfigError: The answer counts, but cannot be remembered.
        """
        if isinstance(answer, QuestionAnswer):
            self.questions.resolve(answer, by)
            return
        if isinstance(answer, ToolResponse):
            answer = self._for_call(answer)
        entry = self._entries.get(answer.id)
        if entry is None or isinstance(answer, PlanDecision) is not (entry.request is None):
            raise UnknownApproval(answer.id, self.waiting)
        check_answer(entry, answer)
        if entry.status != "pending":
            return
        self._settle(entry, decision_of(entry, answer, by), answer)
        if isinstance(answer, ApprovalDecision):
            self._beyond_this_one(entry, answer, by)

    def cancel_all(self) -> None:
        """The turn ends: nothing waits any more and nothing can be asked."""
        self._closed = True
        for entry in list(self._entries.values()):
            if entry.status == "pending":
                self._settle(entry, Decision(status="cancelled", by="turn", args=entry.shown))
        self.questions.cancel_all()

    async def _from_person(self, entry: Entry) -> Decision:
        args, request = entry.shown, entry.request
        self.on_change()
        try:
            if not await self._audience.present() and entry.status == "pending":
                self.refused += 1
                reason = "nobody could answer"
                if request is None or not request.person_only:
                    reason += "; use --approval auto or a rule when nobody watches"
                return self._settle(entry, Decision(status="rejected", by="nobody", args=args, reason=reason))
            await asyncio.wait({entry.answer}, timeout=self._timeout_s)
            if not entry.answer.done():
                reason = f"no answer within {self._timeout_s:g} s"
                self._settle(entry, Decision(status="expired", by="nobody", args=args, reason=reason))
            return entry.answer.result()
        finally:
            # Whoever asked gave up, or nobody can tell who could answer; without effect once it is answered.
            self._settle(entry, Decision(status="cancelled", by="turn", args=args))

    def _settle(self, entry: Entry, decision: Decision, given: GivenAnswer | None = None) -> Decision:
        if entry.status != "pending":
            return entry.answer.result()
        entry.status, entry.given = decision.status, given
        entry.answer.set_result(decision)
        self._emit(updated(entry, decision))
        self.on_change()
        return decision

    def _for_call(self, response: ToolResponse) -> ApprovalDecision:
        decision: Literal["approve", "reject"] = "approve" if response.approved else "reject"
        for entry in reversed(self._entries.values()):
            if entry.request is not None and entry.request.tool_call_id == response.call_id:
                return ApprovalDecision(id=entry.id, decision=decision)
        raise UnknownApproval(response.call_id, self.waiting)

    def _beyond_this_one(self, entry: Entry, answer: ApprovalDecision, by: str) -> None:
        request = entry.request
        if answer.decision != "approve" or request is None:
            return
        if answer.scope == "turn":
            covered = self.waiting if isinstance(answer.covers, msgspec.UnsetType) else answer.covers
            for other in [self._entries[id_] for id_ in self.waiting if id_ in covered and id_ in self._entries]:
                if other.request is not None:
                    self._settle(other, Decision(status="approved", by=by, args=other.request.args))
        if answer.remember:
            # What was allowed, which need not be what was asked.
            self._standing.keep(request.tool_name, entry.answer.result().args)
