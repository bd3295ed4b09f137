"""An agent for tests in real kernels: its prompt says what to do. Found by its entry point, as anybody's agent is.

``ask N`` asks for N approvals, one after the other; ``ask all N`` for N at once; ``later FILE`` once that file is
there; ``write FILE TEXT`` changes a file without asking; ``propose TEXT`` proposes a plan; ``question`` asks one,
``question several`` two at once; ``offer`` asks with answers of its own; ``wait`` until it is told something;
``spawn`` starts a process tree that ignores SIGTERM and waits; ``stream N CHARS RATE`` says N deltas, and with ``ask``
behind it asks then; ``hostile`` says and does what a page must not believe; ``environ`` tells the environment of a
program that it starts. The agent ``obeys`` is the same, and reads files of the project that can run things.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import msgspec
from support.processes import STUBBORN_TREE, environment_of

from nbharness.adapters.base import AgentSession, AgentStatus, Capabilities, TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.events import (
    ApprovalOption,
    MessageDelta,
    Question,
    QuestionOption,
    ToolEnd,
    ToolStart,
    TurnCompleted,
)
from nbharness.process import agent_environment, read_lines, spawn

__all__ = ["create", "install"]

OFFERED = (
    ApprovalOption(id="yes", name="Allow", kind="allow_once"),
    ApprovalOption(id="always", name="Always", kind="allow_always"),
    ApprovalOption(id="no", name="No", kind="reject_once"),
)
HOSTILE = Path(__file__).with_name("hostile.md")


def install(place: Path) -> str:
    """Make the agent ``scripted`` known to every Python that has the returned directories on its path."""
    info = place / "nbh_test_agents-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nbh-test-agents\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[nbharness.adapters]\nscripted = support.agents:create\nobeys = support.agents:create_obedient\n"
    )
    # The nbharness under test is on this process's own path, where it is not the one that is installed.
    return os.pathsep.join(filter(None, [str(place), str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH")]))


def create() -> ScriptedByPrompt:
    """Return the adapter."""
    return ScriptedByPrompt()


def create_obedient() -> ScriptedByPrompt:
    """Return the adapter that reads files of the project."""
    return ObeysProject()


class ScriptedByPrompt:
    """The adapter; it is its own session."""

    name = "scripted"
    capabilities = Capabilities(approvals=True, edited_args=True, plan=True, steer=True, resume=True)
    session_id = "scripted-session"

    unasked = ()

    def status(self) -> AgentStatus:
        return AgentStatus(installed=True)

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> AgentSession:
        del workspace, session_id, fork
        return self

    async def close(self) -> None:
        return

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        self.environment = agent_environment(os.environ, request.environment)
        verb, *words = request.task.split()
        step = getattr(self, f"_{verb}", None)
        said = "no such step" if step is None else await step(port, words)
        port.emit(TurnCompleted(response=said))

    async def _ask(self, port: TurnPort, words: list[str]) -> str:
        if words[:1] == ["all"]:
            return " ".join(await asyncio.gather(*(self._one(port, index) for index in range(int(words[1])))))
        return " ".join([await self._one(port, index) for index in range(int((words or ["1"])[0]))])

    async def _one(self, port: TurnPort, index: int) -> str:
        call, args = f"call-{index}", {"command": f"echo {index}"}
        port.emit(ToolStart(id=call, name="bash", args=args))
        decision = await port.ask(ApprovalRequest(tool_name="bash", args=args, tool_call_id=call))
        output = str(decision.args["command"]) if decision.approved else decision.reason
        port.emit(ToolEnd(id=call, name="bash", output=output, is_error=not decision.approved, duration_ms=1))
        return decision.status

    async def _later(self, port: TurnPort, words: list[str]) -> str:
        port.emit(MessageDelta(delta=f"waiting for {words[0]}"))
        while not Path(words[0]).exists():  # noqa: ASYNC110 (the file comes from another process)
            await asyncio.sleep(0.05)
        return await self._one(port, 0)

    async def _propose(self, port: TurnPort, words: list[str]) -> str:
        answer = await port.propose(" ".join(words))
        return f"approved: {answer.plan}" if answer.approved else f"rejected: {answer.reason}"

    async def _question(self, port: TurnPort, words: list[str]) -> str:
        options = [QuestionOption(label="Half up"), QuestionOption(label="Half to even", description="as banks do")]
        questions = [Question(id="round", text="How should refunds round?", options=options)]
        if words == ["several"]:
            checks = [QuestionOption(label=name) for name in ("pytest", "mypy", "ruff")]
            questions.append(Question(id="checks", text="Which checks should run?", options=checks, multiple=True))
        reply = await port.ask_questions(questions)
        return "; ".join(", ".join(given) for given in reply.answers.values()) if reply.answered else "skipped"

    async def _offer(self, port: TurnPort, _words: list[str]) -> str:
        args = {"command": "echo offered"}
        port.emit(ToolStart(id="o", name="bash", args=args))
        decision = await port.ask(ApprovalRequest(tool_name="bash", args=args, tool_call_id="o", options=OFFERED))
        port.emit(ToolEnd(id="o", name="bash", output="", is_error=not decision.approved, duration_ms=1))
        return decision.option_id or decision.status

    async def _write(self, _port: TurnPort, words: list[str]) -> str:
        name, *text = words
        Path(name).write_text(" ".join(text))
        return f"wrote {name}"

    async def _wait(self, port: TurnPort, _words: list[str]) -> str:
        port.emit(MessageDelta(delta="waiting"))
        return (await port.next_message()).text

    async def _spawn(self, port: TurnPort, words: list[str]) -> str:
        environment = agent_environment(os.environ, {})
        async with await spawn([*STUBBORN_TREE, *words], cwd=Path.cwd(), env=environment) as process:
            async for line in read_lines(process.stdout):
                port.emit(MessageDelta(delta=bytes(line).decode() if isinstance(line, bytes) else ""))
                break
            await port.next_message()
        return "done"

    async def _environ(self, port: TurnPort, _words: list[str]) -> str:
        async with await spawn(["cat"], cwd=Path.cwd(), env=self.environment) as process:
            await process.write(b".")
            await process.stdout.read()
            port.emit(MessageDelta(delta=json.dumps(environment_of(process.pid))))
        return "told"

    async def _stream(self, port: TurnPort, words: list[str]) -> str:
        count, chars, rate = int(words[0]), int(words[1]), float(words[2])
        loop = asyncio.get_running_loop()
        began = loop.time()
        for index in range(count):
            port.emit(MessageDelta(delta=f"{index:0{chars}d}"[-chars:]))
            ahead = index / rate - (loop.time() - began)
            if ahead > 0:
                await asyncio.sleep(ahead)
        return await self._one(port, 0) if words[3:] == ["ask"] else "streamed"

    async def _hostile(self, port: TurnPort, _words: list[str]) -> str:
        text = HOSTILE.read_text()
        port.emit(MessageDelta(delta=text))
        port.emit(ToolStart(id="h", name="<img src=x onerror=window.pwned=1>", args={"command": text}))
        port.emit(ToolEnd(id="h", name="bash", output=text, is_error=True, duration_ms=1))
        decision = await port.ask(ApprovalRequest(tool_name="bash", args={"command": text}, message=text))
        return decision.status


class ObeysProject(ScriptedByPrompt):
    """The same agent, were it to read files of the project that can run things."""

    name = "obeys"
    capabilities = msgspec.structs.replace(ScriptedByPrompt.capabilities, project_config=True)
