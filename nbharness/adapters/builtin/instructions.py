"""What the model is told before anything else."""

from __future__ import annotations

from nbharness.adapters.base import TurnRequest
from nbharness.adapters.builtin.own_tools import PLAN
from nbharness.prompt import system_prompt

__all__ = ["system_prompt_of"]

_PLANNING = f"""\
You are in plan mode. Read and search as much as you need, change nothing, and then call `{PLAN}` with the whole plan. \
Begin to work when the user has approved it."""


def system_prompt_of(request: TurnRequest) -> str:
    """Return the system prompt of a turn."""
    append = [request.system_prompt_append, _PLANNING if request.plan_mode else ""]
    return system_prompt(request.workspace, base=request.instructions, append="\n\n".join(filter(None, append)))
