"""Which agent a turn gets when nobody names one: the first of a short list that can work, and why it is that one."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable

import msgspec

from nbharness.adapters.base import Adapter, AgentStatus
from nbharness.adapters.builtin.models import AGENT as BUILTIN
from nbharness.adapters.builtin.models import has_provider, problem_with
from nbharness.adapters.registry import adapter_names, known_adapter
from nbharness.config import Settings

__all__ = ["DEMO", "PREFERRED", "Chosen", "agent_for", "default_agent"]

DEMO = "demo"
"""The agent that always works."""

PREFERRED = (BUILTIN, "claude", "codex", "copilot", "gemini", "opencode", "goose", "qwen")
"""Agents in the order in which they are looked at; the first that can work is taken."""

_adapters: dict[str, Adapter] = {}
"""Made once a process: finding them takes longer than asking them for their status."""

_KEPT = "No agent is named; this kernel goes on with the one it chose before."


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """An agent, and why it is this one.

    Attributes:
        agent: Its name.
        why: One or two sentences for the user; ``""`` when the user named it.
    """

    agent: str
    why: str = ""


def agent_for(
    settings: Settings,
    named: str | None = None,
    *,
    model: str | None = None,
    before: Chosen | None = None,
    demo: bool = True,
) -> Chosen:
    """Return the agent of a turn: the one that is named, else that of the settings, else the first that can work.

    What can work is looked up each time, in files and variables, so a key that is set a moment before counts.

    Args:
        settings: The settings.
        named: What the turn names, or the agent of the conversation that it continues.
        model: The model that the turn names.
        before: What was chosen here before: work goes on with that, unless it was the demo agent or a model is named.
        demo: The demo agent will do where none can work; otherwise it is the built-in one, which says what is missing.
    """
    by_name = named or settings.agent
    if by_name:
        return Chosen(agent=by_name)
    if before is not None and before.agent != DEMO and model is None:
        return Chosen(agent=before.agent, why=before.why and _KEPT)
    wanted = model or settings.model
    own = model or settings.model_for(BUILTIN)
    return default_agent(_names(), functools.partial(_status, model=own), wanted, demo=demo)


def default_agent(
    known: Iterable[str],
    status_of: Callable[[str], AgentStatus | None],
    model: str | None = None,
    *,
    demo: bool = True,
) -> Chosen:
    """Choose: the built-in agent if it has a key, else an installed agent that is signed in, else the demo agent.

    Args:
        known: Names of the adapters that exist.
        status_of: Returns what an adapter says of its agent, ``None`` where that cannot be told. Asked in the order of
            :data:`PREFERRED` and no further than needed.
        model: The model that is wanted. One that says whose it is, is for the built-in agent, which also answers for
            one that nobody else could take: it tells what is missing.
        demo: See :func:`agent_for`.
    """
    names = set(known)
    for_builtin = model is not None and BUILTIN in names
    if for_builtin and has_provider(str(model)):
        return Chosen(agent=BUILTIN, why=_why(BUILTIN, model))
    unsure: list[str] = []
    login = ""
    for name in PREFERRED:
        status = status_of(name) if name in names else None
        if status is None:
            continue
        if status.installed and status.logged_in:
            return Chosen(agent=name, why=_why(name, model))
        if status.installed and status.logged_in is None:
            unsure.append(name)
        if name == BUILTIN:
            steps = ["" if status.installed else status.install, "" if status.logged_in else status.login]
            login = ", then ".join(filter(None, steps))
    if for_builtin or (not demo and BUILTIN in names):
        what = "" if model is None else f" for the model {model!r}"
        return Chosen(agent=BUILTIN, why=f"No agent is named, and none is known to be ready{what}.")
    return Chosen(agent=DEMO, why=_why_demo(login, unsure))


@functools.cache
def _names() -> tuple[str, ...]:
    return tuple(adapter_names())


def _status(name: str, *, model: str | None) -> AgentStatus | None:
    adapter = _adapters.get(name) or known_adapter(name).adapter
    if adapter is None:
        return None
    _adapters[name] = adapter
    status = adapter.status()
    if name != BUILTIN:
        return status
    problem = problem_with(model, os.environ)
    return msgspec.structs.replace(status, logged_in=not problem, login=problem or status.login)


def _why(name: str, model: str | None) -> str:
    if name != BUILTIN:
        return f"No agent is named and the built-in one is not ready; {name} is installed and signed in, so it answers."
    if model is not None:
        return f"No agent is named; the model {model!r} is one for the built-in agent."
    return "No agent is named; the built-in one answers, since the key of a model provider is set."


def _why_demo(login: str, unsure: list[str]) -> str:
    why = "No agent is named and none is known to be ready, so the demo agent answers: a script, not a model."
    how = f" For the built-in agent: {login}." if login else ""
    may_work = f" Installed, and perhaps signed in: {', '.join(unsure)} (name it with --agent)." if unsure else ""
    return f"{why}{how}{may_work}"
