"""What a turn may be, checked against what its agent can do, before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.turns import ScriptedAdapter, ScriptedSession

from nbharness.adapters.base import AgentSession, Capabilities, McpServer, TurnPort, TurnRequest
from nbharness.budget import Budget
from nbharness.config import load
from nbharness.errors import ConfigError, NotSupported
from nbharness.events import TurnCompleted, TurnStarted
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec

ALL = Capabilities(
    plan=True,
    models=True,
    modes=True,
    resume=True,
    fork=True,
    cost=True,
    mcp_servers=True,
    options=frozenset({"command"}),
)

WANTED: list[tuple[dict[str, Any], str]] = [
    ({"plan_mode": True}, "plan mode: it cannot propose a plan first; leave --plan out"),
    ({"model": "opus"}, "the model 'opus': its model cannot be chosen; leave --model out"),
    ({"mode": "ask"}, "the mode 'ask': it has no modes; leave --mode out"),
    ({"session_id": "s9"}, "resuming a session"),
    ({"fork": True, "conversation": "c1"}, "forking a conversation"),
    ({"command": "agent --acp"}, "--command: name an agent that takes one: acp"),
    ({"mcp_servers": (McpServer(name="docs", command="docs"),)}, "MCP servers"),
    ({"budget": Budget(max_cost_usd=1.0)}, "--max-cost: it does not say what it costs"),
    ({"options": {"depth": 3}}, "the option 'depth': its options are: "),
]


def spec(tmp_path: Path, **fields: Any) -> TurnSpec:
    return TurnSpec(**{"task": "do it", "agent": "scripted", "workspace": tmp_path, **fields})


@pytest.mark.parametrize(("wanted", "says"), WANTED)
def test_what_an_agent_cannot_do_is_refused_with_a_way_out(tmp_path: Path, wanted: dict[str, Any], says: str) -> None:
    with pytest.raises(NotSupported) as raised:
        spec(tmp_path, **wanted).check(Capabilities())
    assert str(raised.value).startswith(f"the agent 'scripted' does not support {says}")
    if "options" not in wanted:
        spec(tmp_path, **wanted).check(ALL)


def test_a_fork_needs_something_to_fork(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing to fork"):
        spec(tmp_path, fork=True).check(ALL)


def test_the_step_limit_of_the_settings_counts_once_it_is_set(tmp_path: Path) -> None:
    file = tmp_path / "nbharness.toml"
    file.write_text("")
    unset, is_set = load({}, file), load({"NBHARNESS_MAX_TURNS": "7", "NBHARNESS_TODOS": "no"}, file)
    assert TurnSpec.over(unset, workspace=tmp_path).budget == Budget()
    assert TurnSpec.over(is_set, workspace=tmp_path).budget == Budget(max_turns=7)
    assert TurnSpec.over(is_set, workspace=tmp_path, budget=Budget(max_turns=3)).budget == Budget(max_turns=3)
    assert TurnSpec.over(is_set, workspace=tmp_path).todos is False


class Forking(ScriptedAdapter):
    """Notes how its sessions were opened."""

    def __init__(self) -> None:
        super().__init__(self._answer, resume=True, fork=True)
        self.asked: list[tuple[str | None, bool]] = []
        self._made = 0

    async def open_session(self, workspace: Path, session_id: str | None = None, *, fork: bool = False) -> AgentSession:
        del workspace
        self.asked.append((session_id, fork))
        session = ScriptedSession(self._answer)
        if session_id is None or fork:
            self._made += 1
            session.session_id = f"s{self._made}"
        else:
            session.session_id = session_id
        return session

    async def _answer(self, request: TurnRequest, port: TurnPort) -> None:
        port.emit(TurnCompleted(response=request.task))


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    made = Runtime(tmp_path / "nbharness.db")
    yield made
    made.close(5)


def test_a_fork_is_a_conversation_of_its_own(runtime: Runtime, tmp_path: Path) -> None:
    adapter = Forking()
    original = runtime.start(spec(tmp_path), adapter=adapter)
    assert original.result(10).session_id == "s1"
    fork = runtime.start(spec(tmp_path, fork=True, conversation=original.conversation_id), adapter=adapter)
    assert fork.result(10).session_id == "s2"
    assert fork.conversation_id != original.conversation_id
    again = runtime.start(spec(tmp_path, conversation=original.conversation_id), adapter=adapter)
    assert again.result(10).session_id == "s1"
    assert adapter.asked == [(None, False), ("s1", True)]


def test_a_fork_of_a_stored_conversation(runtime: Runtime, tmp_path: Path) -> None:
    original = runtime.start(spec(tmp_path), adapter=Forking())
    original.result(10)
    runtime.close(5)
    later, adapter = Runtime(tmp_path / "nbharness.db"), Forking()
    fork = later.start(spec(tmp_path, fork=True, conversation=original.conversation_id[:7]), adapter=adapter)
    assert fork.result(10).status == "completed"
    assert adapter.asked == [("s1", True)]
    assert fork.conversation_id != original.conversation_id
    later.close(5)


def test_the_first_event_tells_what_the_agent_can_do(runtime: Runtime, tmp_path: Path) -> None:
    handle = runtime.start(spec(tmp_path), adapter=Forking())
    handle.result(10)
    started = next(envelope.event for envelope in handle.feed.since())
    assert isinstance(started, TurnStarted)
    assert started.capabilities == ["approvals", "plan", "resume", "fork", "steer"]
