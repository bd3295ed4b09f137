"""The folded form of a turn: immutable values, each in JSON with every key present.

A text that nobody gave is ``""``, a list that nobody gave is empty; ``null`` means not known or not yet.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from nbharness.events import (
    ApprovalChoice,
    ApprovalOption,
    ApprovalStatus,
    Choice,
    FileDiff,
    Question,
    SlashCommand,
    Todo,
    ToolKind,
    Usage,
)


class _Item(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", rename="camel"):
    """Base of all items."""

    @property
    def kind(self) -> str:
        """The item's name on the wire, such as ``tool``."""
        return str(self.__struct_config__.tag)


class MessageItem(_Item, frozen=True, kw_only=True, tag="message"):
    """A run of text by one speaker, with nothing else in between."""

    role: Literal["agent", "user"]
    """Who speaks."""
    text: str
    """All of it so far, Markdown when the agent speaks."""
    message_id: str = ""
    """The agent's own id."""
    parent_id: str = ""
    """Tool call of the sub-agent that speaks."""


class ThinkingItem(_Item, frozen=True, kw_only=True, tag="thinking"):
    """A run of the agent's reasoning."""

    text: str
    """All of it so far."""
    parent_id: str = ""
    """Tool call of the sub-agent that thinks."""
    started_at: float
    """Unix seconds of the first delta."""
    ended_at: float
    """Unix seconds of the last delta."""


class ToolItem(_Item, frozen=True, kw_only=True, tag="tool"):
    """One tool call."""

    id: str
    """Tool call id."""
    name: str
    """Tool name as the agent gives it."""
    args: Any = None
    """Arguments as the agent gives them."""
    parent_id: str = ""
    """Tool call of the sub-agent that calls."""
    status: Literal["running", "ok", "failed"] = "running"
    """Where it stands."""
    stream: str = ""
    """Everything it printed while it ran."""
    output: Any = None
    """The result; when it is null after the end, `stream` is the output."""
    exit_code: int | None = None
    """Exit status when the tool was a command."""
    diffs: list[FileDiff] = []
    """Files the call changed."""
    duration_ms: int | float | None = None
    """Milliseconds, as the agent or the turn measured it."""
    synthetic: bool = False
    """True when we closed the call because the agent never did."""
    started_at: float
    """Unix seconds."""
    ended_at: float | None = None
    """Unix seconds; null while it runs."""
    approval_id: str = ""
    """The approval that it waits or waited for."""
    tool_kind: ToolKind | None = None
    """What the tool does, when the adapter knows."""
    title: str = ""
    """What the agent calls this very call, for people."""


class ApprovalItem(_Item, frozen=True, kw_only=True, tag="approval"):
    """One question of the agent, and the answer."""

    id: str
    """Approval id."""
    tool_name: str
    """Tool the agent wants to use."""
    args: Any
    """The exact arguments that an approval lets through."""
    message: str | None = None
    """What the agent says about it."""
    auto_approvable: bool = False
    """True when the permission mode may answer without a person."""
    tool_call_id: str = ""
    """Tool call that waits for this."""
    args_hash: str = ""
    """SHA-256 of the canonical arguments, hex."""
    choices: list[ApprovalChoice] = []
    """What may be answered; empty means approve and reject."""
    diffs: list[FileDiff] = []
    """What the action would change."""
    warnings: list[str] = []
    """Sentences that say why this one matters."""
    status: Literal["pending"] | ApprovalStatus = "pending"
    """Where it stands."""
    by: str = ""
    """Who decided."""
    reason: str = ""
    """Reason of a rejection, or the rule that answered."""
    edited_args: Any = None
    """The arguments as edited by the person who approved; see `edited`."""
    edited: bool = False
    """True when `edited_args` run instead of `args`."""
    tool_kind: ToolKind | None = None
    """What the tool does, when the adapter knows."""
    options: list[ApprovalOption] = []
    """The answers that the agent itself offers."""
    option_id: str = ""
    """The one of them that was chosen."""
    asked_at: float
    """Unix seconds."""
    decided_at: float | None = None
    """Unix seconds; null while it waits."""


class QuestionItem(_Item, frozen=True, kw_only=True, tag="question"):
    """What the agent wants to know, and the answers."""

    id: str
    """Id of what was asked."""
    questions: list[Question]
    """One or more, in order."""
    status: Literal["pending", "answered", "skipped", "cancelled"] = "pending"
    """Where it stands."""
    answers: dict[str, list[str]] = {}
    """Chosen labels or written text by question id."""
    by: str = ""
    """Who answered."""
    asked_at: float
    """Unix seconds."""
    decided_at: float | None = None
    """Unix seconds; null while it waits."""


