"""The values inside events: small, immutable, compared by content."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from nbharness.events.base import WireValue

ApprovalStatus: TypeAlias = Literal["approved", "rejected", "expired", "cancelled"]
"""How an approval ended; while it waits there is no ``approval.updated`` for it."""

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]

ApprovalChoice: TypeAlias = Literal["approve", "approve_edited", "remember", "reject", "reject_stop"]
"""What a person can be offered; an adapter leaves out what its agent cannot take."""

ToolKind: TypeAlias = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "agent", "other"]
"""What a tool does, whatever its agent calls it. ``agent`` is a sub-agent."""

OptionKind: TypeAlias = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


class Usage(WireValue, frozen=True, kw_only=True):
    """What a turn consumed so far."""

    input_tokens: int | UnsetType = UNSET
    """Tokens sent to the model, cached ones included."""
    output_tokens: int | UnsetType = UNSET
    """Tokens the model produced."""
    total_tokens: int | UnsetType = UNSET
    """Both together, when the agent reports only the sum or also the sum."""
    model_calls: int | UnsetType = UNSET
    """Requests made to the model."""
    cost_usd: float | UnsetType = UNSET
    """US dollars; absent means unknown, never zero."""
    cached_tokens: int | UnsetType = UNSET
    """Those of the input tokens that came from the provider's cache."""
    context_tokens: int | UnsetType = UNSET
    """Tokens that stand in the agent's context now."""
    context_window: int | UnsetType = UNSET
    """Tokens that its context can hold."""


class Todo(WireValue, frozen=True, kw_only=True):
    """One line of the agent's checklist."""

    content: str
    """What is to be done."""
    status: TodoStatus = "pending"
    """Where it stands."""


class FileDiff(WireValue, frozen=True, kw_only=True):
    """A change to one file, as the agent reports it."""

    path: str
    """Path as the agent named it, relative to the workspace when it lies inside."""
    patch: str
    """Unified diff of this file; may be cut, see `truncated`."""
    added: int = 0
    """Lines added, counted over the whole change."""
    removed: int = 0
    """Lines removed, counted over the whole change."""
    truncated: int | UnsetType = UNSET
    """Bytes of the patch left out."""


class ApprovalOption(WireValue, frozen=True, kw_only=True):
    """One answer to an approval, in the agent's own words."""

    id: str
    """The agent's id of it."""
    name: str
    """What the agent calls it."""
    kind: OptionKind
    """What it comes to."""


class QuestionOption(WireValue, frozen=True, kw_only=True):
    """One answer that a question offers."""

    label: str
    """The answer."""
    description: str | UnsetType = UNSET
    """What it means."""


class Question(WireValue, frozen=True, kw_only=True):
    """One thing that an agent wants to know."""

    id: str
    """Names the question in the answer, unique among those asked together."""
    text: str
    """The question."""
    header: str | UnsetType = UNSET
    """A word or two that name it."""
    options: list[QuestionOption] = msgspec.field(default_factory=list)
    """Answers to choose from."""
    multiple: bool = False
    """True when several may be chosen."""
    free_text: bool = True
    """True when an answer may be written instead."""
    secret: bool = False
    """True when the answer must not be shown or kept."""


class Choice(WireValue, frozen=True, kw_only=True):
    """One of an agent's modes or models."""

    id: str
    """The agent's id of it."""
    name: str
    """What the agent calls it."""
    description: str | UnsetType = UNSET
    """What it is for."""


class SlashCommand(WireValue, frozen=True, kw_only=True):
    """A command that the agent takes at the beginning of a prompt."""

    name: str
    """Its name, without the slash."""
    description: str | UnsetType = UNSET
    """What it does."""
