"""An agent that conforms, but for the one fault it is given. It starts a real process, as an agent does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec

from nbharness.adapters.base import AgentStatus, Capabilities, TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.errors import AdapterError
from nbharness.events import (
    ApprovalOption,
    MessageDelta,
    Question,
    QuestionOption,
    SessionStarted,
    TodosUpdated,
    ToolEnd,
    ToolStart,
    TurnCompleted,
    Usage,
    UsageUpdated,
)
from nbharness.events.values import Todo
from nbharness.process import AgentProcess, agent_environment, spawn
from nbharness.testing.conformance import EDITED, RAN, WAITING, WRITTEN, AgentUnderTest
from nbharness.testing.conformance.builtin import environment, workspace_in

__all__ = ["Broken", "missing", "setup"]

WAIT = f"echo $$ > {WAITING}; exec sleep 60"
COMMANDS = {"write": f"touch {WRITTEN}", "run": f"touch {RAN}", "wait": WAIT}
FLOOD = 3000
OFFERED = (
    ApprovalOption(id="yes", name="Yes", kind="allow_once"),
    ApprovalOption(id="no", name="No", kind="reject_once"),
)


class Broken:
    """The adapter.

    Args:
        fault: What it does wrong; ``""`` for nothing.
    """

    name = "broken"
    unasked = ()

    def __init__(self, fault: str) -> None:
        self.fault = fault
        known = Capabilities(approvals=True, edited_args=True, todos=True, questions=True, resume=True, steer=True)
        self.capabilities = msgspec.structs.replace(known, todos=fault != "undeclared")

    def status(self) -> AgentStatus:
        return AgentStatus(installed=self.fault != "missing")

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> Session:
        del fork
        forgets = self.fault == "forgets"
        session = Session(self.fault, workspace, "s-1" if session_id is None or not forgets else "s-2")
        if self.fault == "eager":
            await session.start()
        return session


class Session:
    """One session: a process that sleeps stands for the agent."""

    def __init__(self, fault: str, workspace: Path, session_id: str) -> None:
        self.fault, self.workspace, self.session_id = fault, workspace, session_id
        self.process: AgentProcess | None = None
        self.turns = 0

    async def start(self) -> AgentProcess:
        if self.process is None or self.fault == "starts again":
            await self.close()
            self.process = await spawn(["sleep", "60"], cwd=self.workspace, env=agent_environment(os.environ, {}))
        return self.process

    async def close(self) -> None:
        if self.process is not None and self.fault != "leaves":
            await self.process.aclose()

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        process = await self.start()
        self.turns += 1
        if self.fault != "twice" or self.turns > 1:
            port.emit(SessionStarted(session_id=self.session_id))
        working = asyncio.create_task(self.work(request, port))  # noqa: TID251 (awaited below)
        gone = asyncio.create_task(process.wait())  # noqa: TID251 (as above)
        try:
            await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done() and self.fault != "hides death":
                raise process.failure("the agent died")
            await working
        finally:
            working.cancel()
            gone.cancel()

    async def work(self, request: TurnRequest, port: TurnPort) -> None:
        if request.task in COMMANDS:
            await self.use_tool(request.task, port)
        if request.task == "question":
            question = Question(id="colour", text="Which?", options=[QuestionOption(label="red")])
            reply = await port.ask_questions([question])
            if self.fault == "insists" and not reply.answered:
                raise AdapterError("an answer is needed")
        if request.task == "todos" or self.fault == "undeclared":
            port.emit(TodosUpdated(todos=[Todo(content="one")]))
        said = "".join(f"{number} " for number in range(FLOOD)) if request.task == "flood" else "Hello."
        said = "What?" if self.fault == "hears nothing" and self.turns > 1 else said
        for piece in said.split(" ")[: -1 if request.task == "flood" else None]:
            lost = self.fault == "loses" and piece == "7"
            port.emit(MessageDelta(delta="" if lost else f"{piece} " if request.task == "flood" else piece))
        spent = 10 * (self.turns if self.fault == "cumulative" else 1)
        if self.fault != "hides cost" or self.turns == 1:
            port.emit(UsageUpdated(usage=Usage(output_tokens=spent)))
        end = TurnCompleted(response=said, usage=Usage(output_tokens=spent))
        port.emit(end)
        if self.fault == "talks on":
            port.emit(MessageDelta(delta="and"))

    async def use_tool(self, task: str, port: TurnPort) -> None:
        args = {"command": COMMANDS[task]}
        call = f"call-{self.turns}"
        if self.fault != "no start":
            port.emit(ToolStart(id=call, name="bash", args=args))
        allowed, command = True, args["command"]
        if self.fault != "unasked":
            decision = await port.ask(ApprovalRequest(tool_name="bash", args=args, tool_call_id=call, options=OFFERED))
            allowed = decision.approved or self.fault == "ignores rejection"
            allowed |= self.fault == "ignores option" and bool(decision.option_id)
            if self.fault != "ignores edit":
                command = decision.args["command"]
        if self.fault != "deaf":
            port.take_message()
        if allowed:
            await self.shell(command)
        if self.fault != "no end":
            port.emit(ToolEnd(id=call, name="bash", output="", is_error=not allowed, duration_ms=1))

    async def shell(self, command: str) -> None:
        program = subprocess.Popen(["/bin/sh", "-c", command], cwd=self.workspace)  # noqa: ASYNC220 (it is a fault)
        _started.append(program)
        try:
            while program.poll() is None:  # noqa: ASYNC110 (a process that the loop does not own)
                await asyncio.sleep(0.02)
        finally:
            if program.poll() is None and self.fault != "leaves command":
                program.kill()
                program.wait()


_started: list[subprocess.Popen[bytes]] = []


def _end_what_is_left() -> None:
    while _started:
        with _started.pop() as program:
            program.kill()


@contextlib.contextmanager
def setup(folder: Path, fault: str = "") -> Iterator[AgentUnderTest]:
    """Set it up, with a fault."""
    with environment(folder), contextlib.ExitStack() as leaving:
        leaving.callback(_end_what_is_left)
        yield AgentUnderTest(
            create=lambda: Broken(fault),
            workspace=workspace_in(folder),
            tasks={task: task for task in ("say", "write", "run", "wait", "question", "todos", "flood")},
            said={"say": "Hello.", "flood": "".join(f"{number} " for number in range(FLOOD))},
            edit=lambda args: {"command": args["command"].replace(RAN, EDITED)},
            patience_s=10,
        )


def missing(folder: Path) -> contextlib.AbstractContextManager[AgentUnderTest]:
    """Set it up as one that says that it is not installed."""
    return setup(folder, "missing")
