"""What the fake model says, step by step."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

__all__ = ["Call", "Fail", "Reply", "Request", "Script", "Step", "filled", "named_in", "step_at"]

_NAME = re.compile(r"SCRIPT:([\w-]+)")
_OK = "ok"


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call.

    Attributes:
        tool: The tool's name, as the agent offers it.
        args: Its arguments. A text is the input of a free-form tool, such as Codex's ``apply_patch``.
        namespace: Where the tool is, in the Responses form only: ``mcp__`` and the server, for a tool of an MCP server.
    """

    tool: str
    args: dict[str, Any] | str = {}
    namespace: str = ""


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag="reply"):
    """An answer of the model.

    Attributes:
        text: What it says, sent word by word.
        thinking: What it thinks first.
        calls: Tools it calls.
        deltas: How often `text` is sent as one delta of its own, instead of word by word once.
        delay_s: Seconds before the first byte.
        cut: Close the connection before the answer is complete.
        input_tokens: Tokens it claims to have read.
        output_tokens: Tokens it claims to have written.
        find: Regular expression that is looked for in the request. What its group ``1`` matches replaces ``@FOUND@`` in
            the arguments of the calls; the last match counts.
    """

    text: str = ""
    thinking: str = ""
    calls: Sequence[Call] = ()
    deltas: int = 0
    delay_s: float = 0
    cut: bool = False
    input_tokens: int = 100
    output_tokens: int = 20
    find: str = ""

    def pieces(self) -> Sequence[str]:
        """Return the text as it is sent."""
        return [self.text] * self.deltas if self.deltas else re.findall(r"\s*\S+\s*", self.text)


class Fail(msgspec.Struct, frozen=True, kw_only=True, tag="fail"):
    """A request that the provider refuses.

    Attributes:
        status: HTTP status.
        kind: The provider's word for it, such as ``rate_limit_error``.
        message: What it says.
        retry_after: Seconds, sent as the header of that name.
        headers: Further headers.
    """

    status: int
    kind: str = "error"
    message: str = "refused by the script"
    retry_after: int | None = None
    headers: Mapping[str, str] = {}


Step: TypeAlias = Reply | Fail
Script: TypeAlias = Sequence[Step]
"""Steps in order. What is asked beyond the last one is answered with ``ok``."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request that reached the model.

    Attributes:
        path: Path and query.
        headers: Headers, names in lower case.
        body: The JSON body, ``{}`` when there was none.
    """

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


def named_in(text: str) -> str | None:
    """Return the script that a text picks; the last one named counts."""
    found = _NAME.findall(text)
    return str(found[-1]) if found else None


def step_at(scripts: Mapping[str, Script], name: str | None, index: int) -> Step:
    """Return a step of a script, or a plain answer where there is none."""
    steps = scripts.get(name or "", ())
    return steps[index] if index < len(steps) else Reply(text=_OK)


def filled(reply: Reply, body: Mapping[str, Any]) -> Reply:
    """Return the reply with what `find` finds in a request put into its calls."""
    matches = re.findall(reply.find, json.dumps(body)) if reply.find else []
    if not matches:
        return reply
    calls = [msgspec.structs.replace(call, args=_put(call.args, str(matches[-1]))) for call in reply.calls]
    return msgspec.structs.replace(reply, calls=calls)


def _put(value: Any, found: str) -> Any:
    if isinstance(value, str):
        return value.replace("@FOUND@", found)
    if isinstance(value, dict):
        return {key: _put(item, found) for key, item in value.items()}
    return [_put(item, found) for item in value] if isinstance(value, list) else value
