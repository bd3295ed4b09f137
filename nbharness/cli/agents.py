"""``nbharness agents``: every known agent, what of it is there, what it can do; with ``--defs`` the project's own."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nbharness.adapters.base import AgentStatus
from nbharness.adapters.default import Chosen, agent_for
from nbharness.adapters.registry import KnownAdapter, known_adapters
from nbharness.cli.agent_defs import list_definitions
from nbharness.cli.agent_policy import policy_lines
from nbharness.cli.colour import ink_for
from nbharness.cli.exit_codes import DONE
from nbharness.cli.options import CommandParser
from nbharness.config import load
from nbharness.errors import UnknownName
from nbharness.transcript.ink import Ink
from nbharness.transcript.visible import visible

__all__ = ["main"]

_WIDTH = 80
_NAME_WIDTH = 14
_WORDS = {
    "edited_args": "edits in approvals",
    "terminal_output": "live output",
    "mcp_servers": "MCP servers",
    "prompt_append": "text after its prompt",
    "project_config": "settings of the project",
}

_EPILOG = """\
Nothing is started and no network is used, so whether somebody is signed in is known only where files or variables tell.
An agent that is missing is installed with the command shown; nbharness never installs one.
"""


def main(arguments: Sequence[str]) -> int:
    """List the agents.

    Raises:
        ConfigError: There is no such agent, or a setting cannot be used.
    """
    parser = CommandParser(
        "agents", "List the agents: installed, signed in, the default, and what each can do.", _EPILOG
    )
    parser.add_argument("name", nargs="*", help="only these")
    parser.add_argument("--json", action="store_true", help="one JSON array")
    parser.add_argument("--policy", action="store_true", help="what each does unasked, and where your rules hold")
    parser.add_argument("--defs", action="store_true", help="the agents that this directory declares in agents/NAME")
    options = parser.parse_args(arguments)
    if options.defs:
        return list_definitions(Path.cwd(), options.name, as_json=options.json)
    agents = _named(options.name)
    default = agent_for(load())
    ink = ink_for(sys.stdout)
    if options.json:
        found = [_as_json(agent, default.agent) for agent in agents]
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    elif options.policy:
        _print_blocks(policy_lines(agent, ink) for agent in agents)
    else:
        _print_blocks(_lines(agent, default, ink) for agent in agents)
    return DONE


def _named(names: Sequence[str]) -> list[KnownAdapter]:
    known = {agent.name: agent for agent in known_adapters()}
    for name in names:
        if name not in known:
            raise UnknownName("agent", name, known)
    return [known[name] for name in names] or list(known.values())


def _print_blocks(blocks: Iterable[Iterable[str]]) -> None:
    print("\n\n".join("\n".join(block) for block in blocks))


def _lines(agent: KnownAdapter, default: Chosen, ink: Ink) -> Iterator[str]:
    status = agent.status
    rest: list[tuple[Callable[[str], str], str]] = []
    if status is None:
        words = ink.removed("broken")
        rest.append((ink.removed, agent.problem))
    elif status.installed:
        words = ", ".join([visible(status.version or "installed"), *_signed_in(status, ink)])
    else:
        words = ink.asks("not installed")
        rest.append((str, f"install: {status.install}"))
    if status is not None and status.login and status.logged_in is not True:
        rest.append((str, f"sign in: {status.login}"))
    if agent.adapter is not None:
        names = (_WORDS.get(name, name) for name in agent.adapter.capabilities.names)
        rest.append((ink.muted, "can: " + (", ".join(names) or "nothing to choose")))
    if agent.name == default.agent:
        rest.append((ink.added, f"the default: {default.why or 'your settings name it.'}"))
    yield ink.strong(visible(agent.name).ljust(_NAME_WIDTH)) + words
    for paint, text in rest:
        yield from (" " * _NAME_WIDTH + paint(line) for line in _wrapped(text))


def _signed_in(status: AgentStatus, ink: Ink) -> list[str]:
    if status.logged_in is None:
        return []
    return [ink.added("signed in") if status.logged_in else ink.asks("not signed in")]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(visible(" ".join(text.split())), _WIDTH - _NAME_WIDTH, break_on_hyphens=False)


def _as_json(agent: KnownAdapter, default: str) -> dict[str, Any]:
    status = agent.status or AgentStatus(installed=False)
    adapter = agent.adapter
    return {
        "name": agent.name,
        "package": agent.package,
        "default": agent.name == default,
        **msgspec.to_builtins(status),
        "capabilities": adapter.capabilities.names if adapter else [],
        "options": sorted(adapter.capabilities.options) if adapter else [],
        "unasked": list(adapter.unasked) if adapter else [],
        "problem": agent.problem or None,
    }
