"""What a tool call is about, read off its arguments, however its agent names them."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from nbharness.events import ToolKind, sound_value

__all__ = [
    "args_hash",
    "command_of",
    "commands_of",
    "kind_of",
    "only_runs",
    "paths_of",
    "places_of",
    "urls_of",
    "wants_rights",
]

_COMMAND_KEYS = ("command", "cmd", "script")
_PATH_KEYS = (
    "path", "file_path", "filePath", "abs_path", "absolute_path", "file", "filename", "notebook_path", "target_file",
    "move_path", "old_path", "new_path", "destination",
)  # fmt: skip
_LIST_KEYS = ("paths", "changes", "fileChanges", "files", "edits", "locations")
_URL_KEYS = ("url", "uri")
_PLACE_KEYS = ("cwd", "workdir", "working_directory", "directory", "dir_path", "dir")
_MANNERS = """
description explanation justification reason title timeout timeout_ms timeoutMs timeoutSec yield_time_ms
max_output_tokens run_in_background is_background initial_wait sessionId shellId mode async detach tty login
"""
_RIGHTS = ("grant_root", "permissions", "additional_permissions")
_OF_A_PLAIN_RUN = frozenset((*_COMMAND_KEYS, *_PLACE_KEYS, *_MANNERS.split()))

_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_SHELL_PLACES = ("", "/bin/", "/usr/bin/", "/usr/local/bin/")
_SCRIPT_FLAGS = frozenset({"-c", "-lc"})

_KINDS: dict[ToolKind, str] = {
    "execute": "bash shell exec exec_command execute run run_command local_shell run_shell_command terminal",
    "edit": "edit write create multiedit notebookedit apply_patch write_file edit_file replace str_replace update",
    "read": "read view cat read_file read_many_files notebookread open",
    "search": "grep glob search ls list list_directory search_file_content find codebase_search",
    "delete": "delete remove rm delete_file",
    "move": "move rename mv",
    "fetch": "webfetch web_fetch fetch websearch web_search google_web_search",
    "agent": "agent task subagent",
    "think": "think",
}
_KIND_BY_NAME: dict[str, ToolKind] = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_canonical = msgspec.json.Encoder(order="sorted")


def args_hash(tool: str, args: Any) -> str:
    """Return the SHA-256, in hex, of a tool's name and its arguments in canonical JSON."""
    return hashlib.sha256(_canonical.encode(sound_value([tool, args]))).hexdigest()


def kind_of(tool: str, args: Any) -> ToolKind | None:
    """Return what a tool does, for adapters that do not know: whatever names a command runs it."""
    return "execute" if commands_of(args) else _KIND_BY_NAME.get(tool.lower())


def command_of(args: Any) -> str | None:
    """Return the shell command in a tool's arguments, the first when there are several, or ``None``."""
    return next(iter(commands_of(args)), None)


def commands_of(args: Any) -> list[str]:
    """Return every shell command that a tool's arguments name; more than one is an agent that hides something.

    A shell that is only there to run a script, as in ``/bin/bash -lc 'git status'``, counts as the script.
    """
    named = [args.get(key) for key in _COMMAND_KEYS] if isinstance(args, dict) else []
    return [text for item in named if (text := _command(item)) is not None]


def paths_of(args: Any) -> list[str]:
    """Return the file paths that a tool's arguments name, also in lists of files and of changes."""
    return list(_named(args, _PATH_KEYS, deep=True))


def urls_of(args: Any) -> list[str]:
    """Return the addresses that a tool's arguments name."""
    return list(_named(args, _URL_KEYS, deep=False))


def places_of(args: Any) -> list[str]:
    """Return the directories in which a tool's arguments want a command to run."""
    return list(_named(args, _PLACE_KEYS, deep=False))


def wants_rights(args: Any) -> bool:
    """Tell whether a tool's arguments want more to be permitted than this one call."""
    return isinstance(args, dict) and any(args.get(key) for key in _RIGHTS)


def only_runs(args: Any) -> bool:
    """Tell whether a tool's arguments say no more than which command to run, where and how long.

    Anything else, such as variables, further permissions or no sandbox, can change what the words of a command do.
    """
    return isinstance(args, dict) and all(key in _OF_A_PLAIN_RUN or not value for key, value in args.items())


def _command(item: Any) -> str | None:
    if isinstance(item, str):
        try:
            words = shlex.split(item)
        except ValueError:  # a quote that is not closed
            return item
        return _script(words) or item
    if not isinstance(item, list) or not all(isinstance(word, str) for word in item):
        return None
    return _script(item) or shlex.join(item)


def _script(words: list[str]) -> str | None:
    """Return what a shell is told to run, when that is all the words say; a file called bash may be anything."""
    if len(words) != len(("bash", "-c", "script")) or words[1] not in _SCRIPT_FLAGS:
        return None
    place, slash, name = words[0].rpartition("/")
    return words[2] if place + slash in _SHELL_PLACES and name in _SHELLS else None


def _named(args: Any, keys: tuple[str, ...], *, deep: bool) -> Iterator[str]:
    if not isinstance(args, dict):
        return
    yield from (args[key] for key in keys if isinstance(args.get(key), str))
    for key in _LIST_KEYS if deep else ():
        several = args.get(key)
        # Paths, things that have one, or things by their path.
        for item in several if isinstance(several, list | dict) else ():
            if isinstance(item, str):
                yield item
            else:
                yield from _named(item, keys, deep=False)
