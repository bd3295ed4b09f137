"""Records what the real Codex says: ``python tests/tools/record_codex.py [CASE ...]``.

It writes ``tests/golden/codex/*.native.jsonl``. Run it from the root when another version of Codex is pinned, then the
golden tests with NBH_UPDATE_GOLDEN=1, and look at what differs. What varies from run to run is replaced: ids, times,
paths, numbers of processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.codex_home import KEY, set_up_home
from support.codex_real import RealCodex, call, patch, plan, run
from support.port import approves, rejects

from nbharness.adapters.codex.rpc import Incoming, Notification, ServerRequest
from nbharness.adapters.codex.server import AppServer
from nbharness.events import TodosUpdated
from nbharness.testing.fakellm import Fail, FakeLLM, Reply

GOLDEN = Path(__file__).parents[1] / "golden" / "codex"
DONE = Reply(text="All done.")
TODO = call("update_plan", {"plan": [{"step": "one", "status": "completed"}, {"step": "two", "status": "in_progress"}]})
QUESTION = {"id": "q", "header": "Colour", "question": "Which?", "options": [{"label": "red", "description": "warm"}]}

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIMES = {"emittedAtMs", "startedAtMs", "completedAtMs", "startedAt", "completedAt"}
_UNTOLD = ("account/", "configWarning", "remoteControl/", "thread/started", "thread/settings/", "thread/readState/")

recorded: list[Incoming] = []
_hear = AppServer._on_batch


def _record(server: AppServer, batch: list[Incoming]) -> None:
    recorded.extend(batch)
    _hear(server, batch)


async def write(codex: RealCodex) -> None:
    writes = patch("*** Add File: a.txt", "+one", "+two")
    await codex.turn(Reply(thinking="A file, then.", text="I write it.", calls=writes.calls), TODO, DONE)


async def command(codex: RealCodex) -> None:
    await codex.turn(run("touch a.txt; echo one; sleep 0.3; echo two; exit 3"), DONE)


async def rejected(codex: RealCodex) -> None:
    await codex.turn(run("touch a.txt"), patch("*** Add File: a.txt", "+one"), DONE, person=rejects)


async def edit(codex: RealCodex) -> None:
    codex.file("old.txt").write_text("a\nb\n")
    codex.file("gone.txt").write_text("x\n")
    moves = ("*** Update File: old.txt", "*** Move to: new.txt", "@@", " a", "-b", "+c")
    await codex.turn(patch(*moves, "*** Delete File: gone.txt"), DONE)


async def planned(codex: RealCodex) -> None:
    await codex.turn(plan("1. write a.txt"), patch("*** Add File: a.txt", "+x"), DONE, plan_mode=True)


async def question(codex: RealCodex) -> None:
    await codex.turn(call("request_user_input", {"questions": [QUESTION]}), DONE, plan_mode=True, person=approves)


async def resumed(codex: RealCodex) -> None:
    await codex.turn(DONE)
    session_id = codex.session.session_id
    await codex.session.close()
    recorded.clear()
    await codex.open(session_id)
    await codex.turn(DONE)


async def interrupted(codex: RealCodex) -> None:
    await codex.aborted(TodosUpdated, TODO, Reply(text="late", delay_s=2))


async def cut(codex: RealCodex) -> None:
    await codex.turn(Reply(text="half of it", cut=True), DONE)


def failing(fail: Fail, *, twice: bool = False) -> Callable[[RealCodex], Awaitable[None]]:
    async def case(codex: RealCodex) -> None:
        await codex.turn(*[fail] * 8)
        if twice:
            recorded.clear()
            await codex.turn(DONE)

    return case


CASES: dict[str, Callable[[RealCodex], Awaitable[None]]] = {
    "write": write,
    "command": command,
    "rejected": rejected,
    "edit": edit,
    "plan": planned,
    "question": question,
    "resumed": resumed,
    "interrupted": interrupted,
    "cut": cut,
    "rate-limited": failing(Fail(status=429, message="slow down")),
    "signed-out": failing(Fail(status=401, message="who are you")),
    "server-error": failing(Fail(status=500, message="oops")),
    "context": failing(Fail(status=400, kind="context_length_exceeded", message="too long")),
    "compacted": failing(Fail(status=400, kind="context_length_exceeded", message="too long"), twice=True),
}


async def record(name: str, place: Path, model: FakeLLM) -> None:
    home = place / "codex-home"
    set_up_home(home, model.url)
    os.environ |= {"CODEX_HOME": str(home), "HOME": str(place), KEY: "a-key-that-nobody-has"}
    recorded.clear()
    codex = RealCodex(place / "workspace", model)
    await codex.open()
    await CASES[name](codex)
    thread = codex.session.session_id
    await codex.session.close()
    head = {"program": "codex app-server", "version": version("openai-codex-cli-bin"), "thread": thread}
    lines = [json.dumps({**head, "workspace": str(codex.workspace)}), *(_line(message) for message in recorded)]
    text = "\n".join(line for line in lines if line) + "\n"
    paths = {str(codex.workspace): "/workspace", str(place): "/home/user", f"{place.name}/workspace": "workspace"}
    for varying, shown in {**paths, model.url: "http://model"}.items():
        text = text.replace(varying, shown)
    (GOLDEN / f"{name}.native.jsonl").write_text(_numbered(text))


def _line(message: Incoming) -> str:
    match message:
        case Notification() if not message.method.startswith(_UNTOLD):
            return json.dumps({"method": message.method, "params": _steady(message.params)})
        case ServerRequest():
            return json.dumps({"id": message.id, "method": message.method, "params": _steady(message.params)})
        case _:
            return ""


def _steady(value: Any) -> Any:
    if isinstance(value, list):
        return [_steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    fixed = {"durationMs": 10, "processId": "1"}
    return {
        key: fixed[key] if key in fixed and item is not None else _steady(item)
        for key, item in value.items()
        if key not in _TIMES
    }


def _numbered(text: str) -> str:
    seen: dict[str, str] = {}
    return _UUID.sub(lambda found: seen.setdefault(found[0], f"id-{len(seen) + 1}"), text)


async def main() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    setattr(AppServer, _hear.__name__, _record)
    for name in sys.argv[1:] or CASES:
        with FakeLLM({}) as model, tempfile.TemporaryDirectory() as place:
            await record(name, Path(place), model)
            print(name)


if __name__ == "__main__":
    asyncio.run(main())
