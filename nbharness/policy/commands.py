"""Whether a command is one that a pattern speaks about, without a shell of our own.

A pattern is a whole command, or the first words of one and then `` *``. To allow, such a beginning covers only a
command in which nothing can mean anything to a shell, and further words that are no options. To ask or to deny, it is
looked for in every part of a command.
"""

from __future__ import annotations

import re
import shlex

from nbharness.errors import ConfigError

__all__ = ["check_command", "command_matches"]

_ANY = "*"
_PLAIN = re.compile(r"[A-Za-z0-9_./:=,@%+'\" -]*")
"""No operator, expansion, escape, redirection, glob, comment or line end, not even inside quotes."""

_PARTS = re.compile(r"[;&|\n\r(){}`<>]|\$\(")
_LAUNCHERS = """
awk bash builtin command dash doas env eval exec find fish gawk ksh nice node nohup npx parallel perl php python
python3 ruby sed sh source ssh su sudo time timeout uvx watch xargs zsh .
"""
_RUNS_ITS_ARGUMENTS = frozenset(_LAUNCHERS.split())


def check_command(pattern: str, *, allows: bool) -> None:
    """Refuse a pattern that cannot mean what it seems to.

    Raises:
        ConfigError: It is empty, has a ``*`` that is not its last word, or lets through any command there is.
    """
    beginning = _beginning(pattern)
    if not pattern.strip() or pattern == _ANY or beginning == []:
        raise ConfigError("name the command, or how it begins: bash(git status), bash(git diff *)")
    if pattern.endswith(":*"):
        raise ConfigError(f"a beginning ends in a blank and a *: bash({pattern.removesuffix(':*')} *)")
    if beginning is None or not allows:
        return
    if not _PLAIN.fullmatch(pattern.removesuffix(_ANY)):
        raise ConfigError("the beginning of a command has operators, escapes or a * in it; give the whole command")
    program = beginning[0].rpartition("/")[2]
    if program in _RUNS_ITS_ARGUMENTS:
        raise ConfigError(f"{program} runs what its arguments say, so that would allow any command; give whole ones")


def command_matches(pattern: str, command: str, *, allows: bool) -> bool:
    """Tell whether a pattern speaks about a command.

    Args:
        pattern: A whole command, or a beginning and `` *``.
        command: What an agent wants to run.
        allows: True when a match lets it run; then it is read strictly, else generously.
    """
    beginning = _beginning(pattern)
    if beginning is None:
        return command == pattern or (not allows and pattern in map(str.strip, _PARTS.split(command)))
    if allows:
        words = _words(command) if _PLAIN.fullmatch(command) else None
        if words is None or words[: len(beginning)] != beginning:
            return False
        return not any(word.startswith(("-", "+")) for word in words[len(beginning) :])
    return any(_rough_words(part)[: len(beginning)] == beginning for part in _PARTS.split(command))


def _beginning(pattern: str) -> list[str] | None:
    """Return the words that a command must begin with, or ``None`` when the pattern is a whole command."""
    return _rough_words(pattern.removesuffix(_ANY)) if pattern.endswith(f" {_ANY}") else None


def _words(command: str) -> list[str] | None:
    try:
        return shlex.split(command)
    except ValueError:  # a quote that is not closed
        return None


def _rough_words(part: str) -> list[str]:
    return _words(part) or part.split()
