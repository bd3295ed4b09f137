"""Tools that are no tools but ways to speak with the user: proposing a plan, asking a question."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from nbharness.adapters.base import TurnPort
from nbharness.events import Question, QuestionOption
from nbharness.tools.base import Tool, ToolContext, ToolError, ToolOutput

__all__ = ["ASK", "PLAN", "Planning", "ask_tool", "plan_tool"]

PLAN, ASK = "propose_plan", "ask_user"

_PLAN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"plan": {"type": "string", "description": "The whole plan, Markdown: what is done, in order."}},
    "required": ["plan"],
    "additionalProperties": False,
}
_ASK_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "description": "One question, complete in itself."},
        "options": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Answers to choose from, the best one first; the user may also write another.",
        },
    },
    "required": ["question"],
    "additionalProperties": False,
}


class Planning(Protocol):
    """A turn that may have to plan first."""

    planning: bool
    """True until a plan is approved."""


class _Plan(msgspec.Struct, forbid_unknown_fields=True):
    plan: str


class _Ask(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    options: list[str] = []


def plan_tool(port: TurnPort, turn: Planning) -> Tool:
    """Return the tool that puts a plan before the user and lets the turn go on when it is approved."""

    async def run(_context: ToolContext, args: dict[str, Any]) -> ToolOutput:
        plan = _read(args, _Plan).plan
        answer = await port.propose(plan)
        if answer.approved:
            turn.planning = False
            if answer.plan != plan:
                return ToolOutput(text=f"The user changed the plan and approves of this one:\n\n{answer.plan}")
            return ToolOutput(text="The user approved the plan. Carry it out.")
        if answer.by in {"nobody", "turn"}:
            raise ToolError("Nobody could be asked. Change nothing; give the plan as your answer and end.")
        raise ToolError(
            f"The user does not approve the plan. Revise it and propose it again. They say: {answer.reason}"
        )

    return Tool(
        name=PLAN,
        description="Propose a plan to the user and wait for their yes or no. Nothing may be changed before a yes.",
        parameters=_PLAN_SCHEMA,
        kind="think",
        asks=False,
        run=run,
    )


def ask_tool(port: TurnPort) -> Tool:
    """Return the tool that asks the user a question."""

    async def run(_context: ToolContext, args: dict[str, Any]) -> ToolOutput:
        asked = _read(args, _Ask)
        options = [QuestionOption(label=option) for option in asked.options]
        reply = await port.ask_questions([Question(id="q", text=asked.question, options=options)])
        if not reply.answered:
            return ToolOutput(text="The user gave no answer. Decide yourself, and say what you took for granted.")
        return ToolOutput(text="; ".join(reply.answers.get("q", [])))

    return Tool(
        name=ASK,
        description="Ask the user one question and wait. Only for what you cannot find out and must not guess.",
        parameters=_ASK_SCHEMA,
        kind="think",
        asks=False,
        run=run,
    )


def _read(args: dict[str, Any], kind: type[Any]) -> Any:
    try:
        return msgspec.convert(args, kind)
    except msgspec.ValidationError as error:
        raise ToolError(f"the arguments {args!r} cannot be used: {error}") from error
