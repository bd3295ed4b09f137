"""The agent that the benches drive in real kernels. Its prompt says what to do; it is found by its entry point.

``stream N CHARS RATE [FILE]`` says N deltas of CHARS characters, RATE a second; ``pipe N RATE`` says what a program
writes to a pipe, N stamped lines, RATE a second; ``ask N FILE`` asks for N approvals, one after the other. FILE gets
the moments, in Unix seconds: of each delta, or of each answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from nbharness.adapters.base import AgentSession, Capabilities, TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.events import MessageDelta, ToolEnd, ToolStart, TurnCompleted
from nbharness.process import agent_environment, read_lines, spawn
from nbharness.translator import TypedTranslator

__all__ = ["STAMPER", "create", "delta", "install"]

STAMPER = Path(__file__).with_name("stamper.py")
_PARAGRAPH = 40
"""Deltas in one paragraph."""
_LOOK_S = 1.0


def install(place: Path) -> None:
    """Make the agent ``bench`` known to every Python that has `place` and this folder's parent on its path."""
    info = place / "nbh_bench_agent-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nbh-bench-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[nbharness.adapters]\nbench = bench.agent:create\n")


def create() -> BenchAdapter:
    """Return the adapter."""
    return BenchAdapter()


def delta(index: int, chars: int) -> str:
    """Return the text of one delta: a word, and after the last word of a paragraph an empty line."""
    end = "\n\n" if index % _PARAGRAPH == _PARAGRAPH - 1 else " "
    return "abcdefghijklmnopqrstuvwxyz"[index % 26] * (chars - len(end)) + end


class BenchAdapter:
    """The adapter; it is its own session."""

    name = "bench"
    capabilities = Capabilities(approvals=True)
    session_id = "bench-session"

    async def open_session(self, workspace: Path, session_id: str | None = None) -> AgentSession:
        del workspace, session_id
        return self

    async def close(self) -> None:
        return

    async def run_turn(self, request: TurnRequest, port: TurnPort) -> None:
        verb, *words = request.task.split()
        await getattr(self, f"_{verb}")(port, *words)
        port.emit(TurnCompleted(response=None))

    async def _stream(self, port: TurnPort, count: str, chars: str, rate: str, file: str = "") -> None:
        began, said, total = time.monotonic(), 0, int(count)
        moments: list[float] = []
        while said < total:
            due = min(total, int((time.monotonic() - began) * float(rate)) + 1)
            for index in range(said, due):
                port.emit(MessageDelta(delta=delta(index, int(chars))))
            moments += [time.time()] * (due - said)
            said = due
            await asyncio.sleep(max(0.001, began + said / float(rate) - time.monotonic()))
        if file:
            # The transcript replaces the view at the end of the turn: whoever looks at the view needs time to do so.
            await asyncio.sleep(_LOOK_S)
            _write(file, moments)
            await asyncio.sleep(_LOOK_S)

    async def _pipe(self, port: TurnPort, count: str, rate: str) -> None:
        environment = agent_environment(os.environ, {})
        translator = TypedTranslator()
        async with await spawn([sys.executable, str(STAMPER), count, rate], cwd=Path.cwd(), env=environment) as process:
            async for line in read_lines(process.stdout):
                if isinstance(line, bytes):
                    for event in translator.translate(json.loads(line)):
                        port.emit(event)

    async def _ask(self, port: TurnPort, count: str, file: str) -> None:
        moments = []
        for index in range(int(count)):
            call, args = f"call-{index}", {"command": f"echo {index}"}
            port.emit(ToolStart(id=call, name="bash", args=args))
            decision = await port.ask(ApprovalRequest(tool_name="bash", args=args, tool_call_id=call))
            moments.append(time.time())
            port.emit(ToolEnd(id=call, name="bash", output="", is_error=not decision.approved, duration_ms=1))
        _write(file, moments)


def _write(file: str, moments: Sequence[float]) -> None:
    """Write a file that is whole as soon as it is there."""
    part = Path(f"{file}.part")
    part.write_text(json.dumps(moments))
    part.rename(file)
