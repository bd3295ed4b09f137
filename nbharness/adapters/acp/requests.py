"""What an agent asks of us during a turn, answered by the port: permissions, files, commands, forms."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET

from nbharness.adapters.acp.answers import CANCELLED, is_allowing, outcome_of, pick, selected
from nbharness.adapters.acp.faults import INVALID_PARAMS, METHOD_NOT_FOUND, Refusal
from nbharness.adapters.acp.files import file_in, read_file, text_before, write_file
from nbharness.adapters.acp.forms import content_of, questions_of
from nbharness.adapters.acp.terminals import Terminals, command_in
from nbharness.adapters.acp.translate import Asked, Translator
from nbharness.adapters.acp.values import mapping, mappings, text_of
from nbharness.adapters.base import TurnPort
from nbharness.approvals import ApprovalRequest, Decision
from nbharness.events import ApprovalChoice, FileDiff, ToolEnd, ToolKind, ToolStart
from nbharness.file_diff import file_diff

__all__ = ["TurnRequests"]

_CHOICES: tuple[ApprovalChoice, ...] = ("approve", "remember", "reject", "reject_stop")
_NO_SUCH_METHOD = "Method not found"


class TurnRequests:
    """Answers the requests of one turn.

    Args:
        workspace: Directory that the agent works in.
        environment: Environment of the commands that it has us run.
        port: The turn.
        translator: Knows the tool calls of the turn.
        terminals: Commands of the session.
    """

    def __init__(
        self,
        *,
        workspace: Path,
        environment: Mapping[str, str],
        port: TurnPort,
        translator: Translator,
        terminals: Terminals,
    ) -> None:
        self._workspace = workspace
        self._environment = environment
        self._port = port
        self._translator = translator
        self._terminals = terminals
        self._allowed_texts: dict[str, str] = {}
        self._allowed_commands: set[str] = set()
        self._made = 0
        self.stopping = asyncio.Event()
        """Set when the turn is being stopped: every permission is then answered as cancelled."""

    async def answer(self, method: str, params: object) -> dict[str, Any]:
        """Answer one request.

        Args:
            method: Its method.
            params: Its parameters; those of a permission request already read, as :class:`Asked`.

        Raises:
            Refusal: It is not answered; says why.
        """
        if isinstance(params, Asked):
            return await self._permission(params)
        match method:
            case "fs/read_text_file":
                return await asyncio.to_thread(read_file, file_in(self._workspace, params), params)
            case "fs/write_text_file":
                return await self._write(params)
            case "terminal/create":
                return await self._run(params)
            case "terminal/output" | "terminal/wait_for_exit" | "terminal/kill" | "terminal/release":
                return await self._terminals.answer(method, params)
            case "elicitation/create":
                return await self._form(params)
            case _:
                raise Refusal(METHOD_NOT_FOUND, _NO_SUCH_METHOD, {"method": method})

    async def _permission(self, asked: Asked) -> dict[str, Any]:
        if self.stopping.is_set():
            return CANCELLED
        if asked.plan:
            answer = await self._port.propose(asked.plan)
            outcome = selected(pick(asked.options, allow=answer.approved))
        else:
            outcome = outcome_of(await self._port.ask(_request(asked)), asked.options)
        outcome = CANCELLED if self.stopping.is_set() else outcome
        allowed = is_allowing(outcome, asked.options)
        if allowed:
            self._allowed_texts |= asked.texts
            self._allowed_commands.add(text_of(mapping(asked.args).get("command")))
        self._translator.answered(asked, allowed=allowed)
        return outcome

    async def _write(self, params: object) -> dict[str, Any]:
        path, content = file_in(self._workspace, params), mapping(params).get("content")
        if not isinstance(content, str):
            raise Refusal(INVALID_PARAMS, "content must be a text")
        # It asked for this before: a person is not asked twice.
        if self._allowed_texts.pop(text_of(mapping(params).get("path")), None) == content:
            await asyncio.to_thread(write_file, path, content)
            return {}
        old = await asyncio.to_thread(text_before, path)
        diff = file_diff(str(path), old, content, str(self._workspace))
        args = {"path": str(path), "content": content}
        decision, call_id = await self._ask("write_text_file", args, kind="edit", diffs=(diff,))
        if decision.edited:
            path, content = file_in(self._workspace, decision.args), text_of(mapping(decision.args).get("content"))
            diff = file_diff(str(path), old, content, str(self._workspace))
        try:
            await asyncio.to_thread(write_file, path, content)
        except Refusal as refusal:
            self._end(call_id, "write_text_file", refusal.message, is_error=True)
            raise
        self._end(call_id, "write_text_file", f"wrote {diff.path}", diffs=(diff,))
        return {}

    async def _run(self, params: object) -> dict[str, Any]:
        argv = command_in(params)
        said = mapping(params)
        line = text_of(said.get("command")) if argv[0] == "/bin/sh" and "args" not in said else shlex.join(argv)
        cwd = file_in(self._workspace, {"path": said["cwd"]}) if said.get("cwd") else self._workspace
        # What a person allowed runs once, where and with what they saw.
        allowed = {line, " ".join(argv)} & self._allowed_commands
        self._allowed_commands -= allowed
        env = {text_of(each.get("name")): text_of(each.get("value")) for each in mappings(said.get("env"))}
        if not allowed or env or cwd not in {self._workspace, self._workspace.resolve()}:
            args = {"command": line, "cwd": str(cwd)} | ({"env": env} if env else {})
            _, call_id = await self._ask("terminal", args, kind="execute")
            self._end(call_id, "terminal", None)
        return await self._terminals.create(argv, cwd=cwd, env={**self._environment, **env}, params=params)

    async def _ask(
        self, tool: str, args: dict[str, Any], *, kind: ToolKind, diffs: tuple[FileDiff, ...] = ()
    ) -> tuple[Decision, str]:
        """Ask for what the agent did not ask for itself; return the decision and the tool call made for it."""
        if self.stopping.is_set():
            raise Refusal(INVALID_PARAMS, "the turn is being stopped")
        self._made += 1
        call_id = f"client-{self._made}"
        self._port.emit(ToolStart(id=call_id, name=tool, args=args, kind=kind))
        choices = (*_CHOICES, "approve_edited") if kind == "edit" else _CHOICES
        request = ApprovalRequest(
            tool_name=tool, args=args, tool_call_id=call_id, diffs=diffs, kind=kind, choices=choices
        )
        decision = await self._port.ask(request)
        if not decision.approved or decision.stop:
            reason = decision.reason or "rejected"
            self._end(call_id, tool, reason, is_error=True)
            raise Refusal(INVALID_PARAMS, f"{tool} was not allowed: {reason}")
        return decision, call_id

    def _end(
        self,
        call_id: str,
        tool: str,
        output: str | None,
        *,
        is_error: bool = False,
        diffs: tuple[FileDiff, ...] = (),
    ) -> None:
        self._port.emit(
            ToolEnd(
                id=call_id, name=tool, output=output, is_error=is_error, duration_ms=None, diffs=list(diffs) or UNSET
            )
        )

    async def _form(self, params: object) -> dict[str, Any]:
        questions = questions_of(params)
        if mapping(params).get("mode", "form") != "form" or not questions or self.stopping.is_set():
            return {"action": "cancel"}
        reply = await self._port.ask_questions(questions)
        if not reply.answered:
            return {"action": "cancel" if self.stopping.is_set() else "decline"}
        return {"action": "accept", "content": content_of(params, reply.answers)}


def _request(asked: Asked) -> ApprovalRequest:
    return ApprovalRequest(
        tool_name=asked.tool_name,
        args=asked.args,
        message=asked.title or None,
        tool_call_id=asked.call_id,
        choices=_CHOICES,
        diffs=asked.diffs,
        kind=asked.kind,
        options=asked.options,
    )
