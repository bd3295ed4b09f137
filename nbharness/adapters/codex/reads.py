"""Commands that certainly change nothing and stay in the workspace, so that nobody need be asked. Pure.

Codex asks about every command, ``ls`` too. What is let through here is as narrow as it is dull: known programs, plain
words, no option that writes or runs something, no path that leads out of the workspace.
"""

from __future__ import annotations

import re
import shlex
from itertools import groupby

__all__ = ["only_reads"]

_PLAIN = re.compile(r"[A-Za-z0-9_./:,=@%+'\"^*?\[\]|& -]*")
"""No expansion but globs, no redirection, no escape, no comment, no second line."""

_JOINTS = {"|", "&&", "||"}
_PROGRAMS = {
    "basename", "cat", "cut", "dirname", "echo", "grep", "head", "ls", "nl", "pwd", "rg", "stat", "tail",
    "tr", "true", "uniq", "wc",
}  # fmt: skip
_RUNS_SOMETHING = {"rg": ("--pre", "--hostname-bin", "--search-zip", "-z")}
_SED_PRINTS = re.compile(r"\d+(,(\d+|\$))?p")


def only_reads(command: str) -> bool:
    """Tell whether a command, as a shell would run it in the workspace, certainly does no more than read there.

    Args:
        command: The script.
    """
    if not _PLAIN.fullmatch(command):
        return False
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&")
    lexer.commenters = ""
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # a quote that is not closed
        return False
    parts = [list(part) for is_joint, part in groupby(words, _JOINTS.__contains__) if not is_joint]
    joints = [word for word in words if word in _JOINTS]
    return len(parts) == len(joints) + 1 and all(map(_part_only_reads, parts))


def _part_only_reads(words: list[str]) -> bool:
    program, *arguments = words
    if any(not _stays_inside(argument) for argument in arguments):
        return False
    if program == "sed":
        return len(arguments) > 1 and arguments[0] == "-n" and _sed_only_prints(*arguments[1:])
    if program == "uniq" and sum(not argument.startswith("-") for argument in arguments) > 1:
        return False  # the second file is written to
    forbidden = _RUNS_SOMETHING.get(program, ())
    return program in _PROGRAMS and not any(argument.startswith(forbidden) for argument in arguments if forbidden)


def _sed_only_prints(script: str, *files: str) -> bool:
    return bool(_SED_PRINTS.fullmatch(script)) and not any(file.startswith("-") for file in files)


def _stays_inside(argument: str) -> bool:
    if argument.startswith("-"):
        return "/" not in argument and "~" not in argument and "&" not in argument
    value = argument.partition("=")[2] or argument
    return "&" not in argument and not value.startswith(("/", "~")) and ".." not in value.split("/")
