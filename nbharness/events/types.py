"""Everything an agent does in a turn, as immutable values: one class is one event.

The payload fields without a default are the contract of the original browser schema and are always on the wire
(``null`` when unknown); fields that default to ``UNSET`` are ours and are left out when nothing is known. Ids, order
and clock live in the envelope, so two events with the same content compare equal.

A turn is ``turn.started``, then anything else, then exactly one of ``turn.completed``, ``turn.failed`` and
``turn.aborted``.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.events.asking import (
    ApprovalRequired,
    ApprovalUpdated,
    PlanApproved,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
)
from nbharness.events.base import WireEvent
from nbharness.events.values import Choice, FileDiff, SlashCommand, Todo, ToolKind, Usage


class TurnStarted(WireEvent, frozen=True, kw_only=True, tag="turn.started"):
    """First event of every turn."""

    prompt: str | UnsetType = UNSET
    """What the user asked, verbatim."""
    agent: str | UnsetType = UNSET
    """Name of the adapter that drives the agent."""
    definition: str | UnsetType = UNSET
    """Agent declared by the project that it works as."""
    model: str | UnsetType = UNSET
    """Model the agent was asked to use."""
    approval_mode: Literal["require", "auto", "off"] | UnsetType = UNSET
    """Permission mode of this turn."""
    plan_mode: bool | UnsetType = UNSET
    """True when the agent must propose a plan before it changes anything."""
    workspace: str | UnsetType = UNSET
    """Where the agent works, for people: its directory, the home directory shown as ``~``, and the git branch."""
    conversation_id: str | UnsetType = UNSET
    """Our conversation."""
    capabilities: list[str] | UnsetType = UNSET
    """What the agent can do, such as ``steer``; see ``Capabilities`` of the adapters."""


class SessionStarted(WireEvent, frozen=True, kw_only=True, tag="session.started"):
    """The agent opened or resumed its own session; at most once a turn, any time after ``turn.started``."""

    session_id: str
    """The agent's id, which resumes the session later."""
    model: str | UnsetType = UNSET
    """Model the agent says it uses."""


class SessionUpdated(WireEvent, frozen=True, kw_only=True, tag="session.updated"):
    """The agent says what its session is like; a field that is given replaces what was known."""

    mode: str | UnsetType = UNSET
    """Id of the mode it is in."""
    modes: list[Choice] | UnsetType = UNSET
    """Modes it can be in."""
    model: str | UnsetType = UNSET
    """Id of the model it uses."""
    models: list[Choice] | UnsetType = UNSET
    """Models it can use."""
    commands: list[SlashCommand] | UnsetType = UNSET
    """Commands it takes."""
    title: str | UnsetType = UNSET
    """What it calls the session."""


class MessageUser(WireEvent, frozen=True, kw_only=True, tag="message.user"):
    """A further message of the user reached the agent during the turn."""

    text: str
    """The message, verbatim."""
    id: str | UnsetType = UNSET
    """The message that was queued before under this id."""


class MessageQueued(WireEvent, frozen=True, kw_only=True, tag="message.queued"):
    """A message of the user waits for the agent to finish its answer.

    ``message.user`` or ``message.withdrawn`` with the same id follows before the turn ends.
    """

    id: str
    """Message id, unique in the turn."""
    text: str
    """The message, verbatim."""


class MessageWithdrawn(WireEvent, frozen=True, kw_only=True, tag="message.withdrawn"):
    """A queued message will not reach the agent: it was taken back, or the turn ended before its time came."""

    id: str
    """The queued message."""


class MessageDelta(WireEvent, frozen=True, kw_only=True, tag="message.delta"):
    """More text of the agent's answer; append it to the message that is open."""

    delta: str
    """Text to append, Markdown."""
    message_id: str | UnsetType = UNSET
    """Another id than the last delta's begins a new message."""
    parent_id: str | UnsetType = UNSET
    """Tool call of the sub-agent that speaks."""


class MessageThinking(WireEvent, frozen=True, kw_only=True, tag="message.thinking"):
    """More of the agent's reasoning; append it to the thinking that is open."""

    delta: str
    """Text to append."""
    parent_id: str | UnsetType = UNSET
    """Tool call of the sub-agent that thinks."""


class ToolStart(WireEvent, frozen=True, kw_only=True, tag="tool.start"):
    """A tool call began. Exactly one ``tool.end`` with the same id follows before the turn ends."""

    id: str
    """Tool call id, unique in the turn."""
    name: str
    """Tool name as the agent gives it."""
    args: Any
    """Arguments as the agent gives them; normally an object."""
    parent_id: str | UnsetType = UNSET
    """Tool call of the sub-agent that calls."""
    kind: ToolKind | UnsetType = UNSET
    """What the tool does, when the adapter knows."""
    title: str | UnsetType = UNSET
    """What the agent calls this very call, for people."""


class ToolDelta(WireEvent, frozen=True, kw_only=True, tag="tool.delta"):
    """More output of a running tool call."""

    id: str
    """Tool call id."""
    name: str
    """Tool name."""
    partial: str
    """Output to append; may hold ANSI escapes and carriage returns."""


