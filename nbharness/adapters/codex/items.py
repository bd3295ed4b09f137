"""Items that are tool calls, as the beginning and the end of a call. Pure."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any, TypeAlias

from msgspec import UNSET

from nbharness.adapters.codex.messages import (
    Collab,
    Command,
    DynamicTool,
    FileChange,
    ImageView,
    McpTool,
    WebSearch,
)
from nbharness.adapters.codex.patches import change_args, change_kind, file_diff, shown_path
from nbharness.events import ToolEnd, ToolKind, ToolStart

__all__ = ["COMMAND", "PATCH", "ToolItem", "command_args", "tool_end", "tool_start"]

ToolItem: TypeAlias = Command | FileChange | McpTool | DynamicTool | Collab | WebSearch | ImageView

COMMAND = "exec_command"
PATCH = "apply_patch"

# A file called bash somewhere else may be anything, so there the whole line is shown.
_SHELLS = {place + name for place in ("", "/bin/", "/usr/bin/", "/usr/local/bin/") for name in ("bash", "sh", "zsh")}
_SHELL_FLAGS = {"-c", "-lc"}
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BAD = {"failed", "declined", "interrupted"}


def tool_start(item: ToolItem, workspace: str, parent_id: str | None = None) -> ToolStart:
    """Return the beginning of a call.

    Args:
        item: The call.
        workspace: Directory that paths are shown relative to.
        parent_id: Call that started the sub-agent which calls.
    """
    name, args, kind = _call(item, workspace)
    return ToolStart(id=item.id, name=name, args=args, kind=kind, parent_id=parent_id or UNSET)


def tool_end(item: ToolItem, workspace: str, streamed: int = 0) -> ToolEnd:
    """Return the end of a call.

    Args:
        item: The call.
        workspace: Directory that paths are shown relative to.
        streamed: Characters of output that were told in deltas.
    """
    name, _args, _kind = _call(item, workspace)
    bad = getattr(item, "status", "") in _BAD
    duration = getattr(item, "duration_ms", None)
    match item:
        case Command():
            return ToolEnd(
                id=item.id,
                name=name,
                output=_command_output(item, streamed),
                is_error=bad or item.exit_code not in {0, None},
                duration_ms=duration,
                exit_code=UNSET if item.exit_code is None else item.exit_code,
            )
        case FileChange():
            diffs = [] if bad else [file_diff(change, workspace) for change in item.changes]
            output = item.status if bad else None
            return ToolEnd(
                id=item.id, name=name, output=output, is_error=bad, duration_ms=duration, diffs=diffs or UNSET
            )
        case _:
            return ToolEnd(id=item.id, name=name, output=_output(item), is_error=bad, duration_ms=duration)


def command_args(command: str, cwd: str, workspace: str) -> dict[str, Any]:
    """Return a command as arguments: the script without the shell that runs it, and where it runs if elsewhere."""
    script = command
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if len(words) == 3 and words[0] in _SHELLS and words[1] in _SHELL_FLAGS:  # noqa: PLR2004 (shell, flag, script)
        script = words[2]
    elsewhere = cwd not in {"", workspace}
    return {"command": script, **({"cwd": shown_path(cwd, workspace)} if elsewhere else {})}


def _call(item: ToolItem, workspace: str) -> tuple[str, dict[str, Any], ToolKind]:
    match item:
        case Command():
            return COMMAND, command_args(item.command, item.cwd, workspace), "execute"
        case FileChange():
            return PATCH, change_args(item.changes, workspace), change_kind(item.changes)
        case McpTool():
            return f"mcp__{item.server}__{item.tool}", _object(item.arguments), "other"
        case DynamicTool():
            return item.tool, _object(item.arguments), "other"
        case Collab():
            args = {"prompt": item.prompt, "model": item.model, "agents": item.receiver_thread_ids}
            return _WORDS.sub("_", item.tool).lower(), {key: arg for key, arg in args.items() if arg}, "agent"
        case WebSearch():
            return "web_search", {"query": item.query}, "search"
        case ImageView():
            return "view_image", {"path": shown_path(item.path, workspace)}, "read"


def _command_output(item: Command, streamed: int) -> str | None:
    """Return the whole output, or nothing when the deltas are at least as whole: Codex caps what it keeps."""
    whole = item.aggregated_output or ""
    if not whole and not streamed and item.status == "declined":
        return "declined"
    return whole if len(whole) > streamed or not streamed else None


def _output(item: McpTool | DynamicTool | Collab | WebSearch | ImageView) -> str | None:
    match item:
        case McpTool():
            if item.error is not None:
                return item.error.message
            return _texts(item.result.content if item.result else [])
        case DynamicTool():
            return _texts(item.content_items or [])
        case Collab():
            states = item.agents_states.values()
            said = [state.get("message") for state in states if isinstance(state, dict)]
            return "\n".join(text for text in said if isinstance(text, str)) or item.status
        case WebSearch():
            return item.query
        case ImageView():
            return None


def _texts(content: list[Any]) -> str:
    return "\n".join(_text(part) for part in content)


def _text(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else json.dumps(part)


def _object(arguments: Any) -> dict[str, Any]:
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}
