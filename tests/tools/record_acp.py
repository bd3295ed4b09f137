"""Records what real programs say over ACP, for the golden files: ``python tests/tools/record_acp.py copilot [CASE]``.

The programs are looked for in ``.cache/agents``; they talk to a fake model on this machine. A native file holds the
messages of the agent and our answers to what it asked, as they came, without what differs from run to run.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.acp import Talk, claude_environment, copilot_environment, opened  # noqa: E402 (after the path)
from support.port import Person, approves, rejects  # noqa: E402

from nbharness.adapters.acp import AcpAdapter, claude_acp, copilot  # noqa: E402
from nbharness.adapters.acp.session import AcpSession  # noqa: E402
from nbharness.adapters.acp.transport import ProcessTransport  # noqa: E402
from nbharness.events import ToolDelta, ToolStart  # noqa: E402
from nbharness.testing.fakellm import Call, Fail, FakeLLM, Reply, Script  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "acp"
MAX_COMMANDS = 2


def copilot_scripts(path: str) -> dict[str, Script]:
    create = Call(tool="create", args={"path": path, "file_text": "hello\nworld\n"})
    edit = Call(tool="edit", args={"path": path, "old_str": "world", "new_str": "there"})
    run = Call(tool="bash", args={"command": "touch made && echo made it", "description": "Make a file"})
    wait = Call(
        tool="bash", args={"command": "echo began; python3 -c 'import time; time.sleep(60)'", "description": "W"}
    )
    return {
        "work": [
            Reply(thinking="A file is needed.", text="I write a file. ", calls=[create]),
            Reply(calls=[run]),
            Reply(calls=[edit]),
            Reply(text="All is done."),
        ],
        "rejected": [Reply(calls=[run])],
        "cancelled": [Reply(text="I wait. ", calls=[wait])],
        "loaded": [Reply(text="First. ", calls=[create]), Reply(text="Done.")],
        "limited": [Fail(status=429, message="slow down, try again in 7 s")] * 8,
        "signed-out": [Fail(status=401, message="who are you")] * 8,
    }


def claude_scripts(path: str) -> dict[str, Script]:
    write = Call(tool="Write", args={"file_path": path, "content": "hello\nworld\n"})
    edit = Call(tool="Edit", args={"file_path": path, "old_string": "world", "new_string": "there"})
    run = Call(tool="Bash", args={"command": "touch made && echo made it", "description": "Make a file"})
    todos = [{"content": "one", "status": "completed", "activeForm": "Doing one"}]
    todos += [{"content": "two", "status": "in_progress", "activeForm": "Doing two"}]
    options = [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}]
    question = {"question": "Which colour?", "header": "Colour", "options": options, "multiSelect": False}
    find = r"(/[^\s\"\\]+/plans/[^\s\"\\]+\.md)"
    plan = Call(tool="Write", args={"file_path": "@FOUND@", "content": "# Plan\n\n1. Write the file.\n"})
    return {
        "work": [
            Reply(thinking="A file is needed.", text="I write a file. ", calls=[write]),
            Reply(calls=[run]),
            Reply(calls=[edit]),
            Reply(calls=[Call(tool="TodoWrite", args={"todos": todos})]),
            Reply(text="All is done."),
        ],
        "rejected": [Reply(calls=[run]), Reply(text="I see.")],
        "plan": [
            Reply(calls=[plan], find=find),
            Reply(calls=[Call(tool="ExitPlanMode", args={})]),
            Reply(calls=[write]),
            Reply(text="Done as planned."),
        ],
        "question": [Reply(calls=[Call(tool="AskUserQuestion", args={"questions": [question]})]), Reply(text="Fine.")],
    }


class Recorder:
    """Takes down what passes between sessions and their agents."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        intake, send = AcpSession._intake, ProcessTransport.send

        def heard(session: AcpSession, message: dict[str, Any]) -> dict[str, Any] | None:
            self.messages.append(json.loads(json.dumps(message)))
            return intake(session, message)

        async def said(transport: ProcessTransport, message: dict[str, Any]) -> None:
            if message.get("method", "session/cancel") == "session/cancel":
                self.messages.append(json.loads(json.dumps(message)))
            await send(transport, message)

        AcpSession._intake = heard  # type: ignore[assignment,method-assign]
        ProcessTransport.send = said  # type: ignore[assignment,method-assign]


