"""Whose model, which key, which server: what a user of the built-in agent is told, in a terminal and in a kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.alone import stranger
from support.command import Home, one_line, read_json
from support.kernels import start_kernel

from nbharness.adapters.builtin.faults import ModelFault, as_error
from nbharness.events import TurnStarted
from nbharness.testing.fakellm import Fail, FakeLLM, Reply

KEY = "sk-not-a-key-of-anybody-0123456789"
NO_MODEL = Fail(status=404, kind="not_found_error", message="no such model")
NO_KEY = Fail(status=401, kind="authentication_error", message="who are you")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(scope="module")
def model() -> Iterator[FakeLLM]:
    with FakeLLM({"hi": [Reply(text="Hi there.")], "no-model": [NO_MODEL], "no-key": [NO_KEY]}) as served:
        yield served


WRONG: list[tuple[str, dict[str, str], list[str], list[str]]] = [
    ("hi", {}, [], ["no key is set", "ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY", "--model ollama:qwen3"]),
    ("hi", {}, ["--model", "anthropic:claude-x"], ["'anthropic:claude-x' needs ANTHROPIC_API_KEY, which is not set"]),
    ("hi", {}, ["--model", "gpt-6"], ["'openai:gpt-6' needs OPENAI_API_KEY, which is not set"]),
    ("hi", {}, ["--model", "groq:some"], ["'groq:some'", "pip install 'pydantic-ai-slim[groq]'"]),
    ("hi", {"NBHARNESS_MODEL": "nonsense"}, [], ["'nonsense' does not say whose it is", "--model or NBHARNESS_MODEL"]),
    ("hi", {"NBHARNESS_MODEL": "openia:gpt"}, [], ["'openia:gpt' cannot be used", "--model or NBHARNESS_MODEL"]),
    ("hi", {"OPENAI_BASE_URL": "{url}/v1"}, [], ["OPENAI_BASE_URL is set", "--model or NBHARNESS_MODEL"]),
    ("no-model", {"ANTHROPIC_API_KEY": KEY}, ["--model", "claude-x"], ["'anthropic:claude-x'", "NBHARNESS_MODEL"]),
    ("no-model", {"OPENAI_BASE_URL": "{url}/v1"}, ["--model", "x"], ["'openai-chat:x'", "NBHARNESS_MODEL"]),
    ("no-model", {"GEMINI_API_KEY": KEY}, ["--model", "gemini-x"], ["'google:gemini-x'", "NBHARNESS_MODEL"]),
    ("no-key", {"ANTHROPIC_API_KEY": KEY}, [], ["anthropic refused the key; check ANTHROPIC_API_KEY", "who are you"]),
    ("no-key", {"GEMINI_API_KEY": KEY}, [], ["google refused the key; check GOOGLE_API_KEY or GEMINI_API_KEY"]),
]


@pytest.mark.parametrize(("script", "env", "options", "said"), WRONG)
def test_what_is_wrong_with_a_model_or_key_names_the_variable(
    home: Home, model: FakeLLM, script: str, env: dict[str, str], options: list[str], said: list[str]
) -> None:
    variables = {name: value.format(url=model.url) for name, value in env.items()}
    variables |= {"NBHARNESS_AGENT": "builtin", "ANTHROPIC_BASE_URL": model.url, "GOOGLE_GEMINI_BASE_URL": model.url}
    done = home.nbharness("run", f"SCRIPT:{script}", "--quiet", *options, env=variables)
    assert done.returncode == 1
    for part in said:
        assert part in one_line(done)
    assert KEY not in done.stderr


@pytest.mark.parametrize(
    ("env", "options"),
    [
        ({"OPENAI_BASE_URL": "{url}/v1"}, ["--model", "qwen3"]),
        ({"OPENAI_BASE_URL": "{url}/v1", "NBHARNESS_MODEL": "qwen3"}, []),
        ({"OLLAMA_BASE_URL": "{url}/v1"}, ["--model", "ollama:qwen3"]),
        ({"VLLM_BASE_URL": "{url}/v1", "NBHARNESS_MODEL": "vllm:qwen3"}, []),
    ],
)
def test_a_local_server_needs_no_key_and_no_name_of_an_agent(
    home: Home, model: FakeLLM, env: dict[str, str], options: list[str]
) -> None:
    variables = {"NBHARNESS_AGENT": ""} | {name: value.format(url=model.url) for name, value in env.items()}
    done = home.nbharness("run", "SCRIPT:hi", "--json", *options, env=variables)
    envelopes, result = read_json(done.stdout)
    assert result.output.text == "Hi there.", done.stderr
    assert isinstance(envelopes[0].event, TurnStarted)
    assert envelopes[0].event.agent == "builtin"
    assert model.requests[-1].body["model"] == "qwen3"


def test_a_local_server_that_does_not_run_is_told_with_its_variable() -> None:
    fault = ModelFault("connection", "refused")
    said = str(as_error(fault, "ollama:qwen3"))
    assert "OLLAMA_BASE_URL" in said
    assert "http://127.0.0.1:11434/v1" in said


def test_a_cell_says_the_same_and_goes_on_once_that_is_put_right(tmp_path: Path, model: FakeLLM) -> None:
    variables = stranger(os.environ, tmp_path / "user") | {"ANTHROPIC_BASE_URL": model.url}
    begin = f"import os\nos.environ.pop('NBHARNESS_AGENT')\nos.environ.update({variables!r})\n%load_ext nbharness"
    with start_kernel("python3", tmp_path) as kernel:
        kernel.run(begin)

        def error(line: str) -> str:
            return kernel.run(f"h = %coder --bg {line}\nprint(h.agent, h.result(60).error)")

        assert "needs ANTHROPIC_API_KEY, which is not set" in error("--model anthropic:claude-x SCRIPT:hi")
        assert "does not say whose it is" in error("--agent builtin --model nonsense SCRIPT:hi")
        kernel.run(f"os.environ['ANTHROPIC_API_KEY'] = {KEY!r}")
        assert "name another with --model or NBHARNESS_MODEL" in error("--model claude-x SCRIPT:no-model")
        assert error("SCRIPT:hi").startswith("builtin None")
        kernel.run(f"os.environ['OLLAMA_BASE_URL'] = '{model.url}/v1'")
        assert error("--model ollama:qwen3 SCRIPT:hi").startswith("builtin None")
