"""Agents with nothing around them: the program, and the least that its protocol asks of a client.

One blocking reader a program; whatever it asks is allowed at once. Kept alive between turns, as we keep it.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

__all__ = ["Bare", "BareAcp", "BareClaude", "BareCodex"]


class Bare:
    """A program that is started by its first turn and ended with the block.

    Args:
        program: Its path.
        workspace: Directory it works in.
        environment: All of its environment.
    """

    arguments: ClassVar[Sequence[str]]

    def __init__(self, program: Path, workspace: Path, environment: Mapping[str, str]) -> None:
        self.workspace = str(workspace)
        self._argv = [str(program), *self.arguments]
        self._environment = environment
        self._last_id = 0
        self._program: subprocess.Popen[bytes] | None = None

    def turn(self, task: str) -> None:
        """Run one turn; return when it has ended."""
        if self._program is None:
            self._program = subprocess.Popen(
                self._argv,
                cwd=self.workspace,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._open()
        self._run(task)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._program is not None:
            self._program.kill()
            with contextlib.suppress(BrokenPipeError):
                self._program.communicate()

    def _open(self) -> None:
        raise NotImplementedError

    def _run(self, task: str) -> None:
        raise NotImplementedError

    def _send(self, **message: Any) -> None:
        assert self._program is not None
        assert self._program.stdin is not None
        self._program.stdin.write(json.dumps(message).encode() + b"\n")
        self._program.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._program is not None
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        assert line, f"{self._argv[0]} ended"
        message: dict[str, Any] = json.loads(line)
        return message


class BareClaude(Bare):
    """Claude Code over its control protocol."""

    arguments = (
        "--output-format=stream-json",
        "--input-format=stream-json",
        "--verbose",
        "--include-partial-messages",
        "--permission-prompt-tool=stdio",
        "--setting-sources=user,project,local",
        "--permission-mode=default",
        "--model=claude-sonnet-4-5",
    )

    def _open(self) -> None:
        request = {"subtype": "initialize", "hooks": None}
        self._send(type="control_request", request_id="1", request=request)
        while self._read()["type"] != "control_response":
            pass

    def _run(self, task: str) -> None:
        said = {"role": "user", "content": task}
        self._send(type="user", message=said, parent_tool_use_id=None, session_id="default")
        while (message := self._read())["type"] != "result":
            if message["type"] == "control_request":
                allowed = {"behavior": "allow", "updatedInput": message["request"]["input"]}
                answer = {"subtype": "success", "request_id": message["request_id"], "response": allowed}
                self._send(type="control_response", response=answer)
        assert message["is_error"] is False, message


class _JsonRpc(Bare):
    def _request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request, answer what is asked meanwhile, and return the result."""
        self._last_id += 1
        self._send(jsonrpc="2.0", id=self._last_id, method=method, params=params)
        while True:
            message = self._read()
            if "method" not in message and message.get("id") == self._last_id:
                result: dict[str, Any] = message["result"]
                return result
            self._take(message)

    def _take(self, message: Mapping[str, Any]) -> None:
        if "id" in message and "method" in message:
            self._send(jsonrpc="2.0", id=message["id"], result=self._allowed(message["params"]))

    def _allowed(self, params: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


class BareCodex(_JsonRpc):
    """Codex's app-server."""

    arguments = ("app-server",)
    _ended = False
    _thread = ""

    def _open(self) -> None:
        client = {"name": "bare", "title": "bare", "version": "0"}
        capabilities = {"experimentalApi": True, "requestAttestation": False}
        self._request("initialize", {"clientInfo": client, "capabilities": capabilities})
        self._send(jsonrpc="2.0", method="initialized")
        opened = self._request(
            "thread/start",
            {
                "cwd": self.workspace,
                "approvalPolicy": "untrusted",
                "approvalsReviewer": "user",
                "sandbox": "workspace-write",
                "config": {"tools.update_plan.enabled": True},
            },
        )
        self._thread = opened["thread"]["id"]

    def _run(self, task: str) -> None:
        self._ended = False
        said = [{"type": "text", "text": task, "text_elements": []}]
        self._request("turn/start", {"threadId": self._thread, "input": said, "approvalPolicy": "untrusted"})
        while not self._ended:
            self._take(self._read())

    def _take(self, message: Mapping[str, Any]) -> None:
        self._ended |= message.get("method") == "turn/completed"
        super()._take(message)

    def _allowed(self, params: Mapping[str, Any]) -> dict[str, Any]:
        del params
        return {"decision": "accept"}


class BareAcp(_JsonRpc):
    """An agent that speaks ACP."""

    arguments = ("--acp",)
    _session = ""

    def _open(self) -> None:
        files = {"readTextFile": False, "writeTextFile": False}
        client = {"name": "bare", "version": "0"}
        capabilities = {"fs": files, "terminal": False}
        self._request("initialize", {"protocolVersion": 1, "clientInfo": client, "clientCapabilities": capabilities})
        self._session = self._request("session/new", {"cwd": self.workspace, "mcpServers": []})["sessionId"]

    def _run(self, task: str) -> None:
        said = [{"type": "text", "text": task}]
        ended = self._request("session/prompt", {"sessionId": self._session, "prompt": said})
        assert ended["stopReason"] == "end_turn", ended

    def _allowed(self, params: Mapping[str, Any]) -> dict[str, Any]:
        chosen = next(option for option in params["options"] if option["kind"] == "allow_once")
        return {"outcome": {"outcome": "selected", "optionId": chosen["optionId"]}}