class PlanItem(_Item, frozen=True, kw_only=True, tag="plan"):
    """A plan that waits, or waited, for a yes or no."""

    id: str = ""
    """Plan id."""
    plan: str
    """The text as it stands, Markdown; the edited one once it was approved so."""
    plan_hash: str = ""
    """SHA-256 of the text, hex."""
    status: Literal["proposed", "approved", "rejected"] = "proposed"
    """Where it stands."""
    by: str = ""
    """Who decided."""
    reason: str = ""
    """Reason of a rejection."""
    proposed_plan: str
    """The text as the agent proposed it."""
    asked_at: float
    """Unix seconds."""
    decided_at: float | None = None
    """Unix seconds; null while it waits."""


class TodosItem(_Item, frozen=True, kw_only=True, tag="todos"):
    """The agent's checklist; one item a turn, which stays where it first appeared."""

    todos: list[Todo]
    """All lines in order."""


class ChangesItem(_Item, frozen=True, kw_only=True, tag="changes"):
    """What the turn changed in the workspace, by two snapshots of it; see ``workspace.changed``."""

    diffs: list[FileDiff]
    """Files in order of their paths."""
    files: int
    """Files that differ."""
    added: int
    """Lines added in all of them."""
    removed: int
    """Lines removed in all of them."""
    ignored: list[str]
    """Paths that git ignores and that appeared."""
    nested: list[str]
    """Repositories inside the workspace."""
    stale_modules: list[str]
    """Imported modules of the kernel whose files differ."""
    undoable: bool
    """True when the turn can be undone."""


class NoticeItem(_Item, frozen=True, kw_only=True, tag="notice"):
    """Something the reader should know; a fault that the turn survived has level ``error``."""

    level: Literal["info", "warning", "error"]
    """How much it matters."""
    message: str
    """Plain text."""
    code: str = ""
    """Short machine-readable kind of an error."""


class UnknownItem(_Item, frozen=True, kw_only=True, tag="unknown"):
    """An event that this version cannot read."""

    type: str
    """Name it came with."""
    raw: Any
    """Its payload as it came."""


Item: TypeAlias = (
    MessageItem
    | ThinkingItem
    | ToolItem
    | ApprovalItem
    | QuestionItem
    | PlanItem
    | TodosItem
    | ChangesItem
    | NoticeItem
    | UnknownItem
)
"""Everything a turn can show, in order of first appearance."""


class QueuedMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A message of the user that waits for the agent to finish its answer."""

    id: str
    """Message id."""
    text: str
    """The message, verbatim."""


class TurnState(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A turn as a reader sees it after some of its envelopes; ``TurnState()`` is one that has not begun."""

    turn_id: str = ""
    """The turn."""
    status: Literal["waiting", "running", "completed", "failed", "aborted"] = "waiting"
    """Where it stands; ``waiting`` until ``turn.started``."""
    prompt: str = ""
    """What the user asked, verbatim."""
    agent: str = ""
    """Name of the adapter that drives the agent."""
    definition: str = ""
    """Agent declared by the project that it works as."""
    model: str = ""
    """Model the agent says it uses, else the one it was asked to use."""
    approval_mode: str = ""
    """Permission mode of this turn."""
    plan_mode: bool = False
    """True when the agent must propose a plan before it changes anything."""
    workspace: str = ""
    """Directory the agent works in."""
    conversation_id: str = ""
    """Our conversation."""
    session_id: str = ""
    """The agent's session, which resumes it."""
    capabilities: list[str] = []
    """What the agent can do."""
    mode: str = ""
    """Id of the agent's own mode."""
    modes: list[Choice] = []
    """Modes it can be in."""
    models: list[Choice] = []
    """Models it can use."""
    commands: list[SlashCommand] = []
    """Commands it takes."""
    title: str = ""
    """What the agent calls its session."""
    queued: list[QueuedMessage] = []
    """Messages that wait, oldest first."""
    started_at: float | None = None
    """Unix seconds of ``turn.started``."""
    ended_at: float | None = None
    """Unix seconds of the terminal event."""
    last_seq: int = -1
    """Place of the last envelope that is in here."""
    items: list[Item] = []
    """Everything that happened, in order of first appearance. Never change it in place."""
    usage: Usage | None = None
    """What the turn consumed so far."""
    response: str | None = None
    """The agent's last answer, once it completed."""
    error: str | None = None
    """What went wrong, or why it was stopped."""
    code: str | None = None
    """Machine-readable kind of the above."""
    retry_after: float | None = None
    """Seconds until the provider takes requests again, counted from the end."""
    metadata: dict[str, Any] = {}
    """Facts about the outcome."""
