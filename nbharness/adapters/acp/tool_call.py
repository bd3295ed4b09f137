"""One tool call of an agent, put together from what it says about it. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from nbharness.adapters.acp.values import count_of, mapping, mappings, path_in, text_of
from nbharness.events import FileDiff, ToolDelta, ToolEnd, ToolKind, ToolStart
from nbharness.file_diff import file_diff

__all__ = ["ToolCall", "block_text", "parent_of"]

_KINDS: dict[str, ToolKind] = {
    "read": "read",
    "edit": "edit",
    "delete": "delete",
    "move": "move",
    "search": "search",
    "execute": "execute",
    "think": "think",
    "fetch": "fetch",
}
_SUB_AGENTS = {"Task", "Agent"}


class ToolCall:
    """What is known of a call. Each update replaces the fields that it holds.

    Args:
        id: The agent's id of it.
        workspace: Directory that paths are shown relative to.

    Attributes:
        started: Its ``tool.start`` was made.
        ended: Its ``tool.end`` was made.
        waiting: The agent waits to be allowed it.
    """

    def __init__(self, id: str, workspace: str) -> None:  # noqa: A002 (the wire's word)
        self.id = id
        self.started = self.ended = self.waiting = False
        self.texts: dict[str, str] = {}
        """What each changed file shall hold, by its path as the agent names it."""
        self._workspace = workspace
        self._said: dict[str, Any] = {}
        self._meta: dict[str, Any] = {}
        self._diffs: list[FileDiff] = []
        self._output = ""
        self._shown = ""
        self._terminal_output = ""
        self._exit_code: int | None = None

    def merge(self, update: dict[str, Any]) -> None:
        """Take in an update, a call or the call of a permission request."""
        self._said |= {key: value for key, value in update.items() if value is not None}
        self._meta |= mapping(update.get("_meta"))
        if isinstance(update.get("content"), list):
            self._take_content(update["content"])
        self._take_terminal(mapping(update.get("_meta")))

    @property
    def name(self) -> str:
        """The tool: its name where the agent says it, else what it does."""
        for said in self._meta.values():
            if name := path_in(said, "toolName"):
                return str(name)
        return text_of(self._meta.get("toolName")) or text_of(self._said.get("kind")) or "tool"

    @property
    def kind(self) -> ToolKind | None:
        """What the tool does, if the agent says."""
        said = text_of(self._said.get("kind"))
        if self.name in _SUB_AGENTS:
            return "agent"
        return _KINDS.get(said, "other") if said else None

    @property
    def title(self) -> str:
        """What the agent calls the call."""
        return text_of(self._said.get("title"))

    @property
    def args(self) -> Any:
        """Its arguments, and the files that it changes where these do not name them."""
        raw = self._said.get("rawInput")
        if raw not in (None, {}, "") and not (isinstance(raw, dict) and _PATHS.isdisjoint(raw) and self.texts):
            return raw
        paths = [*self.texts, *(text_of(place.get("path")) for place in mappings(self._said.get("locations")))]
        named = list(dict.fromkeys(path for path in paths if path))
        files: dict[str, Any] = {"path": named[0]} if len(named) == 1 else {"paths": named} if named else {}
        return {**mapping(raw), **files}

    @property
    def plan(self) -> str:
        """The plan that it puts forward, if it does."""
        is_plan = self._said.get("kind") == "switch_mode"
        return str(path_in(self._said, "rawInput", "plan")) if is_plan else ""

    @property
    def status(self) -> str:
        """``pending``, ``in_progress``, ``completed`` or ``failed``, as the agent says."""
        return text_of(self._said.get("status")) or "pending"

    @property
    def settled(self) -> bool:
        """The agent said how it ended."""
        return self.status in {"completed", "failed"}

    @property
    def is_known(self) -> bool:
        """Enough is known to show it: agents announce a call before they know its arguments."""
        return bool(self.args) or self.status != "pending"

    @property
    def parent_id(self) -> str:
        """The call of the sub-agent that makes it."""
        return parent_of(self._meta)

    @property
    def diffs(self) -> tuple[FileDiff, ...]:
        """What it changes."""
        return tuple(self._diffs)

    def start(self) -> ToolStart:
        """Make its first event."""
        self.started = True
        return ToolStart(
            id=self.id,
            name=self.name,
            args=self.args,
            parent_id=self.parent_id or UNSET,
            kind=self.kind or UNSET,
            title=self.title or UNSET,
        )

    def delta(self) -> ToolDelta | None:
        """Make an event of the output that came since the last one."""
        output = self._terminal_output or self._output
        if len(output) <= len(self._shown) or not output.startswith(self._shown):
            return None
        partial, self._shown = output[len(self._shown) :], output
        return ToolDelta(id=self.id, name=self.name, partial=partial)

    def end(self, *, synthetic: bool = False) -> ToolEnd:
        """Make its last event.

        Args:
            synthetic: The agent never said how it ended.
        """
        self.ended = True
        raw = self._raw_output()
        output = self._terminal_output or self._output or raw
        return ToolEnd(
            id=self.id,
            name=self.name,
            output=None if synthetic or (output == self._shown != "") else output,
            is_error=synthetic or self.status == "failed",
            duration_ms=None,
            exit_code=UNSET if self._exit_code is None else self._exit_code,
            diffs=self._diffs or UNSET,
            synthetic=True if synthetic else UNSET,
        )

    def append(self, output: str) -> None:
        """Take in output of its terminal."""
        self._terminal_output += output

    def _take_content(self, content: list[Any]) -> None:
        parts: list[str] = []
        diffs: list[FileDiff] = []
        for item in mappings(content):
            path, new = text_of(item.get("path")), item.get("newText")
            if item.get("type") == "diff" and path and isinstance(new, str):
                old = item.get("oldText")
                diffs.append(file_diff(path, old if isinstance(old, str) else None, new, self._workspace))
                self.texts[path] = new
            elif item.get("type") == "content":
                parts.append(block_text(item.get("content")))
        self._diffs = diffs or self._diffs
        if text := "\n".join(part for part in parts if part):
            self._output = text

    def _take_terminal(self, meta: dict[str, Any]) -> None:
        self._terminal_output += path_in(meta, "terminal_output", "data")
        code = path_in(meta, "terminal_exit", "exit_code", read=count_of)
        self._exit_code = self._exit_code if code is None else code

    def _raw_output(self) -> Any:
        raw = self._said.get("rawOutput")
        if isinstance(raw, dict):
            codes = (count_of(said.get(key)) for said in (raw, *mappings(raw.get("contents"))) for key in _EXIT)
            self._exit_code = next((code for code in codes if code is not None), self._exit_code)
            return next((text for key in _OUTPUT if (text := text_of(raw.get(key)))), None if self._diffs else raw)
        return raw


_PATHS = {"path", "paths", "file_path", "filePath", "file", "filename", "notebook_path"}
_EXIT = ("exitCode", "exit_code")
_OUTPUT = ("formatted_output", "output", "stdout", "content", "detailedContent", "message", "error")


def parent_of(meta: dict[str, Any]) -> str:
    """Return the call of the sub-agent that speaks, from the ``_meta`` of what it says."""
    for said in meta.values():
        if parent := path_in(said, "parentToolUseId"):
            return str(parent)
    return ""


def block_text(block: object) -> str:
    """Return a content block as text; what is no text is named."""
    said = mapping(block)
    kind = text_of(said.get("type"))
    match kind:
        case "text":
            return text_of(said.get("text"))
        case "resource_link":
            uri = text_of(said.get("uri"))
            return f"[{text_of(said.get('name')) or uri}]({uri})"
        case "resource":
            text = path_in(said, "resource", "text")
            return text or f"[resource {path_in(said, 'resource', 'uri')}]"
        case "image" | "audio":
            return f"[{kind} {text_of(said.get('mimeType'))}]"
        case _:
            return ""
