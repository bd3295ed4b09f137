"""Which agent a turn gets when nobody names one. Pure: looks at what the adapters say of themselves, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from nbharness.adapters.base import AgentStatus

__all__ = ["PREFERRED", "Chosen", "default_agent"]

PREFERRED = ("builtin", "claude", "codex", "copilot", "gemini", "opencode", "goose", "qwen")
"""Agents in the order in which they are looked at; the first that can work is taken."""

_BUILTIN, _DEMO = PREFERRED[0], "demo"


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """An agent, and why it is this one.

    Attributes:
        agent: Its name.
        why: One or two sentences for the user.
    """

    agent: str
    why: str


def default_agent(known: Iterable[str], status_of: Callable[[str], AgentStatus | None]) -> Chosen:
    """Choose: the built-in agent if it has a key, else an installed agent that is signed in, else the demo agent.

    Args:
        known: Names of the adapters that exist.
        status_of: Returns what an adapter says of its agent, ``None`` where that cannot be told. Asked in the order of
            :data:`PREFERRED` and no further than needed.
    """
    names = set(known)
    unsure: list[str] = []
    login = ""
    for name in PREFERRED:
        status = status_of(name) if name in names else None
        if status is None:
            continue
        if status.installed and status.logged_in:
            return Chosen(agent=name, why=_why(name))
        if status.installed and status.logged_in is None:
            unsure.append(name)
        if name == _BUILTIN:
            login = status.login if status.installed else f"{status.install}, then {status.login}"
    return Chosen(agent=_DEMO, why=_why_demo(login, unsure))


def _why(name: str) -> str:
    if name == _BUILTIN:
        return "No agent is named; the built-in one works, since the key of a model provider is set."
    return f"No agent is named and the built-in one has no key; {name} is installed and signed in."


def _why_demo(login: str, unsure: list[str]) -> str:
    how = f" For the built-in agent: {login}." if login else ""
    may_work = f" Installed, and perhaps signed in: {', '.join(unsure)} (name it with --agent)." if unsure else ""
    return f"No agent is named, no key is set and none that is installed is known to be signed in.{how}{may_work}"
