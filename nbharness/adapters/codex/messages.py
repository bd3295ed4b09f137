"""What Codex says, as far as we read it: one class a message, unknown fields ignored.

The names are those of the app-server protocol; ``codex app-server generate-json-schema`` prints all of it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

__all__ = [
    "AgentMessage",
    "Change",
    "Collab",
    "Command",
    "Compaction",
    "Delta",
    "DynamicTool",
    "Failure",
    "FailureNote",
    "FileChange",
    "ImageView",
    "Item",
    "ItemNote",
    "McpTool",
    "NameNote",
    "Plan",
    "PlanNote",
    "Reasoning",
    "RerouteNote",
    "Review",
    "Tokens",
    "TurnNote",
    "UsageNote",
    "WarningNote",
    "WebSearch",
]


class _Native(msgspec.Struct, frozen=True, rename="camel"):
    """Base of what stands inside messages."""


class _Note(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Base of notifications. A thread that is not ours is that of a sub-agent."""

    thread_id: str = ""


class _Item(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="type"):
    """Base of items: what Codex does in a turn, told when it begins and whole when it ends."""

    id: str


class AgentMessage(_Item, frozen=True, kw_only=True, tag="agentMessage"):
    """Text of the answer."""

    text: str = ""


class Reasoning(_Item, frozen=True, kw_only=True, tag="reasoning"):
    """A train of thought: summaries, and the raw text where the model gives it."""

    summary: list[str] = []
    content: list[str] = []


class Plan(_Item, frozen=True, kw_only=True, tag="plan"):
    """A proposed plan."""

    text: str = ""


class Command(_Item, frozen=True, kw_only=True, tag="commandExecution"):
    """A shell command. Its output comes twice: in deltas, and whole, yet capped, at the end."""

    command: str
    cwd: str = ""
    status: str = ""
    aggregated_output: str | None = None
    exit_code: int | None = None
    duration_ms: int | float | None = None


class ChangeKind(msgspec.Struct, frozen=True):
    """``add``, ``delete`` or ``update``."""

    type: str
    move_path: str | None = None


class Change(_Native, frozen=True):
    """A change to one file; `diff` is the content of a new or deleted file, else hunks without a header."""

    path: str
    kind: ChangeKind
    diff: str


class FileChange(_Item, frozen=True, kw_only=True, tag="fileChange"):
    """A patch."""

    changes: list[Change]
    status: str = ""


class McpResult(_Native, frozen=True):
    """What an MCP tool returned."""

    content: list[Any] = []


class Said(_Native, frozen=True):
    """An error in words."""

    message: str = ""


class McpTool(_Item, frozen=True, kw_only=True, tag="mcpToolCall"):
    """A call of an MCP tool."""

    server: str
    tool: str
    arguments: Any = None
    status: str = ""
    result: McpResult | None = None
    error: Said | None = None
    duration_ms: int | float | None = None


class DynamicTool(_Item, frozen=True, kw_only=True, tag="dynamicToolCall"):
    """A call of a tool that a client brought."""

    tool: str
    arguments: Any = None
    status: str = ""
    content_items: list[Any] | None = None
    duration_ms: int | float | None = None


class Collab(_Item, frozen=True, kw_only=True, tag="collabAgentToolCall"):
    """A sub-agent is started, told or waited for; it works in the threads that receive."""

    tool: str
    status: str = ""
    prompt: str | None = None
    model: str | None = None
    receiver_thread_ids: list[str] = []
    agents_states: dict[str, Any] = {}


class WebSearch(_Item, frozen=True, kw_only=True, tag="webSearch"):
    """A search that the provider runs."""

    query: str = ""
    action: Any = None


class ImageView(_Item, frozen=True, kw_only=True, tag="imageView"):
    """A picture that the model looks at."""

    path: str


class Compaction(_Item, frozen=True, kw_only=True, tag="contextCompaction"):
    """The conversation was summarized to make room."""


class Review(_Item, frozen=True, kw_only=True, tag="exitedReviewMode"):
    """The result of a review."""

    review: str = ""


Item: TypeAlias = (
    AgentMessage
    | Reasoning
    | Plan
    | Command
    | FileChange
    | McpTool
    | DynamicTool
    | Collab
    | WebSearch
    | ImageView
    | Compaction
    | Review
)


class ItemNote(_Note, frozen=True, kw_only=True):
    """An item begins or ends."""

    item: Item


class Delta(_Note, frozen=True, kw_only=True):
    """More text of an item."""

    item_id: str
    delta: str
    summary_index: int = 0


class Failure(_Native, frozen=True):
    """What went wrong. `codex_error_info` is a name, or an object with one name and its facts."""

    message: str = ""
    codex_error_info: Any = None
    additional_details: str | None = None


class FailureNote(_Note, frozen=True, kw_only=True):
    """Something went wrong; the turn ends with it unless it is retried."""

    error: Failure
    will_retry: bool = False


class NativeTurn(_Native, frozen=True):
    """A turn: ``inProgress``, ``completed``, ``failed`` or ``interrupted``."""

    id: str
    status: str
    error: Failure | None = None


class TurnNote(_Note, frozen=True, kw_only=True):
    """A turn began or ended."""

    turn: NativeTurn


class Tokens(_Native, frozen=True):
    """A count of tokens."""

    total_tokens: int = 0  # a full context is told as so many, whatever was spent
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0


class ThreadUsage(_Native, frozen=True):
    """Tokens of the whole thread and of its last request to the model."""

    total: Tokens
    last: Tokens
    model_context_window: int | None = None


class UsageNote(_Note, frozen=True, kw_only=True):
    """A request to the model was counted."""

    turn_id: str = ""
    token_usage: ThreadUsage


class PlanStep(_Native, frozen=True):
    """One line of the checklist."""

    step: str
    status: str = "pending"


class PlanNote(_Note, frozen=True, kw_only=True):
    """The checklist, whole."""

    plan: list[PlanStep]


class WarningNote(_Note, frozen=True, kw_only=True):
    """A warning in words."""

    thread_id: str | None = None  # type: ignore[assignment]
    message: str = ""


class RerouteNote(_Note, frozen=True, kw_only=True):
    """The provider took another model."""

    from_model: str
    to_model: str


class NameNote(_Note, frozen=True, kw_only=True):
    """The thread has a name."""

    thread_name: str | None = None
