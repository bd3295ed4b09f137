"""The exceptions of nbharness.

::

    NbHarnessError
      ConfigError            a setting or option is wrong
        UnknownName          a name that is not in a known set (agent, option value, conversation, isolation strategy)
        NotSupported         an option that this agent cannot honour
        BrokenDefinition     an agent that the project declares cannot be used
      AdapterError           an agent could not be driven
        AdapterNotInstalled  its program or library is missing
        AdapterProcessError  its process failed or died
        AdapterProtocolError it said something we cannot read
        RateLimited          its provider asks us to wait
        ContextExhausted     the conversation does not fit into its model any more
        AuthNeeded           nobody is signed in to its provider
        Untrusted            nobody said that what its workspace would run may run
      TurnError              a turn did not complete
        TurnFailed           it failed; from iterating a handle, and from an agent's tool form
        TurnAborted          it was stopped; from an agent's tool form
        TurnDetached         a waiting cell gave way; the turn goes on
      ApprovalError          an answer that has no effect
        UnknownApproval      nothing by that id waits here
        ApprovalConflict     it was already answered otherwise, or for other arguments
      WorkspaceError         the workspace cannot be used
      StoreError             stored conversations cannot be read or written

Every message says what, which value, and what is valid or how to fix it; the facts are attributes too.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "AdapterError",
    "AdapterNotInstalled",
    "AdapterProcessError",
    "AdapterProtocolError",
    "ApprovalConflict",
    "ApprovalError",
    "AuthNeeded",
    "BrokenDefinition",
    "ConfigError",
    "ContextExhausted",
    "NbHarnessError",
    "NotSupported",
    "RateLimited",
    "StoreError",
    "TurnAborted",
    "TurnDetached",
    "TurnError",
    "TurnFailed",
    "UnknownApproval",
    "UnknownName",
    "Untrusted",
    "WorkspaceError",
]


class NbHarnessError(Exception):
    """Base of everything nbharness raises on purpose."""


class ConfigError(NbHarnessError, ValueError):
    """A setting or option has a value that cannot be used."""


class UnknownName(ConfigError):
    """A name that is not in a known set.

    Attributes:
        kind: What was named, such as ``agent``.
        name: The name.
        valid: The names that exist, sorted.
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.valid = sorted(valid)
        super().__init__(f"unknown {kind}: {name!r}. Valid: {', '.join(self.valid) or 'none'}")


class NotSupported(ConfigError):
    """An option that the chosen agent cannot honour.

    Attributes:
        agent: The agent.
        option: The option.
    """

    def __init__(self, agent: str, option: str, hint: str) -> None:
        self.agent = agent
        self.option = option
        super().__init__(f"the agent {agent!r} does not support {option}: {hint}")


class BrokenDefinition(ConfigError):
    """An agent that a project declares cannot be used.

    Attributes:
        path: The file, relative to the workspace.
        line: Line in it, from 1, or ``None`` when it is about the whole file.
        problem: What is wrong.
    """

    def __init__(self, path: str, line: int | None, problem: str) -> None:
        self.path = path
        self.line = line
        self.problem = problem
        super().__init__(f"{path}:{line}: {problem}" if line else f"{path}: {problem}")


class AdapterError(NbHarnessError):
    """An agent could not be driven.

    Attributes:
        code: Error code of the turn that fails with this.
    """

    code = "sdk_error"


class AdapterNotInstalled(AdapterError):
    """The agent's program or library is missing.

    Attributes:
        agent: The agent.
        install: The command that installs it.
    """

    def __init__(self, agent: str, install: str) -> None:
        self.agent = agent
        self.install = install
        super().__init__(f"the agent {agent!r} is not installed. Install it with: {install}")


class AdapterProcessError(AdapterError):
    """The agent's process could not be started, failed or died.

    Attributes:
        exit_code: Exit status, or ``None`` when a signal ended it or it never ran.
        signal: Signal number that ended it, or ``None``.
        stderr: The last of what it wrote to standard error.
    """

    code = "agent_exited"

    def __init__(
        self, message: str, *, exit_code: int | None = None, signal: int | None = None, stderr: str = ""
    ) -> None:
        self.exit_code = exit_code
        self.signal = signal
        self.stderr = stderr
        super().__init__(message)


class AdapterProtocolError(AdapterError):
    """The agent said something we cannot go on from.

    Attributes:
        raw: What it said, cut to a readable length.
    """

    code = "protocol"

    def __init__(self, message: str, raw: str = "") -> None:
        self.raw = raw[:2000]
        super().__init__(message)


class RateLimited(AdapterError):
    """The provider takes no requests for now.

    Attributes:
        retry_after: Seconds until it does, or ``None`` when it did not say.
    """

    code = "rate_limited"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class ContextExhausted(AdapterError):
    """The conversation does not fit into the agent's model any more."""

    code = "context_exhausted"


class AuthNeeded(AdapterError):
    """Nobody is signed in to the agent's provider, or its key is refused.

    Attributes:
        agent: The agent.
        how: What to do about it.
    """

    code = "auth"

    def __init__(self, agent: str, how: str) -> None:
        self.agent = agent
        self.how = how
        super().__init__(f"the agent {agent!r} is not signed in: {how}")


class Untrusted(AdapterError):
    """The workspace carries files that the agent would run, and nobody said that they may."""

    code = "untrusted"


class TurnError(NbHarnessError):
    """A turn did not complete.

    Attributes:
        turn_id: The turn.
        code: Error code of its outcome.
    """

    def __init__(self, message: str, *, turn_id: str, code: str = "unknown") -> None:
        self.turn_id = turn_id
        self.code = code
        super().__init__(message)


class TurnFailed(TurnError):
    """The turn failed: raised by iterating a handle, after its last event, and by ``CodingAgent.execute``."""


class TurnAborted(TurnError):
    """The turn was stopped: raised by ``CodingAgent.execute``; iterating and awaiting a handle just end."""


class TurnDetached(TurnError):
    """A waiting cell gave way because no view answered; the turn goes on."""

    def _render_traceback_(self) -> list[str]:
        """Tell IPython to show the sentence and no stack, which would explain nothing."""
        return [f"TurnDetached: {self}"]


class ApprovalError(NbHarnessError):
    """An answer to an approval or plan that has no effect."""


class UnknownApproval(ApprovalError):
    """Nothing by that id was asked in this turn.

    Attributes:
        id: The id.
    """

    def __init__(self, id: str, waiting: Iterable[str]) -> None:  # noqa: A002 (the wire's word)
        self.id = id
        waits = ", ".join(waiting) or "nothing"
        super().__init__(f"no approval {id!r} in this turn. Waiting now: {waits}")


class ApprovalConflict(ApprovalError):
    """It was answered otherwise before, or the answer is for other arguments than those that wait.

    Attributes:
        id: Approval id.
        recorded: The status that stands, or ``pending``.
    """

    def __init__(self, id: str, recorded: str, why: str) -> None:  # noqa: A002 (the wire's word)
        self.id = id
        self.recorded = recorded
        super().__init__(f"approval {id!r}: {why}")


class WorkspaceError(NbHarnessError):
    """The workspace cannot be used.

    Attributes:
        path: The directory.
    """

    def __init__(self, message: str, path: str) -> None:
        self.path = path
        super().__init__(message)


class StoreError(NbHarnessError):
    """Stored conversations cannot be read or written."""
