"""What an agent asks its client to do for it is bound to what a person saw, and done once."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from support.port import Answer, Question, RecordingPort

from nbharness.adapters.acp.faults import Refusal
from nbharness.adapters.acp.requests import TurnRequests
from nbharness.adapters.acp.terminals import Terminals
from nbharness.adapters.acp.translate import Translator
from nbharness.adapters.base import TurnRequest
from nbharness.events import ApprovalRequired, ToolEnd
from nbharness.inputs import ApprovalDecision
from nbharness.tasks import TaskOwner

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


class Client:
    """Our end of a connection, in one turn."""

    def __init__(self, workspace: Path) -> None:
        self.tasks = TaskOwner()
        self.terminals = Terminals(self.tasks, lambda _id, _text: None)
        self.translator = Translator(str(workspace))
        self.edits: dict[str, Any] | None = None
        self.port = RecordingPort(TurnRequest(turn_id="t1", task="x", workspace=workspace), person=self._person)
        self._requests = TurnRequests(
            workspace=workspace,
            environment={"PATH": os.environ["PATH"]},
            port=self.port,
            translator=self.translator,
            terminals=self.terminals,
        )

    def _person(self, question: Question) -> Answer:
        assert isinstance(question, ApprovalRequired)
        if self.edits is None:
            return ApprovalDecision(id=question.id, decision="approve")
        return ApprovalDecision(id=question.id, decision="approve", args={**question.args, **self.edits})

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return await self._requests.answer(method, params)

    async def permit(self, command: str) -> None:
        call = {"toolCallId": "c", "kind": "execute", "title": "Run", "rawInput": {"command": command}}
        events, asked = self.translator.ask({"toolCall": call, "options": OPTIONS})
        for event in events:
            self.port.emit(event)
        await self._requests.answer("session/request_permission", asked)

    async def run(self, **params: Any) -> str:
        made = await self.ask("terminal/create", **params)
        await self.ask("terminal/wait_for_exit", **made)
        return str((await self.ask("terminal/output", **made))["output"])

    @property
    def asked(self) -> list[Any]:
        """The arguments of each approval."""
        return [event.args for event in self.port.all(ApprovalRequired)]


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    made = Client(tmp_path)
    yield made
    await made.terminals.aclose()
    await made.tasks.close(5)


async def test_a_command_that_was_allowed_runs_once(client: Client) -> None:
    await client.permit("echo one")
    assert await client.run(command="echo one") == "one\n"
    assert len(client.asked) == 1
    assert await client.run(command="echo one") == "one\n"
    assert len(client.asked) == 2


async def test_variables_and_directories_that_nobody_saw_are_asked_about(client: Client, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    await client.permit("echo $WHO")
    env = [{"name": "WHO", "value": "me"}]
    assert await client.run(command="echo $WHO", env=env) == "me\n"
    assert client.asked[1:] == [{"command": "echo $WHO", "cwd": str(tmp_path), "env": {"WHO": "me"}}]
    await client.permit("pwd -P")
    await client.run(command="pwd -P", cwd=str(tmp_path / "sub"))
    assert client.asked[-1] == {"command": "pwd -P", "cwd": str(tmp_path / "sub")}


async def test_a_write_is_done_as_a_person_edits_it_and_told_when_it_is_done(client: Client, tmp_path: Path) -> None:
    client.edits = {"path": str(tmp_path / "mine"), "content": "edited\n"}
    await client.ask("fs/write_text_file", path=str(tmp_path / "theirs"), content="new\n")
    assert (tmp_path / "mine").read_text() == "edited\n"
    assert not (tmp_path / "theirs").exists()
    end = client.port.the(ToolEnd)
    assert isinstance(end.diffs, list)
    assert (end.diffs[0].path, "+edited" in end.diffs[0].patch) == ("mine", True)


async def test_a_write_that_fails_is_not_told_as_done(client: Client, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refusal, match="cannot write"):
        await client.ask("fs/write_text_file", path=str(tmp_path / "file" / "below"), content="x")
    assert client.port.the(ToolEnd).is_error is True


async def test_a_pipe_is_not_waited_for(client: Client, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refusal, match="no regular file"):
        await client.ask("fs/read_text_file", path=str(tmp_path / "pipe"))
    with pytest.raises(Refusal, match="no regular file"):
        await client.ask("fs/write_text_file", path=str(tmp_path / "pipe"), content="x")
    assert client.asked == []
