"""nbharness: any coding agent in a notebook cell.

``%load_ext nbharness`` brings the ``%coder`` magic; from Python, :func:`agent` returns an agent whose ``run(task)``
gives a handle to iterate and to await. Importing this package imports none of it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbharness import events
    from nbharness.coding_agent import CodingAgent, CodingTask, agent, mock, noop
    from nbharness.errors import NbHarnessError, TurnAborted, TurnFailed
    from nbharness.handle import CodingHandle
    from nbharness.inputs import Abort, ApprovalDecision, Message, PlanDecision, ToolResponse
    from nbharness.results import CodingResult
    from nbharness.signals import AbortSignal
    from nbharness.translator import EventTranslator

__version__ = "0.1.0"

__all__ = [
    "Abort",
    "AbortSignal",
    "ApprovalDecision",
    "CodingAgent",
    "CodingHandle",
    "CodingResult",
    "CodingTask",
    "EventTranslator",
    "Message",
    "NbHarnessError",
    "PlanDecision",
    "ToolResponse",
    "TurnAborted",
    "TurnFailed",
    "agent",
    "events",
    "mock",
    "noop",
]

_HOMES = {
    "coding_agent": ("CodingAgent", "CodingTask", "agent", "mock", "noop"),
    "errors": ("NbHarnessError", "TurnAborted", "TurnFailed"),
    "handle": ("CodingHandle",),
    "inputs": ("Abort", "ApprovalDecision", "Message", "PlanDecision", "ToolResponse"),
    "results": ("CodingResult",),
    "signals": ("AbortSignal",),
    "translator": ("EventTranslator",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "events":
        return importlib.import_module("nbharness.events")
    home = _HOME_OF.get(name)
    if home is None:
        message = f"module 'nbharness' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"nbharness.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def load_ipython_extension(ipython: Any) -> None:
    """Bring ``%coder`` into an IPython session; starts and writes nothing."""
    from nbharness.notebook.extension import load  # noqa: PLC0415 (importing nbharness imports no IPython)

    load(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """Take ``%coder`` out again."""
    from nbharness.notebook.extension import unload  # noqa: PLC0415 (as above)

    unload(ipython)
