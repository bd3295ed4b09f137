"""The options of ``%coder``: they come before the first other word, ``--`` ends them, the rest is the prompt verbatim.

The prompt is never split, unquoted or expanded: it is natural language.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from nbharness.approvals import ApprovalMode
from nbharness.errors import ConfigError
from nbharness.turn_options import TURN_OPTIONS, TurnOption, read_value

__all__ = ["CoderOptions", "help_text", "option_names", "parse"]

_OPTIONS = (
    *TURN_OPTIONS,
    TurnOption("--new", "new", "", "Start a new conversation."),
    TurnOption("--bg", "bg", "", "Do not wait: return the handle at once."),
    TurnOption("--attach", "attach", "", "Show the running turn here and wait for it."),
    TurnOption("--undo", "undo", "", "Take back what the last turn changed, or the turn whose id follows."),
    TurnOption("--usage", "usage", "", "Show what the agents consumed for this notebook: tokens and cost."),
    TurnOption("--as", "as_name", "NAME", "Also put the handle into this variable."),
    TurnOption("--var", "var", "NAME", "Tell the agent about this variable.", many=True),
    TurnOption(
        "--kernel-tools",
        "kernel_tools",
        "",
        "Let the agent see this kernel, and use it where you agree.",
    ),
    TurnOption("--list", "list", "", "List the agents."),
    TurnOption("--help", "help", "", "Show this text."),
)
_BY_FLAG = {option.flag: option for option in _OPTIONS}
_NEXT_WORD = re.compile(r"\s*(--[\w-]+=(?:\"[^\"]*\"|'[^']*')|\"[^\"]*\"|'[^']*'|\S+)")
_AGAIN = " May be repeated."


class CoderOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a ``%coder`` line says.

    Attributes:
        prompt: The prompt, verbatim; ``""`` when there is none.
        agent: Agent, or ``None`` for the configured one.
        agent_def: Agent of the workspace, or ``None``.
        workspace: Directory as written, or ``None``.
        model: Model, or ``None``.
        mode: Mode of the agent's own, or ``None``.
        command: Command that starts the agent, or ``None``.
        plan: Plan mode.
        approval: Permission mode, or ``None``.
        allow: Rules that allow.
        ask: Rules that ask.
        deny: Rules that deny.
        trust_project: What the project carries may run.
        timeout: Seconds, or ``None``.
        approval_timeout: Seconds, or ``None``.
        max_cost: US dollars, or ``None``.
        max_tokens: Limit, or ``None``.
        max_turns: Limit, or ``None``.
        max_tools: Limit, or ``None``.
        resume: Go on with this notebook's latest conversation.
        conversation: Id to go on with, or ``None``.
        fork: Go on in a copy.
        new: Start a new one.
        bg: Do not wait.
        attach: Show the running turn.
        undo: Take back what a turn changed; the prompt, if any, is its id.
        usage: Show what was consumed.
        as_name: Variable for the handle, or ``None``.
        var: Variables to tell about.
        kernel_tools: Offer the tools of this kernel.
        list: List the agents.
        help: Show the help.
    """

    prompt: str = ""
    agent: str | None = None
    agent_def: str | None = None
    workspace: str | None = None
    model: str | None = None
    mode: str | None = None
    command: str | None = None
    plan: bool = False
    approval: ApprovalMode | None = None
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    trust_project: bool = False
    timeout: float | None = None
    approval_timeout: float | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    max_turns: int | None = None
    max_tools: int | None = None
    resume: bool = False
    conversation: str | None = None
    fork: bool = False
    new: bool = False
    bg: bool = False
    attach: bool = False
    undo: bool = False
    usage: bool = False
    as_name: str | None = None
    var: tuple[str, ...] = ()
    kernel_tools: bool = False
    list: bool = False
    help: bool = False


def parse(line: str, cell: str | None = None) -> CoderOptions:
    """Read a magic's line and body.

    Args:
        line: What follows ``%coder``, or ``%%coder``.
        cell: Body of ``%%coder``, which is the prompt; its line then holds options only.

    Raises:
        ConfigError: If an option is unknown, lacks its value or has a wrong one.
    """
    values: dict[str, Any] = {}
    rest = line
    while (match := _NEXT_WORD.match(rest)) and match[1].startswith("--"):
        word = match[1]
        after = rest[match.end() :]
        if word == "--":
            rest = after
            break
        rest = _take(word, after, values)
    prompt = rest.strip(" \t\r\n")
    if cell is not None:
        if prompt:
            message = f"%%coder takes only options on its first line, not {prompt!r}; put the prompt below it"
            raise ConfigError(message)
        prompt = cell.removesuffix("\n")
    _check(values)
    return CoderOptions(prompt=prompt, **values)


def option_names() -> list[str]:
    """Return all options, as written."""
    return [option.flag for option in _OPTIONS]


def help_text() -> str:
    """Return the text of ``%coder --help``."""
    lines = [
        "%coder [options] prompt        the rest of the line is the prompt, verbatim",
        "%%coder [options]              the lines below are the prompt",
        "",
        "A turn of a coding agent: it works in your files, asks before it changes anything, and leaves a",
        "transcript in the cell. The value is a handle: iterate its events, or `await` it for the result.",
        "",
    ]
    lines += [
        f"  {option.flag + ' ' + option.value:<27} {option.help}{_AGAIN if option.many else ''}" for option in _OPTIONS
    ]
    return "\n".join(lines)


def _take(word: str, rest: str, values: dict[str, Any]) -> str:
    flag, equals, attached = word.partition("=")
    option = _BY_FLAG.get(flag)
    if option is None:
        valid = ", ".join(option_names())
        message = f"unknown option {flag!r} of %coder. Valid: {valid}. A prompt that begins with -- goes after `-- `"
        raise ConfigError(message)
    if not option.value:
        if equals:
            message = f"the option {flag} of %coder takes no value, but has {attached!r}"
            raise ConfigError(message)
        values[option.field] = True
        return rest
    if not equals:
        match = _NEXT_WORD.match(rest)
        if match is None or match[1].startswith("--"):
            message = f"the option {flag} of %coder needs a value: {flag} {option.value}"
            raise ConfigError(message)
        attached, rest = match[1], rest[match.end() :]
    _set(option, _unquoted(attached), values)
    return rest


def _set(option: TurnOption, value: str, values: dict[str, Any]) -> None:
    if option.value == "RULE" and "(" in value and ")" not in value:
        message = f"the rule {value!r} ends at a blank; put it in quotes: {option.flag} 'bash(git status)'"
        raise ConfigError(message)
    try:
        read = read_value(option, value)
    except ConfigError:
        raise
    except ValueError as error:
        message = f"{option.flag}: {error}"
        raise ConfigError(message) from None
    values[option.field] = (*values.get(option.field, ()), read) if option.many else read


def _check(values: dict[str, Any]) -> None:
    chosen = [
        flag
        for flag, field in (("--conversation", "conversation"), ("--continue", "resume"), ("--new", "new"))
        if values.get(field)
    ]
    if len(chosen) > 1:
        message = f"{' and '.join(chosen)} contradict each other; give one of them"
        raise ConfigError(message)
    for name in filter(None, [values.get("as_name"), *values.get("var", ())]):
        if not name.isidentifier():
            message = f"{name!r} is not the name of a variable"
            raise ConfigError(message)


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value
