"""What Claude asks, put to the turn, and the answers as Claude takes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec import UNSET

from nbharness.adapters.base import TurnPort
from nbharness.adapters.claude.tools import kind_of, proposed_diffs
from nbharness.adapters.claude.translate import Translator
from nbharness.approvals import ApprovalRequest
from nbharness.events import Question, QuestionOption

__all__ = ["Asker", "Unanswerable"]

_REJECTED = "The user rejected this. Do not try it another way; say what you would do instead, or stop."
_MAX_SHOWN_BYTES = 1024 * 1024
_UNANSWERED = "The user did not answer. Decide yourself, or go on without it."
_PLAN_REJECTED = "The user does not approve this plan. Do not carry it out; stop here."


class Unanswerable(Exception):
    """Claude asks something that nobody here can answer."""


class Asker:
    """Answers the questions of one turn.

    Args:
        port: The turn.
        translator: Knows what Claude said of a call before it asks.
    """

    def __init__(self, port: TurnPort, translator: Translator) -> None:
        self._port = port
        self._translator = translator

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return Claude's response to a control request.

        Raises:
            Unanswerable: It is none that we know.
            AdapterProtocolError: It cannot be read.
        """
        if request.get("subtype") != "can_use_tool":
            raise Unanswerable(f"there is nobody to answer {request.get('subtype')!r}")
        given = request.get("input")
        args: dict[str, Any] = given if isinstance(given, dict) else {}
        match request.get("tool_name"):
            case "ExitPlanMode":
                return await self._plan(args)
            case "AskUserQuestion":
                return await self._questions(args)
            case str(tool) if tool:
                return await self._approval(tool, args, request)
            case other:
                raise Unanswerable(f"there is no tool {other!r} to ask about")

    async def _approval(self, tool: str, args: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
        call_id, reason, path = request.get("tool_use_id"), request.get("decision_reason"), request.get("blocked_path")
        for event in self._translator.announced(str(call_id or ""), tool, args):
            self._port.emit(event)
        warnings = [f"Claude Code asks because of {path}"] if isinstance(path, str) else []
        decision = await self._port.ask(
            ApprovalRequest(
                tool_name=tool,
                args=args,
                message=reason if isinstance(reason, str) else None,
                tool_call_id=call_id if isinstance(call_id, str) else "",
                kind=kind_of(tool),
                diffs=proposed_diffs(tool, args, self._translator.workspace, _replaced(tool, args)),
                warnings=tuple(warnings),
            )
        )
        if decision.approved:
            return {"behavior": "allow", "updatedInput": decision.args}
        return {"behavior": "deny", "message": decision.reason or _REJECTED, "interrupt": decision.stop}

    async def _plan(self, args: dict[str, Any]) -> dict[str, Any]:
        plan = args.get("plan")
        answer = await self._port.propose(plan if isinstance(plan, str) else "")
        if answer.approved:
            edited = answer.plan != plan
            return {"behavior": "allow", "updatedInput": {**args, "plan": answer.plan} if edited else args}
        return {"behavior": "deny", "message": answer.reason or _PLAN_REJECTED}

    async def _questions(self, args: dict[str, Any]) -> dict[str, Any]:
        asked = args.get("questions")
        known = [entry for entry in asked if isinstance(entry, dict)] if isinstance(asked, list) else []
        reply = await self._port.ask_questions([_question(index, entry) for index, entry in enumerate(known)])
        if not reply.answered:
            return {"behavior": "deny", "message": _UNANSWERED}
        answers = {
            str(entry.get("question")): ", ".join(reply.answers.get(str(index), []))
            for index, entry in enumerate(known)
            if reply.answers.get(str(index))
        }
        return {"behavior": "allow", "updatedInput": {**args, "answers": answers}}


def _replaced(tool: str, args: dict[str, Any]) -> str | None:
    """Return the file that a call would replace, as text; ``None`` when there is none that can be shown."""
    path = args.get("file_path")
    if tool != "Write" or not isinstance(path, str):
        return None
    try:
        # Anything but a regular file could make us wait for ever.
        if not os.path.isfile(path) or os.path.getsize(path) > _MAX_SHOWN_BYTES:  # noqa: PTH113, PTH202 (any text)
            return None
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _question(index: int, entry: dict[str, Any]) -> Question:
    offered = entry.get("options")
    options = [option for option in offered if isinstance(option, dict)] if isinstance(offered, list) else []
    header = entry.get("header")
    return Question(
        id=str(index),
        text=str(entry.get("question") or ""),
        header=header if isinstance(header, str) else UNSET,
        options=[_option(option) for option in options],
        multiple=entry.get("multiSelect") is True,
    )


def _option(option: dict[str, Any]) -> QuestionOption:
    means = option.get("description")
    return QuestionOption(label=str(option.get("label") or ""), description=means if isinstance(means, str) else UNSET)
