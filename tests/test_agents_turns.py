"""A turn of a declared agent: what it wants and what the user says, the question of trust, and who can be it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.builtin import DONE, call, environment
from support.command import Home, read_json
from support.declared import TOOLS, put, reviewer
from support.turns import ScriptedAdapter

import nbharness
from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.agents import select
from nbharness.audience import Anyone, Audience, Nobody
from nbharness.config import load
from nbharness.errors import BrokenDefinition, ConfigError, NotSupported
from nbharness.events import ApprovalRequired, TurnCompleted, TurnStarted
from nbharness.handle import CodingHandle
from nbharness.notebook.completion import offered
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.state import fold_all
from nbharness.testing.fakellm import FakeLLM
from nbharness.transcript import unfold
from nbharness.transcript.ending import head_of


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path / "state"))
    made = Runtime(tmp_path / "nbharness.db")
    yield made
    made.close(5)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    reviewer(tmp_path / "project")
    return tmp_path / "project"


class Noting(ScriptedAdapter):
    """Keeps the request that reached the agent."""

    def __init__(self, **capabilities: Any) -> None:
        super().__init__(self._note, **capabilities)
        self.request: TurnRequest | None = None

    async def _note(self, request: TurnRequest, port: TurnPort) -> None:
        self.request = request
        port.emit(TurnCompleted(response="done"))


ABLE = {"tools": True, "instructions": True, "models": True}


def start(
    runtime: Runtime, project: Path, adapter: ScriptedAdapter, audience: Audience | None = None, **fields: Any
) -> CodingHandle:
    spec = TurnSpec.over(
        load(), task="go", agent="scripted", workspace=project, definition=select(project, "reviewer"), **fields
    )
    return runtime.start(spec, adapter=adapter, audience=audience or Nobody(), record=False)


def questions(handle: CodingHandle) -> list[ApprovalRequired]:
    return [envelope.event for envelope in handle.feed.since() if isinstance(envelope.event, ApprovalRequired)]


def test_its_instructions_and_tools_reach_the_agent_and_the_transcript_names_it(
    runtime: Runtime, project: Path
) -> None:
    adapter = Noting(**ABLE)
    handle = start(runtime, project, adapter, trust_project=True)
    assert handle.result(20).status == "completed"
    request = adapter.request
    assert request is not None
    assert request.instructions.startswith("You review. The password is xyzzy.")
    assert "agents/reviewer/skills/naming/SKILL.md" in request.instructions
    assert [tool.name for tool in request.tools] == ["count_lines"]
    assert (request.model, request.approval_mode) == ("openai-chat:my-model", "require")
    started = next(iter(handle.feed.since())).event
    assert isinstance(started, TurnStarted)
    assert started.definition == "reviewer"
    state = fold_all(handle.feed.since())
    assert (head_of(state).agent, head_of(state).facts[:2]) == ("scripted", ["reviewer", "openai-chat:my-model"])
    assert fold_all(unfold(state)).definition == "reviewer"


def test_an_agent_without_instructions_gets_them_appended(runtime: Runtime, project: Path) -> None:
    adapter = Noting(prompt_append=True, tools=True, models=True)
    handle = start(runtime, project, adapter, trust_project=True)
    assert handle.result(20).status == "completed"
    assert adapter.request is not None
    assert adapter.request.instructions == ""
    assert adapter.request.system_prompt_append.startswith("You review.")


@pytest.mark.parametrize(
    ("missing", "says"), [("instructions", "instructions of a declared agent"), ("tools", "tools in Python")]
)
def test_an_agent_that_cannot_be_it_says_so(missing: str, says: str, runtime: Runtime, project: Path) -> None:
    with pytest.raises(NotSupported, match=f"{says}.*see agents/reviewer/instructions.md"):
        start(runtime, project, Noting(**{**ABLE, missing: False}))
    put(project / "agents/reviewer/instructions.md", "---\ntools: [read]\n---\nHi.")
    with pytest.raises(NotSupported, match="a choice of tools"):
        start(runtime, project, Noting(**ABLE))
    with pytest.raises(ConfigError, match="exclude each other"):
        start(runtime, project, Noting(**ABLE, options=frozenset({"only_tools"})), instructions="Other.")


def test_what_it_wants_comes_after_the_user_and_never_loosens(project: Path, tmp_path: Path) -> None:
    put(project / "agents/reviewer/instructions.md", "---\nagent: builtin\nmodel: a\napproval: off\n---\nHi.")
    settings_file = tmp_path / "nbharness.toml"
    settings_file.write_text('agent = "demo"\nmodel = "b"\napproval_mode = "auto"\n')
    settings = load({}, settings_file)
    loose = select(project, "reviewer")
    spec = TurnSpec.over(settings, workspace=project, definition=loose)
    assert (spec.agent, spec.model, spec.approval_mode) == ("builtin", "a", "auto")
    spec = TurnSpec.over(
        settings, workspace=project, definition=loose, agent="codex", model="c", approval_mode="require"
    )
    assert (spec.agent, spec.model, spec.approval_mode) == ("codex", "c", "require")
    put(project / "agents/reviewer/instructions.md", "---\napproval: require\n---\nHi.")
    strict = select(project, "reviewer")
    assert TurnSpec.over(settings, workspace=project, definition=strict).approval_mode == "require"
    assert TurnSpec.over(settings, workspace=project, definition=strict, approval_mode="off").approval_mode == "off"


def test_it_is_asked_about_once_with_every_file_and_again_when_one_changes(runtime: Runtime, project: Path) -> None:
    handle = start(runtime, project, Noting(**ABLE), Anyone())
    while not handle.waiting:
        handle.feed.wait(len(handle.feed) - 1, 0.2)
    (question,) = questions(handle)
    assert list(question.args) == [
        "agents/reviewer/agent.py",
        "agents/reviewer/instructions.md",
        "agents/reviewer/skills/naming/SKILL.md",
    ]
    assert question.args["agents/reviewer/agent.py"][0] == "Python that runs in this process:"
    assert "You review. The password is xyzzy." in question.args["agents/reviewer/instructions.md"]
    handle.approve()
    assert handle.result(20).status == "completed"
    again = start(runtime, project, Noting(**ABLE))
    assert (again.result(20).status, questions(again)) == ("completed", [])

    put(project / "agents/reviewer/skills/naming/SKILL.md", "---\ndescription: Evil.\n---\n")
    changed = start(runtime, project, Noting(**ABLE)).result(20)
    assert changed.error is not None
    assert changed.error.code == "untrusted"


def test_nothing_of_it_runs_before_the_yes(runtime: Runtime, project: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    put(project / "agents/reviewer/agent.py", f"import pathlib\npathlib.Path({str(marker)!r}).touch()")
    adapter = Noting(**ABLE)
    result = start(runtime, project, adapter, approval_mode="off").result(20)
    assert result.error is not None
    assert "--trust-project" in result.error.message
    assert (adapter.opened, marker.exists()) == (0, False)
    assert start(runtime, project, adapter, trust_project=True).result(20).status == "completed"
    assert marker.exists()


def test_python_that_fails_ends_the_turn_with_its_line(runtime: Runtime, project: Path) -> None:
    put(project / "agents/reviewer/agent.py", "\n1 / 0\n")
    result = start(runtime, project, Noting(**ABLE), trust_project=True).result(20)
    assert result.error is not None
    assert result.error.message.startswith("agents/reviewer/agent.py:2: ZeroDivisionError")


def test_in_python_and_in_completion(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = nbharness.agent(workspace=project, name="builtin", definition="reviewer")
    assert (made.name, made.as_tool().description) == ("builtin", "Reads a change and says what is wrong with it.")
    with pytest.raises(NotSupported, match="'demo' does not support instructions of a declared agent"):
        nbharness.agent("demo", workspace=project, definition="reviewer")
    put(project / "agents/broken/instructions.md", "---\nx: y\n---\n")
    with pytest.raises(BrokenDefinition, match=r"^agents/broken/instructions\.md:2: unknown key 'x'"):
        nbharness.agent("builtin", workspace=project, definition="broken")
    monkeypatch.chdir(project)
    assert offered("%coder --agent-def ") == ["broken", "reviewer"]
    assert offered("%coder --agent-def r") == ["reviewer"]
    assert offered("%coder --workspace /nowhere --agent-def ") == []
    monkeypatch.chdir("/")
    assert offered(f"%coder --workspace {project} --agent-def ") == ["broken", "reviewer"]


def test_the_command_line_lists_and_runs_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert "make agents/NAME/instructions.md" in home.nbharness("agents", "--defs").stdout
    reviewer(home.project)
    put(home.project / "agents/broken/instructions.md", "---\nmodle: y\n---\n")
    told = home.nbharness("agents", "--defs").stdout
    assert "Reads a change and says what is wrong with it." in told
    assert "broken: agents/broken/instructions.md:2: unknown key 'modle'" in told
    listed = json.loads(home.nbharness("agents", "--defs", "--json").stdout)
    assert [each["name"] for each in listed["definitions"]] == ["reviewer"]
    assert listed["problems"][0]["line"] == 2
    told = home.nbharness("prompt", "--agent-def", "reviewer").stdout
    assert told.startswith("You review. The password is xyzzy.")
    assert "(agents/reviewer/skills/naming/SKILL.md)" in told
    assert "Valid: broken, reviewer" in home.nbharness("agents", "--defs", "nobody").stderr

    steps = [call("count_lines", text="a\nb\nc"), DONE]
    with FakeLLM({"w": steps, "x": [DONE]}) as model:
        env = environment(model.url, home.state) | {"NBHARNESS_AGENT": "builtin"}
        refused = home.nbharness("run", "--agent-def", "reviewer", "SCRIPT:w", env=env)
        assert refused.returncode == 1
        assert "agents/reviewer/agent.py" in refused.stderr
        assert model.requests == []
        arguments = ["run", "--agent-def", "reviewer", "--trust-project", "--json"]
        done = home.nbharness(*arguments, "--approval", "auto", "SCRIPT:w", env=env)
        envelopes, result = read_json(done.stdout)
        assert result.status == "completed", done.stderr
        assert "3 lines, call 1" in done.stdout
        assert getattr(envelopes[0].event, "definition", "") == "reviewer"
        sent = model.requests[0].body
        assert "The password is xyzzy." in json.dumps(sent["messages"])
        names = {tool["function"]["name"] for tool in sent["tools"]}
        assert {"count_lines", "bash", "read"} <= names

        on = home.nbharness("run", "--continue", "--trust-project", "--json", "SCRIPT:x", env=env)
        again, _ = read_json(on.stdout)
        assert getattr(again[0].event, "definition", "") == "reviewer", on.stderr
        assert "The password is xyzzy." in json.dumps(model.requests[-1].body["messages"])
        assert json.loads(home.nbharness("sessions", "--json").stdout)[0]["definition"] == "reviewer"

        head = "---\nmodel: openai-chat:my-model\ntools: [read, grep]\n---\nYou review."
        put(home.project / "agents/reviewer/instructions.md", head)
        put(home.project / "agents/reviewer/agent.py", TOOLS)
        assert home.nbharness(*arguments, "SCRIPT:x", env=env).returncode == 0
        offered_now = {tool["function"]["name"] for tool in model.requests[-1].body["tools"]}
        assert offered_now - {"ask_user"} == {"read", "grep", "count_lines"}