class ToolEnd(WireEvent, frozen=True, kw_only=True, tag="tool.end"):
    """A tool call ended."""

    id: str
    """Tool call id."""
    name: str
    """Tool name."""
    output: Any
    """The whole result; text normally. When it is ``null`` the deltas are the output."""
    is_error: bool
    """True when the tool failed."""
    duration_ms: int | float | None
    """Milliseconds the call took; ``null`` when unknown."""
    exit_code: int | UnsetType = UNSET
    """Exit status when the tool was a command."""
    diffs: list[FileDiff] | UnsetType = UNSET
    """Files the call changed."""
    synthetic: bool | UnsetType = UNSET
    """True when we closed the call because the agent never did."""


class TodosUpdated(WireEvent, frozen=True, kw_only=True, tag="todos.updated"):
    """The agent's checklist, whole, each time it changes."""

    todos: list[Todo]
    """All lines in order."""


class UsageUpdated(WireEvent, frozen=True, kw_only=True, tag="usage.updated"):
    """What the turn consumed so far; each one replaces the last."""

    usage: Usage
    """Totals of this turn."""


class WorkspaceChanged(WireEvent, frozen=True, kw_only=True, tag="workspace.changed"):
    """What is different in the workspace since the turn began, whoever did it and whether or not it was asked.

    At most once a turn, right before its end. Made from two snapshots, not from what the agent says.
    """

    diffs: list[FileDiff]
    """Files in order of their paths."""
    files: int = 0
    """Files that differ; more than there are `diffs` when some were left out."""
    added: int = 0
    """Lines added in all of them."""
    removed: int = 0
    """Lines removed in all of them."""
    ignored: list[str] = msgspec.field(default_factory=list)
    """Paths that git ignores and that appeared; no diff shows their content."""
    nested: list[str] = msgspec.field(default_factory=list)
    """Repositories inside the workspace; no diff shows their content."""
    stale_modules: list[str] = msgspec.field(default_factory=list)
    """Imported modules of this kernel whose files differ."""
    undoable: bool = False
    """True when the turn can be undone."""
    baseline: str | UnsetType = UNSET
    """Id of the git tree from before the turn, in the shadow repository."""
    result: str | UnsetType = UNSET
    """Id of the git tree after the turn."""


class Notice(WireEvent, frozen=True, kw_only=True, tag="notice"):
    """Something the reader should know that is no fault: a limit, a retry, output that was left out."""

    message: str
    """One or two sentences, plain text."""
    level: Literal["info", "warning"] = "info"
    """How much it matters."""


class Error(WireEvent, frozen=True, kw_only=True, tag="error"):
    """Something went wrong and the turn goes on."""

    error: str
    """What went wrong, plain text."""
    code: str | UnsetType = UNSET
    """Short machine-readable kind, such as ``protocol`` or ``line_too_long``."""


class TurnCompleted(WireEvent, frozen=True, kw_only=True, tag="turn.completed"):
    """The agent finished. Terminal."""

    response: str | None
    """The agent's last answer; ``null`` when it gave none."""
    usage: Usage | UnsetType = UNSET
    """Totals of this turn."""
    metadata: dict[str, Any] | UnsetType = UNSET
    """Facts about the outcome, such as ``refused`` (approvals nobody could answer) and ``artifacts``."""


class TurnFailed(WireEvent, frozen=True, kw_only=True, tag="turn.failed"):
    """The agent failed, died, or reached a limit of its own. Terminal."""

    error: str
    """What went wrong and how to go on, plain text."""
    code: str | UnsetType = UNSET
    """``sdk_error``, ``agent_exited``, ``protocol``, ``auth``, ``rate_limited``, ``context_exhausted``,
    ``max_turns`` or ``untrusted``."""
    retry_after: float | UnsetType = UNSET
    """Seconds until the provider takes requests again."""
    usage: Usage | UnsetType = UNSET
    """Totals of this turn."""


class TurnAborted(WireEvent, frozen=True, kw_only=True, tag="turn.aborted"):
    """The turn was stopped from outside the agent. Terminal."""

    code: Literal["aborted", "timeout", "budget", "interrupted"] | UnsetType = UNSET
    """Why: a person or program, the turn timeout, a budget, or a process that died."""
    reason: str | UnsetType = UNSET
    """One sentence."""
    usage: Usage | UnsetType = UNSET
    """Totals of this turn."""


Event: TypeAlias = (
    TurnStarted
    | SessionStarted
    | SessionUpdated
    | MessageUser
    | MessageQueued
    | MessageWithdrawn
    | MessageDelta
    | MessageThinking
    | ToolStart
    | ToolDelta
    | ToolEnd
    | ApprovalRequired
    | ApprovalUpdated
    | QuestionAsked
    | QuestionAnswered
    | PlanProposed
    | PlanApproved
    | PlanRejected
    | TodosUpdated
    | UsageUpdated
    | WorkspaceChanged
    | Notice
    | Error
    | TurnCompleted
    | TurnFailed
    | TurnAborted
)
"""Every event we define."""

TERMINAL_EVENTS = (TurnCompleted, TurnFailed, TurnAborted)
"""Exactly one of these ends a turn."""

EVENT_CLASSES: dict[str, type[Event]] = {str(cls.__struct_config__.tag): cls for cls in get_args(Event)}
"""Event class by its name on the wire."""
