"""Nobody names an agent: what the command line and a real kernel do then, and that they say it once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.alone import stranger
from support.builtin import DONE, environment, write
from support.command import Home, read_json
from support.kernels import Kernel, start_kernel

import nbharness
from nbharness.adapters.default import agent_for
from nbharness.cli.demo_place import NOTEBOOK, DemoPlace
from nbharness.config import load
from nbharness.events import Notice, TurnStarted
from nbharness.testing.fakellm import FakeLLM

UNNAMED = {"NBHARNESS_AGENT": ""}
WHY_DEMO = "No agent is named and none is known to be ready"
WHY_BUILTIN = "No agent is named; the built-in one answers"
FAIL = "scenario: failure"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.env |= UNNAMED
    return made


def reasons(events: list[object]) -> list[str]:
    return [event.message for event in events if isinstance(event, Notice) and "No agent is named" in event.message]


def test_without_a_key_the_demo_agent_answers_in_its_own_project_and_says_why(home: Home) -> None:
    done = home.nbharness("run", FAIL)
    assert done.stderr.startswith(f"nbharness: {WHY_DEMO}")
    assert WHY_DEMO in done.stdout
    envelopes, _ = read_json(home.nbharness("run", FAIL, "--json").stdout)
    started = envelopes[0].event
    assert isinstance(started, TurnStarted)
    assert started.agent == "demo"
    assert str(home.state / "samples") in str(started.workspace).replace("~", str(home.folder))
    assert len(reasons([envelope.event for envelope in envelopes])) == 1


def test_with_a_key_the_built_in_agent_works_here_and_its_conversation_keeps_it(home: Home) -> None:
    with FakeLLM({"w": [write("made.txt"), DONE], "x": [DONE]}) as model:
        key = environment(model.url, home.state) | UNNAMED
        first = home.nbharness("run", "SCRIPT:w", "--approval", "auto", "--json", env=key)
        envelopes, result = read_json(first.stdout)
        assert result.status == "completed", first.stderr
        assert (home.project / "made.txt").read_text() == "written\n"
        assert first.stderr.startswith(f"nbharness: {WHY_BUILTIN}")
        assert len(reasons([envelope.event for envelope in envelopes])) == 1
        conversation = str(getattr(envelopes[0].event, "conversation_id", ""))

        again = home.nbharness("run", "SCRIPT:x", "--continue", "--json", env=key)
        assert again.stderr == ""
        assert reasons([envelope.event for envelope in read_json(again.stdout)[0]]) == []
    # The key is gone, and it is still that agent that goes on.
    done = home.nbharness("run", "SCRIPT:x", "--continue", "--json")
    envelopes, result = read_json(done.stdout)
    started = envelopes[0].event
    assert isinstance(started, TurnStarted)
    assert (started.agent, started.conversation_id) == ("builtin", conversation)
    assert result.error is not None
    assert result.error.code == "auth"
    assert "ANTHROPIC_API_KEY" in result.error.message


def test_a_declared_agent_is_none_for_the_demo_agent_to_play(home: Home) -> None:
    folder = home.project / "agents" / "reviewer"
    folder.mkdir(parents=True)
    (folder / "instructions.md").write_text("---\ndescription: Reviews.\n---\nYou review code.\n")
    done = home.nbharness("run", "check", "--agent-def", "reviewer", "--trust-project", "--quiet")
    assert done.returncode == 1
    assert "none is known to be ready." in done.stderr
    assert "the agent 'builtin' is not signed in: no key is set; set one of ANTHROPIC_API_KEY" in done.stderr


def test_the_list_marks_the_default(home: Home) -> None:
    assert WHY_DEMO in " ".join(home.nbharness("agents", "demo").stdout.split())
    key = {"ANTHROPIC_API_KEY": "k"}
    assert "default" not in home.nbharness("agents", "demo", env=key).stdout
    listed = json.loads(home.nbharness("agents", "--json", env=key).stdout)
    assert [agent["name"] for agent in listed if agent["default"]] == ["builtin"]
    named = home.nbharness("agents", "demo", env=key | {"NBHARNESS_AGENT": "demo"}).stdout
    assert "the default: your settings name it." in named


def turn(kernel: Kernel, line: str) -> tuple[str, int]:
    """Run a turn in the kernel; return its agent, and how often it said that none was named."""
    said = kernel.run(
        f"h = %coder --bg {line}\nh.result(60)\n"
        "print('@', h.agent, sum('No agent is named' in getattr(e.event, 'message', '') for e in h.feed.since()))"
    )
    agent, count = said.partition("@ ")[2].split()
    return agent, int(count)


def test_a_kernel_says_once_which_agent_it_took_and_notices_a_key(tmp_path: Path) -> None:
    alone = stranger(os.environ, tmp_path / "user")
    with FakeLLM({"x": [DONE]}) as model, start_kernel("python3", tmp_path) as kernel:
        kernel.run(f"import os\nos.environ.pop('NBHARNESS_AGENT')\nos.environ['HOME'] = {alone['HOME']!r}")
        kernel.run("os.environ['NBHARNESS_DEMO_DELAY_MS'] = '0'\n%load_ext nbharness")
        assert turn(kernel, FAIL) == ("demo", 1)
        assert turn(kernel, FAIL) == ("demo", 0)
        assert turn(kernel, f"--agent demo --new {FAIL}") == ("demo", 0)
        variables = environment(model.url, tmp_path / "home")
        kernel.run(f"os.environ.update({variables!r})")
        assert turn(kernel, "SCRIPT:x") == ("builtin", 1)
        assert turn(kernel, "SCRIPT:x") == ("builtin", 0)
        assert turn(kernel, "--new SCRIPT:x") == ("builtin", 1)
        # Without its key it is still that conversation; a demo would have forgotten everything.
        kernel.run("for name in list(os.environ):\n    if name.endswith('_API_KEY'): del os.environ[name]")
        kernel.run("os.environ.pop('OPENAI_BASE_URL')")
        assert turn(kernel, "SCRIPT:x") == ("builtin", 0)
        assert "not signed in" in kernel.run("print(h.result().error.message)")


def test_the_demo_shows_the_demo_agent_also_where_there_is_a_key(tmp_path: Path) -> None:
    variables = DemoPlace(tmp_path).environment({**os.environ, "ANTHROPIC_API_KEY": "k"})
    assert agent_for(load(variables)).agent == "demo"
    cells = json.loads((Path(__file__).parents[1] / "notebooks" / NOTEBOOK).read_text())["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in cell["source"] if "%coder" in line]
    assert lines
    assert all("--agent demo " in line for line in lines)


def test_in_python_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in stranger(os.environ, tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NBHARNESS_AGENT")
    coder = nbharness.agent(workspace=tmp_path, record=False)
    assert coder.name == "demo"
    handle = coder.run(FAIL)
    handle.result(60)
    assert len(reasons([envelope.event for envelope in handle.feed.since()])) == 1
    assert nbharness.agent("demo", workspace=tmp_path).name == "demo"
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    assert nbharness.agent(workspace=tmp_path).name == "builtin"
