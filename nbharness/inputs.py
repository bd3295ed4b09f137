"""What goes the other way: messages, decisions and the wish to stop (the ``CodingInput`` of a turn).

Every door (widget, HTTP, command line, Python) sends one of these; none of them writes state. On the wire each is an
object with a ``type``, fields in camelCase.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

__all__ = [
    "Abort",
    "ApprovalDecision",
    "CodingInput",
    "Message",
    "PlanDecision",
    "QuestionAnswer",
    "Redo",
    "ToolResponse",
    "Undo",
    "Withdraw",
    "parse_input",
]


class _Input(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    """Base of all inputs."""


class Message(_Input, frozen=True, kw_only=True, tag="message"):
    """A further message for the agent."""

    text: str
    """The message, verbatim; must not be empty."""
    when: Literal["now", "after"] = "now"
    """``now`` reaches the agent while it works, if it can take that; ``after`` when it has finished its answer."""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("a message must not be empty")


class Withdraw(_Input, frozen=True, kw_only=True, tag="withdraw"):
    """Take back a message that is queued."""

    id: str
    """The queued message, as in ``message.queued``."""


class ToolResponse(_Input, frozen=True, kw_only=True, tag="tool_response"):
    """A plain yes or no to the approval that a tool call waits for."""

    call_id: str
    """The tool call, as in ``tool.start``."""
    approved: bool
    """The answer."""


class ApprovalDecision(_Input, frozen=True, kw_only=True, tag="approval"):
    """An answer to one approval, bound to the arguments that were shown."""

    id: str
    """Approval id."""
    decision: Literal["approve", "reject"]
    """The answer."""
    args_hash: str | UnsetType = UNSET
    """Hash named by ``approval.required``; required from a front end, optional from code."""
    args: Any | UnsetType = UNSET
    """Edited arguments to run instead; only with ``approve``."""
    reason: str | UnsetType = UNSET
    """Why it is rejected; goes to the agent."""
    scope: Literal["one", "turn"] = "one"
    """``turn`` approves everything that waits in this turn now, nothing later; only with ``approve``."""
    covers: list[str] | UnsetType = UNSET
    """With scope ``turn``, the approvals that were on view; what came up meanwhile still waits. Required from a front
    end, optional from code."""
    remember: bool = False
    """Keep the answer for exactly these arguments, this agent and this workspace; only with ``approve``."""
    stop: bool = False
    """Also stop the turn; only with ``reject``."""
    option_id: str | UnsetType = UNSET
    """One of the answers that the agent itself offered; it must come to the same decision."""

    def __post_init__(self) -> None:
        given = {"args": self.args is not UNSET, "scope": self.scope == "turn", "remember": self.remember}
        _refuse(given, self.decision, only_with="approve")
        _refuse({"stop": self.stop}, self.decision, only_with="reject")


class PlanDecision(_Input, frozen=True, kw_only=True, tag="plan"):
    """An answer to a proposed plan."""

    id: str
    """Plan id."""
    decision: Literal["approve", "reject"]
    """The answer."""
    plan_hash: str | UnsetType = UNSET
    """Hash named by ``plan.proposed``; required from a front end, optional from code."""
    plan: str | UnsetType = UNSET
    """The edited plan; only with ``approve``."""
    reason: str | UnsetType = UNSET
    """Why it is rejected; goes to the agent."""

    def __post_init__(self) -> None:
        _refuse({"plan": self.plan is not UNSET}, self.decision, only_with="approve")


class QuestionAnswer(_Input, frozen=True, kw_only=True, tag="question"):
    """Answers to what the agent asked."""

    id: str
    """Id of what was asked."""
    answers: dict[str, list[str]] | UnsetType = UNSET
    """Chosen labels or written text, by question id."""
    skip: bool = False
    """Answer nothing; the agent goes on without."""

    def __post_init__(self) -> None:
        if self.skip is (self.answers is not UNSET):
            raise ValueError("give answers or skip, one of the two")


class Undo(_Input, frozen=True, kw_only=True, tag="undo"):
    """Put the files that a settled turn changed back to what they were."""


class Redo(_Input, frozen=True, kw_only=True, tag="redo"):
    """Take an undo back."""


class Abort(_Input, frozen=True, kw_only=True, tag="abort"):
    """Stop the turn. Doing it twice, or after the end, changes nothing."""

    reason: str | UnsetType = UNSET
    """One sentence for the transcript."""


CodingInput: TypeAlias = (
    Message | Withdraw | ToolResponse | ApprovalDecision | PlanDecision | QuestionAnswer | Undo | Redo | Abort
)
"""Everything a turn can be told."""


def parse_input(value: object) -> CodingInput:
    """Read an input that came from outside.

    Args:
        value: A JSON-like object, fields in camelCase or, from Python, in snake_case.

    Raises:
        ValueError: If it is none of the inputs; the message says what is wrong.
    """
    if isinstance(value, dict):
        value = {_camel(str(key)): item for key, item in value.items()}
    try:
        parsed: CodingInput = msgspec.convert(value, CodingInput)
    except msgspec.ValidationError as error:
        message = (
            f"not an input: {error}. "
            "Valid types: message {text}, withdraw {id}, tool_response {callId, approved}, approval {id, decision}, "
            "plan {id, decision}, question {id, answers}, undo {}, redo {}, abort {}"
        )
        raise ValueError(message) from error
    return parsed


def _refuse(given: dict[str, bool], decision: str, *, only_with: str) -> None:
    misplaced = [name for name, is_given in given.items() if is_given]
    if misplaced and decision != only_with:
        raise ValueError(f"{misplaced[0]} goes with {only_with!r} only, not with {decision!r}")


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.title() for part in tail)
