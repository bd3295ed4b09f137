"""What a turn comes to: the value of awaiting a handle."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from nbharness.events import Usage

__all__ = ["CodingError", "CodingOutput", "CodingResult", "CodingValue", "ResultStatus"]

ResultStatus: TypeAlias = Literal["completed", "error", "aborted", "max_turns", "max_duration"]


class _Result(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of the result's parts; camelCase on the wire."""


class CodingValue(_Result, frozen=True, kw_only=True):
    """What the agent did, by its own account.

    Attributes:
        modified_files: Paths named by the turn's write and edit calls that did not fail, in order, each once. What
            the agent says it changed, not proof.
        metadata: Facts about the outcome, such as ``refused`` and ``artifacts``.
    """

    modified_files: list[str] = msgspec.field(default_factory=list)
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)


class CodingOutput(_Result, frozen=True, kw_only=True):
    """The agent's words and deeds.

    Attributes:
        text: The last answer; ``""`` when there is none.
        value: What it did.
    """

    text: str = ""
    value: CodingValue = msgspec.field(default_factory=CodingValue)


class CodingError(_Result, frozen=True, kw_only=True):
    """Why a turn did not complete.

    Attributes:
        message: What went wrong and how to go on.
        code: ``rate_limited``, ``context_exhausted``, ``sdk_error``, ``agent_exited``, ``protocol``, ``auth``,
            ``max_turns``, ``untrusted``, ``aborted``, ``timeout``, ``budget``, ``interrupted`` or ``unknown``.
        retry_after: Seconds until the provider takes requests again, when the code is ``rate_limited``.
    """

    message: str
    code: str = "unknown"
    retry_after: float | None = None


class CodingResult(_Result, frozen=True, kw_only=True):
    """The settled outcome of a turn; the same object however often it is asked for.

    Attributes:
        status: How it ended.
        session_id: The agent's session, which resumes it; the turn's conversation when the agent has none.
        output: The agent's words and deeds.
        usage: What it consumed, as far as the agent says.
        error: Set unless the status is ``completed``.
        duration_ms: Milliseconds from start to end by the monotonic clock, waiting for people included.
    """

    status: ResultStatus
    session_id: str
    output: CodingOutput = msgspec.field(default_factory=CodingOutput)
    usage: Usage | None = None
    error: CodingError | None = None
    duration_ms: int = 0
