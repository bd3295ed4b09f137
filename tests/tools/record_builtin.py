"""Record what the engine of the built-in agent says: ``python tests/tools/record_builtin.py [CASE]``.

Writes ``tests/golden/builtin/<wire>-<case>.native.jsonl`` for all four wire forms; the derived files come from the
tests, with ``NBH_UPDATE_GOLDEN=1``. What varies from run to run is replaced: times, ids, paths.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.builtin import DONE, MODELS, TOO_LONG, Builtin, bash, builtin, call, write
from support.port import Answer, Question, approves, rejects

from nbharness.adapters.builtin.translate import Translator
from nbharness.errors import AdapterError
from nbharness.events import ApprovalRequired, Event, Notice, Unknown
from nbharness.inputs import ApprovalDecision
from nbharness.testing.fakellm import Call, Fail, Reply
from nbharness.tools.registry import builtin_tools

GOLDEN = Path(__file__).parents[1] / "golden" / "builtin"
_LEFT_OUT = {"timestamp", "id", "signature", "provider_name", "provider_details", "canonical_system"}

_MADE_UP = re.compile(r"pyd_ai_[0-9a-f]+")

recorded: list[Mapping[str, Any]] = []
_translate = Translator.translate


def _record(translator: Translator, said: Any) -> Any:
    recorded.append(said)
    return _translate(translator, said)


async def tools(agent: Builtin) -> None:
    calls = [Call(tool="bash", args={"command": "echo one; exit 3"}), Call(tool="read", args={"path": "a.txt"})]
    agent.file("a.txt").write_text("hello\n")
    await agent.turn(Reply(thinking="Look first.", text="I look.", calls=calls), write("b.txt"), DONE)


async def todos(agent: Builtin) -> None:
    await agent.turn(call("todo", todos=[{"content": "one", "status": "in_progress"}]), DONE)


async def rejected(agent: Builtin) -> None:
    await agent.turn(write("b.txt"), DONE, person=rejects)


async def edited(agent: Builtin) -> None:
    def person(question: Question) -> Answer | None:
        if isinstance(question, ApprovalRequired):
            return ApprovalDecision(id=question.id, decision="approve", args={"command": "echo mine"})
        return approves(question)

    await agent.turn(bash("echo theirs"), DONE, person=person)


async def plan(agent: Builtin) -> None:
    await agent.turn(bash("touch early"), call("propose_plan", plan="1. Do it."), write("b.txt"), DONE, plan_mode=True)


async def question(agent: Builtin) -> None:
    await agent.turn(call("ask_user", question="Which?", options=["red", "blue"]), DONE)


async def wrong(agent: Builtin) -> None:
    await agent.turn(call("nothing", a=1), call("bash", wrong=1), DONE)


def heals(fault: Fail | Reply) -> Callable[[Builtin], Awaitable[None]]:
    async def case(agent: Builtin) -> None:
        def heal(event: Event | Unknown) -> None:
            if isinstance(event, Notice):
                agent.script(DONE)

        await agent.turn(fault, on_event=heal)

    return case


async def too_long(agent: Builtin) -> None:
    fault = TOO_LONG[next(wire for wire, name in MODELS.items() if name == agent.name)]

    def heal(event: Event | Unknown) -> None:
        if isinstance(event, Notice):
            agent.script(DONE)

    await agent.turn(fault, on_event=heal)


async def refused(agent: Builtin) -> None:
    await agent.turn(Fail(status=401, message="who are you"))


async def resumed(agent: Builtin) -> None:
    await agent.turn(DONE)
    recorded.clear()
    await agent.turn(DONE)


async def steered(agent: Builtin) -> None:
    await agent.turn(bash("echo one"), DONE, messages=["and then"])


CASES: dict[str, Callable[[Builtin], Awaitable[None]]] = {
    "tools": tools,
    "todos": todos,
    "rejected": rejected,
    "edited": edited,
    "plan": plan,
    "question": question,
    "wrong-call": wrong,
    "busy": heals(Fail(status=429, message="slow down")),
    "server-error": heals(Fail(status=500, message="oops")),
    "cut": heals(Reply(text="half of it", cut=True)),
    "too-long": too_long,
    "refused": refused,
    "resumed": resumed,
    "steered": steered,
}


async def record(wire: str, case: str, place: Path) -> None:
    recorded.clear()
    with builtin(place, wire) as agent:
        try:
            await CASES[case](agent)
        except AdapterError as error:
            recorded.append({"event_kind": "raised", "error": str(error), "code": error.code})
        finally:
            await agent.close()
    kinds = {name: tool.kind for name, tool in builtin_tools().items()}
    head = {"program": "pydantic-ai", "version": version("pydantic-ai-slim"), "wire": wire, "kinds": kinds}
    text = "".join(json.dumps(_steady(line)) + "\n" for line in [head, *recorded])
    text = text.replace(str(agent.workspace), "/workspace")
    # Where the provider numbers no calls, the library makes names up.
    made_up = {name: f"call-{number}" for number, name in enumerate(dict.fromkeys(_MADE_UP.findall(text)), 1)}
    text = _MADE_UP.sub(lambda name: made_up[name[0]], text)
    (GOLDEN / f"{wire}-{case}.native.jsonl").write_text(text)


def _steady(value: Any) -> Any:
    if isinstance(value, list):
        return [_steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    fixed = {"duration_ms": 10, "session_id": "builtin-1"}
    return {key: fixed.get(key, _steady(item)) for key, item in value.items() if key not in _LEFT_OUT}


async def main() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    setattr(Translator, _translate.__name__, _record)
    for wire in MODELS:
        for case in sys.argv[1:] or CASES:
            with tempfile.TemporaryDirectory() as place:
                await record(wire, case, Path(place))
            print(wire, case)


if __name__ == "__main__":
    asyncio.run(main())
