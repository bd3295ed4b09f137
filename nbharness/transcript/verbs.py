"""What a tool call does, in words: every agent has its own names for the same few things.

The twin of ``js/src/words/verbs.ts``; both read ``tests/golden/verbs.json``.
"""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, TypeAlias

from nbharness.events import ToolKind as KnownKind

__all__ = ["Described", "ToolKind", "describe"]

ToolKind: TypeAlias = Literal[
    "command", "read", "write", "edit", "delete", "move", "search", "list", "fetch", "agent", "think", "other"
]


class Described(NamedTuple):
    """A tool call as a person would name it.

    Attributes:
        kind: Which of the few things it does.
        doing: ``Running``, while it runs.
        done: ``Ran``, when it went well.
        subject: What it works on: a command, a path, a pattern, an address, or else the tool's name.
        is_code: True when the subject is code rather than prose.
        used: Name of the argument that the subject was taken from; ``""`` when it was none.
    """

    kind: ToolKind
    doing: str
    done: str
    subject: str
    is_code: bool
    used: str


_PATHS = ("path", "file_path", "filePath", "file", "filename", "notebook_path", "target_file", "paths")

# Words while it runs and when it is done, and the arguments that may hold the subject, best first.
_VERBS: dict[ToolKind, tuple[str, str, tuple[str, ...]]] = {
    "command": ("Running", "Ran", ("command", "cmd", "script", "code")),
    "read": ("Reading", "Read", _PATHS),
    "write": ("Writing", "Wrote", _PATHS),
    "edit": ("Editing", "Edited", _PATHS),
    "delete": ("Deleting", "Deleted", _PATHS),
    "search": ("Searching", "Searched", ("pattern", "query", "regex", "q", "search", *_PATHS)),
    "list": ("Listing", "Listed", (*_PATHS, "directory", "dir", "pattern")),
    "fetch": ("Fetching", "Fetched", ("url", "uri", "address", "query")),
    "move": ("Moving", "Moved", _PATHS),
    "think": ("Thinking", "Thought", ()),
    "agent": ("Sub-agent", "Sub-agent", ("description", "task", "prompt", "subagent_type", "agent")),
    "other": ("Using", "Used", ()),
}

# Words in a tool's name, in the order in which they decide.
_WORDS: dict[ToolKind, str] = {
    "command": "bash shell sh zsh powershell exec execute command commands terminal cmd",
    "agent": "task agent subagent delegate spawn",
    "fetch": "fetch http url browse download curl",
    "search": "grep search glob find rg ripgrep",
    "delete": "delete remove unlink rm",
    "edit": "edit multiedit patch apply replace update modify insert str",
    "write": "write create save touch add",
    "list": "ls list tree dir readdir",
    "read": "read cat view open get show",
}
_KINDS = [(kind, frozenset(words.split())) for kind, words in _WORDS.items()]
_PATCHED = re.compile(r"^(?:\+\+\+ (?:b/)?|\*\*\* (?:Update|Add|Delete) File: )(\S.*)$", re.MULTILINE)
_FILE_KINDS = frozenset({"read", "write", "edit", "delete"})


# What an adapter knows of a tool, and what its name may say more exactly.
_KNOWN: dict[str, tuple[ToolKind, ...]] = {
    "read": ("read", "list"),
    "edit": ("edit", "write"),
    "delete": ("delete",),
    "move": ("move",),
    "search": ("search", "list"),
    "execute": ("command",),
    "think": ("think",),
    "fetch": ("fetch",),
    "agent": ("agent",),
    "other": ("other",),
}


def describe(name: str, args: Any, known: KnownKind | None = None, title: str = "") -> Described:
    """Describe a call by its name and arguments, whatever they are.

    Args:
        name: The tool's name.
        args: What it is called with.
        known: What the tool does, when the adapter knows; else it is guessed by the name.
        title: What the agent calls this call; the subject of one whose arguments name none.
    """
    guessed = _kind_of(name, args)
    fitting = _KNOWN[known] if known is not None else (guessed,)
    kind = guessed if guessed in fitting else fitting[0]
    doing, done, fields = _VERBS[kind]
    if kind == "command" and isinstance(args, str):
        return Described(kind, doing, done, args, is_code=True, used="")
    used = next((field for field in fields if _text(args, field)), "")
    if used:
        return Described(kind, doing, done, _names(args[used]), kind != "agent", used)
    if kind == "edit" and (_patched_files(args) or not title):
        return Described(kind, doing, done, _patched_files(args), is_code=True, used="")
    if title:
        return Described(kind, "Using", "Used", title, is_code=False, used="")
    return Described("agent" if kind == "agent" else "other", "Using", "Used", name, is_code=True, used="")


def _kind_of(name: str, args: Any) -> ToolKind:
    words = _words_of(name)
    found = next((kind for kind, known in _KINDS if words & known), None)
    # `todo_write` and the like name no file: what they do is not what they sound like.
    if found in _FILE_KINDS:
        has_file = any(_text(args, field) for field in _PATHS) or (found == "edit" and _patched_files(args))
        return found if has_file else "other"
    return found or ("command" if _text(args, "command") else "other")


def _words_of(name: str) -> set[str]:
    """``mcp__files__readFile`` is ``read`` and ``file``: the last part counts."""
    last = re.split(r"__|[./:]", name)[-1]
    return set(re.split(r"[^a-z0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", last).lower()))


def _patched_files(args: Any) -> str:
    """Return the files that a patch names, for a call that names them nowhere else."""
    fields = args if isinstance(args, dict) else {}
    given = [field for field in ("patch", "diff", "input") if fields.get(field) is not None]
    patch = _text(fields, given[0]) if given else args if isinstance(args, str) else ""
    return ", ".join(dict.fromkeys(_PATCHED.findall(patch)))


def _names(value: Any) -> str:
    """Return a text, the words of a command, or names in a row."""
    if not isinstance(value, list):
        return str(value)
    is_command = any(part.startswith("-") for part in value)
    return (" " if is_command else ", ").join(value)


def _text(args: Any, field: str) -> str:
    value = args.get(field) if isinstance(args, dict) else None
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(value)
    return value if isinstance(value, str) else ""
