"""The options of a turn, the same words in a cell and on the command line, with their help and how to read them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, get_args

import msgspec

from nbharness.approvals import ApprovalMode
from nbharness.budget import Budget
from nbharness.config import RuleTexts
from nbharness.policy import Effect, parse_rule

__all__ = ["APPROVAL_MODES", "TURN_OPTIONS", "TurnOption", "read_value", "spec_fields"]

APPROVAL_MODES: tuple[ApprovalMode, ...] = get_args(ApprovalMode)


class TurnOption(msgspec.Struct, frozen=True):
    """One option.

    Attributes:
        flag: As written, with its dashes.
        field: Name of its value.
        value: What stands for its value in help; ``""`` for an option that has none.
        help: One sentence.
        many: It may be repeated.
    """

    flag: str
    field: str
    value: str
    help: str
    many: bool = False


TURN_OPTIONS = (
    TurnOption("--agent", "agent", "NAME", "Agent that does the work; `nbharness agents` lists them."),
    TurnOption("--agent-def", "agent_def", "NAME", "Agent of the workspace, from agents/NAME/instructions.md."),
    TurnOption("--workspace", "workspace", "DIR", "Directory to work in; by default this one."),
    TurnOption("--model", "model", "NAME", "Model, where the agent lets it be chosen."),
    TurnOption("--mode", "mode", "NAME", "Mode of the agent's own, where it has any."),
    TurnOption("--command", "command", "TEXT", 'Command that starts the agent, for acp: "copilot --acp".'),
    TurnOption("--plan", "plan", "", "Propose a plan first and change nothing before it is approved."),
    TurnOption("--approval", "approval", "MODE", "require (ask before changes), auto (approve and record) or off."),
    TurnOption("--allow", "allow", "RULE", "Do not ask about this: 'bash(git diff *)', 'edit(docs/**)'.", many=True),
    TurnOption("--ask", "ask", "RULE", "Ask about this in every mode.", many=True),
    TurnOption("--deny", "deny", "RULE", "Refuse this; deny comes before ask before allow.", many=True),
    TurnOption("--trust-project", "trust_project", "", "Let hooks, servers and the like of the project run."),
    TurnOption("--timeout", "timeout", "SECONDS", "Time the agent may work, waiting for you not counted."),
    TurnOption("--approval-timeout", "approval_timeout", "SECONDS", "Time an approval waits; by default for ever."),
    TurnOption("--max-cost", "max_cost", "USD", "Stop at this cost, where the agent says what it costs."),
    TurnOption("--max-tokens", "max_tokens", "N", "Stop at this many tokens, in and out."),
    TurnOption("--max-turns", "max_turns", "N", "Stop at this many requests to the model."),
    TurnOption("--max-tools", "max_tools", "N", "Stop at this many tool calls."),
    TurnOption("--continue", "resume", "", "Go on with the latest conversation held here."),
    TurnOption("--conversation", "conversation", "ID", "Go on with this one; `nbharness sessions` lists them."),
    TurnOption("--fork", "fork", "", "Go on in a copy and leave that conversation as it is."),
)  # fmt: skip
"""Every option that a cell and the command line share, in the order to show them."""


def read_value(option: TurnOption, text: str) -> Any:
    """Return the value of an option.

    Raises:
        ConfigError: A rule cannot be used.
        ValueError: It is no such value; the text says what is valid.
    """
    read = _READERS.get(option.value)
    if option.value == "RULE":
        effects: dict[str, Effect] = {"allow": "allow", "ask": "ask", "deny": "deny"}
        parse_rule(effects[option.field], text)
    return text if read is None else read(text)


def spec_fields(options: Any) -> dict[str, Any]:
    """Return the fields of :meth:`~nbharness.spec.TurnSpec.over` that options say, but for agent and workspace.

    Args:
        options: Has an attribute for each option's field; what was not given is ``None``, false or empty.
    """
    return {
        "model": options.model,
        "mode": options.mode,
        "command": options.command,
        "plan_mode": options.plan or None,
        "approval_mode": options.approval,
        "rules": RuleTexts(allow=tuple(options.allow), ask=tuple(options.ask), deny=tuple(options.deny)),
        "trust_project": options.trust_project,
        "timeout_s": options.timeout,
        "approval_timeout_s": options.approval_timeout,
        "budget": Budget(
            max_cost_usd=options.max_cost,
            max_tokens=options.max_tokens,
            max_turns=options.max_turns,
            max_tools=options.max_tools,
        ),
        "fork": options.fork,
    }


def _seconds(text: str) -> float:
    return _above_zero(text, "a number of seconds above 0")


def _dollars(text: str) -> float:
    return _above_zero(text.removeprefix("$"), "an amount in US dollars above 0")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise ValueError(f"{text!r} is not a whole number above 0")
    return int(text)


def _approval(text: str) -> str:
    if text not in APPROVAL_MODES:
        raise ValueError(f"{text!r} is no approval mode; choose from {', '.join(APPROVAL_MODES)}")
    return text


def _above_zero(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"{text!r} is not {what}")
    return value


_READERS: dict[str, Callable[[str], Any]] = {"SECONDS": _seconds, "USD": _dollars, "N": _count, "MODE": _approval}
