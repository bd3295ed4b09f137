"""What answers before a person is asked: rules, the permission mode, plan mode and the notebook on view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbharness.approvals.open_notebook import reaches_notebook
from nbharness.approvals.values import ApprovalMode, ApprovalRequest, Decision
from nbharness.policy import Call, Policy, Rule, args_hash, command_of, paths_of

__all__ = ["StandingAnswers"]


class StandingAnswers:
    """The standing answers of one turn: deny before ask before allow, rules before the mode.

    Args:
        agent: Agent that asks.
        workspace: Its directory.
        mode: Permission mode.
        policy: The rules.
        plan_mode: Reject what changes something until :meth:`plan_approved`.
        open_notebook: The notebook on view; writes to it always ask.
        remember: Keeps a rule beyond this process.

    Attributes:
        mode: Permission mode.
    """

    def __init__(
        self,
        *,
        agent: str,
        workspace: Path,
        mode: ApprovalMode,
        policy: Policy,
        plan_mode: bool,
        open_notebook: Path | None,
        remember: Callable[[Rule], None] | None,
    ) -> None:
        self.mode = mode
        self._agent = agent
        self._workspace = workspace
        self._policy = policy
        self._awaiting_plan = plan_mode
        self._open_notebook = open_notebook
        self._remember = remember

    def plan_approved(self) -> None:
        """What changes something is allowed to ask from now on."""
        self._awaiting_plan = False

    def concern(self, request: ApprovalRequest) -> bool:
        """True when a rule keeps a request from running, even one that changes nothing.

        Raises:
            ConfigError: A callback of the policy gave no answer.
        """
        verdict = self._policy.answer(self._call(request))
        return verdict is not None and verdict.effect != "allow"

    def guard(self, request: ApprovalRequest) -> bool:
        """True when a request would write to the notebook on view."""
        notebook = self._open_notebook
        return notebook is not None and reaches_notebook(request, self._workspace, notebook)

    def answer(self, request: ApprovalRequest, *, guarded: bool) -> Decision | None:
        """Return the answer, or ``None`` when a person is to be asked.

        Args:
            request: What an agent wants.
            guarded: It would write to the notebook on view.

        Raises:
            ConfigError: A callback of the policy gave no answer.
        """
        if request.person_only:
            return None
        verdict = self._policy.answer(self._call(request))
        if verdict is not None and verdict.effect == "deny":
            return Decision(status="rejected", by="rule", args=request.args, reason=verdict.rule)
        if self._awaiting_plan and request.mutates:
            reason = "plan mode: nothing is changed before a plan is approved"
            return Decision(status="rejected", by="mode", args=request.args, reason=reason)
        if guarded or (verdict is not None and verdict.effect == "ask"):
            return None
        if verdict is not None:
            return Decision(status="approved", by="rule", args=request.args, reason=verdict.rule)
        if self.mode != "require" and not request.every_mode:
            return Decision(status="approved", by="mode", args=request.args)
        return None

    def keep(self, tool: str, args: Any) -> None:
        """Allow a tool with exactly these arguments from now on, here and for this agent.

        Raises:
            ConfigError: It counts, but cannot be remembered beyond this process.
        """
        rule = Rule(
            effect="allow",
            tool=tool,
            args_hash=args_hash(tool, args),
            agent=self._agent,
            workspace=str(self._workspace),
            label=command_of(args) or " ".join(paths_of(args)) or tool,
        )
        self._policy.add(rule)
        if self._remember is not None:
            self._remember(rule)

    def _call(self, request: ApprovalRequest) -> Call:
        return Call(
            agent=self._agent,
            workspace=str(self._workspace),
            tool=request.tool_name,
            args=request.args,
            kind=request.kind,
            paths=tuple(diff.path for diff in request.diffs),
        )
