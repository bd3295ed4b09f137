"""What Codex asks, put before the turn's port, and the answers in Codex's words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import UNSET

from nbharness.adapters.base import TurnPort
from nbharness.adapters.codex.items import COMMAND, PATCH, command_args
from nbharness.adapters.codex.patches import change_args, change_kind, file_diff
from nbharness.adapters.codex.reads import only_reads
from nbharness.adapters.codex.rpc import ServerRequest
from nbharness.adapters.codex.translate import Translator
from nbharness.approvals import ApprovalRequest, Decision
from nbharness.events import ApprovalChoice, Notice, Question, QuestionOption

__all__ = ["Asker", "UnanswerableError"]

# Codex takes no other arguments than it asked for. "For the session" is not offered: our own rules remember better.
_CHOICES: tuple[ApprovalChoice, ...] = ("approve", "remember", "reject", "reject_stop")
_NO_PERSON = {"mode", "nobody", "turn"}
_MCP_APPROVAL = "mcp_tool_call"


class UnanswerableError(Exception):
    """Codex asks something that we do not know, or in a way that we cannot read."""


class _Asked(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    item_id: str = ""
    reason: str | None = None


class _Host(msgspec.Struct, frozen=True):
    host: str
    protocol: str = ""


class _CommandAsked(_Asked, frozen=True, kw_only=True):
    kind: str = "command"
    command: str | None = None
    cwd: str | None = None
    network_approval_context: _Host | None = None
    additional_permissions: Any = None


class _PatchAsked(_Asked, frozen=True, kw_only=True):
    grant_root: str | None = None


class _PermissionsAsked(_Asked, frozen=True, kw_only=True):
    permissions: dict[str, Any]


class _Option(msgspec.Struct, frozen=True):
    label: str
    description: str = ""


class _NativeQuestion(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    question: str
    header: str = ""
    is_other: bool = True
    is_secret: bool = False
    options: list[_Option] | None = None


class _QuestionsAsked(_Asked, frozen=True, kw_only=True):
    questions: list[_NativeQuestion]


class _Elicited(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    server_name: str
    message: str = ""
    meta: dict[str, Any] | None = msgspec.field(name="_meta", default=None)


class Asker:
    """Answers the requests of one turn.

    Args:
        port: The turn.
        translator: Knows what a patch would change.
        workspace: Directory that paths are shown relative to.
        tell: Tells Codex something as the user; its own answers have no room for a reason.
    """

    def __init__(
        self, port: TurnPort, translator: Translator, workspace: str, tell: Callable[[str], Awaitable[None]]
    ) -> None:
        self._port = port
        self._tell = tell
        self._translator = translator
        self._workspace = workspace
        self._answers: dict[str, Callable[[Any], Awaitable[dict[str, Any]]]] = {
            "item/commandExecution/requestApproval": self._command,
            "item/fileChange/requestApproval": self._patch,
            "item/permissions/requestApproval": self._permissions,
            "item/tool/requestUserInput": self._questions,
            "mcpServer/elicitation/request": self._elicitation,
        }

    async def answer(self, request: ServerRequest) -> dict[str, Any]:
        """Return the result to send back; waits for a person where one is asked.

        Raises:
            UnanswerableError: It is none of the requests that we know.
        """
        handler = self._answers.get(request.method)
        if handler is None:
            raise UnanswerableError(f"this client does not answer {request.method}")
        try:
            return await handler(request.params)
        except msgspec.ValidationError as error:
            raise UnanswerableError(f"{request.method} cannot be read: {error}") from error

    async def _ask(self, request: ApprovalRequest) -> Decision:
        decision = await self._port.ask(request)
        if decision.status == "rejected" and decision.reason and not decision.stop and decision.by not in _NO_PERSON:
            await self._tell(f"({request.tool_name} was rejected, for this reason: {decision.reason})")
        return decision

    async def _command(self, params: Any) -> dict[str, Any]:
        asked = msgspec.convert(params, _CommandAsked)
        host = asked.network_approval_context
        args = command_args(asked.command or "", asked.cwd or "", self._workspace)
        if host is not None:
            args |= {"host": host.host, "protocol": host.protocol}
        if asked.additional_permissions is not None:
            args["additional_permissions"] = asked.additional_permissions
        harmless = set(args) == {"command"} and asked.kind == "command" and only_reads(args["command"])
        decision = await self._ask(
            ApprovalRequest(
                tool_name=COMMAND if asked.kind == "command" else "write_stdin",
                args=args,
                message=asked.reason,
                tool_call_id=asked.item_id,
                mutates=not harmless,
                choices=_CHOICES,
                kind="execute" if host is None else "fetch",
            )
        )
        return {"decision": _word(decision)}

    async def _patch(self, params: Any) -> dict[str, Any]:
        asked = msgspec.convert(params, _PatchAsked)
        changes = self._translator.changes.get(asked.item_id, [])
        args = change_args(changes, self._workspace)
        if asked.grant_root:
            args["grant_root"] = asked.grant_root
        decision = await self._ask(
            ApprovalRequest(
                tool_name=PATCH,
                args=args,
                message=asked.reason,
                tool_call_id=asked.item_id,
                choices=_CHOICES,
                diffs=tuple(file_diff(change, self._workspace) for change in changes),
                warnings=() if changes else ("Codex did not say what this patch changes",),
                kind=change_kind(changes),
            )
        )
        return {"decision": _word(decision)}

    async def _permissions(self, params: Any) -> dict[str, Any]:
        asked = msgspec.convert(params, _PermissionsAsked)
        decision = await self._ask(
            ApprovalRequest(
                tool_name="request_permissions",
                args={"permissions": asked.permissions},
                message=asked.reason,
                tool_call_id=asked.item_id,
                choices=_CHOICES,
                warnings=("What is permitted here holds for every command of this turn",),
                kind="other",
            )
        )
        granted = {name: what for name, what in asked.permissions.items() if what is not None}
        return {"permissions": granted if decision.approved else {}, "scope": "turn"}

    async def _questions(self, params: Any) -> dict[str, Any]:
        asked = msgspec.convert(params, _QuestionsAsked)
        reply = await self._port.ask_questions([_question(question) for question in asked.questions])
        answers = reply.answers if reply.answered else {}
        return {"answers": {id_: {"answers": given} for id_, given in answers.items()}}

    async def _elicitation(self, params: Any) -> dict[str, Any]:
        asked = msgspec.convert(params, _Elicited)
        meta = asked.meta or {}
        if meta.get("codex_approval_kind") != _MCP_APPROVAL:
            text = f"The MCP server {asked.server_name} asked for input, which cannot be shown; it was declined."
            self._port.emit(Notice(message=f"{text} It said: {asked.message}", level="warning"))
            return {"action": "decline", "content": None, "_meta": None}
        args = meta.get("tool_params") or {}
        # Neither the tool nor the call is named in the question.
        call = self._translator.open_call(f"mcp__{asked.server_name}__", args)
        decision = await self._ask(
            ApprovalRequest(
                tool_name=call.name if call else f"mcp__{asked.server_name}",
                args=args,
                message=asked.message or None,
                tool_call_id=call.id if call else "",
                choices=_CHOICES,
                kind="other",
            )
        )
        return {"action": _word(decision), "content": {} if decision.approved else None, "_meta": None}


def _word(decision: Decision) -> str:
    if decision.approved:
        return "accept"
    return "cancel" if decision.stop or decision.status == "cancelled" else "decline"


def _question(question: _NativeQuestion) -> Question:
    return Question(
        id=question.id,
        text=question.question,
        header=question.header or UNSET,
        options=[
            QuestionOption(label=option.label, description=option.description or UNSET)
            for option in question.options or []
        ],
        free_text=question.is_other or not question.options,
        secret=question.is_secret,
    )
