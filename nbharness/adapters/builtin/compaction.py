"""Making a long history short. Pure: works on messages as plain objects, as they are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["ASK", "SHARE", "USUAL_WINDOW", "estimated_tokens", "opening", "tail_start", "transcript"]

SHARE = 0.8
"""Part of the context window that may be full before a history is made shorter."""

USUAL_WINDOW = 128_000
"""Tokens to reckon with where nobody knows."""

_TAIL_SHARE = 0.2
_CHARS_A_TOKEN = 4
_OUTPUT_CHARS, _ARGS_CHARS, _TEXT_CHARS = 600, 400, 4000

Message = Mapping[str, Any]

ASK = """\
Below is the record of a coding session between a user and an assistant that uses tools. The assistant will go on from \
your summary alone, so keep what it needs: what the user wants, in their words, with every rule they gave; what was \
done, with paths, names and commands; what was learnt; what failed and why; what is left to do, and what comes next. \
Use short headed lists. Leave out what no longer matters. Do not answer the user and do not use tools.

<record>
{record}
</record>"""


def estimated_tokens(characters: int) -> int:
    """Return about how many tokens so many characters of JSON are."""
    return characters // _CHARS_A_TOKEN


def tail_start(messages: Sequence[Message], window: int) -> int:
    """Return the index of the first message that stays as it is.

    It is an answer of the model, so that no result of a tool is left without its call. What stays is about a fifth of
    the window, and at most the second half of the history.

    Args:
        messages: The history.
        window: Tokens that the model's context holds.

    Returns:
        An index, or ``len(messages)`` when nothing stays.
    """
    room = int(window * _TAIL_SHARE) * _CHARS_A_TOKEN
    start = len(messages)
    for index in range(len(messages) - 1, len(messages) // 2, -1):
        room -= len(json.dumps(messages[index], default=str))
        if room < 0:
            break
        if messages[index].get("kind") == "response":
            start = index
    return start


def transcript(messages: Sequence[Message], window: int) -> str:
    """Return messages as a text to be summarised, at most half a window long; what is left out is in the middle."""
    text = "\n".join(line for message in messages for line in _lines(message))
    room = window * _CHARS_A_TOKEN // 2
    if len(text) <= room:
        return text
    head, tail = room // 4, room - room // 4
    return f"{text[:head]}\n[{len(text) - room} characters left out]\n{text[-tail:]}"


def opening(summary: str, task: str) -> str:
    """Return the message that takes the place of what was left out.

    Args:
        summary: What the model made of it; ``""`` when it could not.
        task: What the user asked for last.
    """
    known = summary or "It could not be summarised. Look at the workspace to see what was done."
    return (
        f"[The conversation so far was too long. The user's last message was:]\n{task}\n\n"
        f"[A summary stands for what is left out:]\n{known}\n\n[Go on from there.]"
    )


def _lines(message: Message) -> list[str]:
    parts = message.get("parts")
    return [line for part in parts or () if isinstance(part, dict) and (line := _line(part))]


def _line(part: Mapping[str, Any]) -> str:
    match part.get("part_kind"):
        case "user-prompt":
            return f"USER: {_cut(part.get('content'), _TEXT_CHARS)}"
        case "text":
            return f"ASSISTANT: {_cut(part.get('content'), _TEXT_CHARS)}"
        case "tool-call":
            return f"CALL {part.get('tool_name')}: {_cut(part.get('args'), _ARGS_CHARS)}"
        case "tool-return":
            return f"RESULT {part.get('tool_name')}: {_cut(part.get('content'), _OUTPUT_CHARS)}"
        case _:
            return ""


def _cut(value: Any, limit: int) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else f"{text[:limit]} [{len(text) - limit} characters left out]"