async def record(agent: str, case: str, recorder: Recorder, home: Path) -> None:
    adapter, scripts, environment = AGENTS[agent]
    workspace = home / "w"
    workspace.mkdir()
    with FakeLLM(scripts(str(workspace / "hello.txt"))) as model:
        os.environ.update(environment(model.url, home))
        async with opened(workspace, adapter=adapter()) as talk:
            program = adapter().status()
            if case == "loaded":
                await talk.run(f"SCRIPT:{case}")
                await talk.session._end(0.5)
                recorder.messages.clear()
                await talk.run("and now?")
            else:
                await turn(talk, case)
            session_id = talk.session.session_id
    facts = {"agent": agent, "version": program.version, "prompt": f"SCRIPT:{case}"}
    scrub = Scrubber(session_id, workspace, home)
    lines = [json.dumps(scrub(message), ensure_ascii=False) for message in ({"recorded": facts}, *recorder.messages)]
    (GOLDEN / f"{agent}-{case}.native.jsonl").write_text("\n".join(lines) + "\n")


async def turn(talk: Talk, case: str) -> None:
    person: Person = rejects if case == "rejected" else approves
    if case != "cancelled":
        print((await talk.run(f"SCRIPT:{case}", person=person, plan_mode=case == "plan")).events[-1])
        return
    began = asyncio.Event()

    def heard(event: object) -> None:
        if isinstance(event, ToolDelta):
            began.set()

    request, port = talk.port(f"SCRIPT:{case}", on_event=heard)
    running = asyncio.get_running_loop().create_task(talk.session.run_turn(request, port))
    await asyncio.wait_for(began.wait(), 20)
    assert port.all(ToolStart)
    running.cancel()
    await asyncio.wait({running})


class Scrubber:
    """Replaces what differs from run to run."""

    def __init__(self, session_id: str, workspace: Path, home: Path) -> None:
        self._texts = {session_id: "session", str(workspace): "/w", str(home): "/home/me", str(ROOT): "/opt"}
        self._ids: dict[str, str] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._field(key, item) for key, item in value.items()}
        if isinstance(value, list):
            return [self(item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _field(self, key: str, value: Any) -> Any:
        if key == "availableCommands":
            return self(value[:MAX_COMMANDS])
        if key in {"messageId", "toolUseId"} and isinstance(value, str):
            return self._ids.setdefault(value, f"m{len(self._ids) + 1}")
        if key in {"updatedAt", "timestamp"}:
            return "2026-12-01T00:00:00.000Z"
        if key == "used" and isinstance(value, int):
            return round(value, -2)
        return self(value)

    def _text(self, text: str) -> str:
        for found, instead in self._texts.items():
            text = text.replace(found, instead) if found else text
            text = text.replace(found.lstrip("/"), instead.lstrip("/")) if found.startswith("/") else text
        text = re.sub(r"http://127\.0\.0\.1:\d+", "http://model", text)
        return re.sub(r"plans/[\w-]+\.md", "plans/plan.md", text)


AGENTS: dict[str, tuple[Callable[[], AcpAdapter], Callable[[str], dict[str, Script]], Callable[[str, Path], Any]]] = {
    "copilot": (copilot, copilot_scripts, copilot_environment),
    "claude-acp": (claude_acp, claude_scripts, claude_environment),
}


def main(agent: str, *only: str) -> None:
    recorder = Recorder()
    for case in only or AGENTS[agent][1](""):
        recorder.messages.clear()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            asyncio.run(record(agent, case, recorder, Path(home).resolve()))


if __name__ == "__main__":
    main(*sys.argv[1:])
