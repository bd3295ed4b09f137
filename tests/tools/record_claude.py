"""Records what the real Claude Code says: ``python tests/tools/record_claude.py [CASE ...]``.

It writes ``tests/golden/claude/*.native.jsonl``. Run it from the root when another version is pinned, then the golden
tests with NBH_UPDATE_GOLDEN=1, and look at what differs. What varies from run to run is replaced: ids, times, paths.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.acp import claude_environment
from support.claude_real import RealClaude, bash, call
from support.port import Question, approves, rejects

from nbharness.adapters.claude.process import Ask, Incoming
from nbharness.adapters.claude.turn import ClaudeTurn
from nbharness.events import PlanProposed, QuestionAsked, ToolStart
from nbharness.inputs import ApprovalDecision, PlanDecision
from nbharness.testing.fakellm import Call, Fail, FakeLLM, Reply

GOLDEN = Path(__file__).parents[1] / "golden" / "claude"
DONE = Reply(text="All done.")
QUESTION = {
    "question": "Which colour?",
    "header": "Colour",
    "multiSelect": False,
    "options": [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}],
}

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_KEPT = {
    "init": {"type", "subtype", "session_id", "model", "permissionMode", "slash_commands"},
    "result": {
        "type", "subtype", "is_error", "result", "session_id", "usage", "model_usage_since_last_result", "errors",
        "api_error_status", "num_turns", "terminal_reason", "total_cost_usd", "permission_denials",
    },
}  # fmt: skip
_TIMES = {"uuid", "timestamp", "ttft_ms", "duration_ms", "duration_api_ms", "durationMs", "totalDurationMs"}
_UNTOLD = {"thinking_tokens", "session_state_changed"}

recorded: list[Incoming] = []
_hear = ClaudeTurn._on_batch


def _record(turn: ClaudeTurn, batch: list[Incoming]) -> None:
    recorded.extend(batch)
    _hear(turn, batch)


def edits(question: Question) -> Any:
    """A person who approves with an edit."""
    if isinstance(question, PlanProposed):
        return PlanDecision(id=str(question.id), decision="approve", plan=f"{question.plan}\n2. and test it")
    if isinstance(question, QuestionAsked):
        return approves(question)
    args = {**question.args, "command": "touch edited.txt"}
    return ApprovalDecision(id=question.id, decision="approve", args=args)


async def write(claude: RealClaude) -> None:
    writes = Call(tool="Write", args={"file_path": str(claude.file("a.txt")), "content": "one\ntwo\n"})
    edit = call("Edit", file_path=str(claude.file("a.txt")), old_string="two", new_string="three")
    await claude.turn(Reply(thinking="A file, then.", text="I write it.", calls=[writes]), edit, DONE)


async def command(claude: RealClaude) -> None:
    await claude.turn(bash("touch a.txt; echo one; echo two >&2"), bash("touch b.txt; echo no; exit 3"), DONE)


async def rejected(claude: RealClaude) -> None:
    await claude.turn(bash("touch a.txt"), DONE, person=rejects)


async def edited(claude: RealClaude) -> None:
    await claude.turn(bash("touch a.txt"), DONE, person=edits)


async def todos(claude: RealClaude) -> None:
    first = call("TaskCreate", subject="First", description="d", activeForm="Doing the first")
    second = call("TaskCreate", subject="Second", description="d", activeForm="Doing the second")
    begun = call("TaskUpdate", taskId="1", status="in_progress")
    await claude.turn(first, second, begun, call("TaskUpdate", taskId="1", status="completed"), call("TaskList"), DONE)


def planned(person: Callable[[Question], Any]) -> Callable[[RealClaude], Awaitable[None]]:
    async def case(claude: RealClaude) -> None:
        plan = Call(tool="Write", args={"file_path": "@FOUND@", "content": "1. write a.txt"})
        writes = Reply(calls=[plan], find=r"(/[^\s\"\\]*/plans/[\w.-]+\.md)")
        await claude.turn(writes, call("ExitPlanMode"), DONE, plan_mode=True, person=person)

    return case


async def question(claude: RealClaude) -> None:
    await claude.turn(call("AskUserQuestion", questions=[QUESTION]), DONE)


async def subagent(claude: RealClaude) -> None:
    claude.model.scripts["child"] = [bash("touch child.txt"), Reply(text="The child is done.")]
    task = call("Agent", description="Look", prompt="SCRIPT:child please", subagent_type="general-purpose")
    await claude.turn(task, DONE)


async def interrupted(claude: RealClaude) -> None:
    waits = bash("touch a.txt; python3 -c 'import time; time.sleep(60)'")
    await claude.aborted(lambda event: isinstance(event, ToolStart), waits, DONE)


async def resumed(claude: RealClaude) -> None:
    await claude.turn(DONE)
    session_id = claude.session.session_id
    await claude.session.close()
    recorded.clear()
    await claude.open(session_id)
    await claude.turn(DONE)


async def cut(claude: RealClaude) -> None:
    await claude.turn(Reply(text="half of it", cut=True), DONE)


async def limited(claude: RealClaude) -> None:
    """A subscription that is used up: Claude tells so only to who is signed in with one."""
    await claude.session.close()
    key = os.environ.pop("ANTHROPIC_API_KEY")
    os.environ["CLAUDE_CODE_OAUTH_TOKEN"] = "sk-ant-oat01-not-a-token-0123456789"  # noqa: S105 (it is none)
    limit = "anthropic-ratelimit-unified"
    headers = {
        f"{limit}-status": "rejected",
        f"{limit}-reset": str(int(time.time()) + 3600),
        f"{limit}-representative-claim": "five_hour",
    }
    await claude.open()
    await claude.turn(*[Fail(status=429, kind="rate_limit_error", message="slow down", headers=headers)] * 8)
    del os.environ["CLAUDE_CODE_OAUTH_TOKEN"]
    os.environ["ANTHROPIC_API_KEY"] = key


def failing(fail: Fail) -> Callable[[RealClaude], Awaitable[None]]:
    async def case(claude: RealClaude) -> None:
        await claude.turn(*[fail] * 8)

    return case


CASES: dict[str, Callable[[RealClaude], Awaitable[None]]] = {
    "write": write,
    "command": command,
    "rejected": rejected,
    "edited": edited,
    "todos": todos,
    "plan-approved": planned(approves),
    "plan-edited": planned(edits),
    "plan-rejected": planned(rejects),
    "question": question,
    "subagent": subagent,
    "interrupted": interrupted,
    "resumed": resumed,
    "cut": cut,
    "rate-limited": failing(Fail(status=429, kind="rate_limit_error", message="slow down")),
    "usage-limit": limited,
    "signed-out": failing(Fail(status=401, kind="authentication_error", message="who are you")),
    "server-error": failing(Fail(status=500, kind="api_error", message="oops")),
    "context": failing(Fail(status=400, kind="invalid_request_error", message="prompt is too long: 9 > 8")),
}


async def record(name: str, place: Path, model: FakeLLM) -> None:
    os.environ |= claude_environment(model.url, place)
    recorded.clear()
    claude = RealClaude(place / "workspace", model)
    await claude.open()
    await CASES[name](claude)
    await claude.session.close()
    head = {"program": "claude-agent-sdk", "version": version("claude-agent-sdk"), "workspace": str(claude.workspace)}
    text = "\n".join(line for line in [json.dumps(head), *map(_line, recorded)] if line) + "\n"
    for varying, shown in {
        str(claude.workspace): "/workspace",
        str(place): "/home/user",
        model.url: "http://model",
    }.items():
        text = text.replace(varying, shown)
    text = re.sub(r'"output_file": "[^"]*"', '"output_file": "/tasks/1.output"', text)
    text = re.sub(r"/plans/[\w.-]+\.md", "/plans/a-plan.md", text)
    (GOLDEN / f"{name}.native.jsonl").write_text(_numbered(text))


def _line(message: Incoming) -> str:
    if isinstance(message, Ask):
        return json.dumps({"type": "control_request", "request_id": message.id, "request": _steady(message.request)})
    if not isinstance(message, dict) or message.get("subtype") in _UNTOLD:
        return ""
    kind = message.get("subtype") if message.get("type") == "system" else message.get("type")
    kept = _KEPT.get(str(kind))
    return json.dumps(_steady({key: value for key, value in message.items() if kept is None or key in kept}))


def _steady(value: Any) -> Any:
    if isinstance(value, list):
        return [_steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    # When a limit was told counts, or else nobody knows how long it lasts.
    untold = _TIMES - {"timestamp"} if "api_error_params" in value else _TIMES
    return {key: _steady(item) for key, item in value.items() if key not in untold}


def _numbered(text: str) -> str:
    seen: dict[str, str] = {}
    return _UUID.sub(lambda found: seen.setdefault(found[0], f"id-{len(seen) + 1}"), text)


async def main() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    setattr(ClaudeTurn, _hear.__name__, _record)
    for name in sys.argv[1:] or CASES:
        with FakeLLM({}) as model, tempfile.TemporaryDirectory() as place:
            await record(name, Path(place), model)
            print(name, len(recorded))


if __name__ == "__main__":
    asyncio.run(main())
