"""Parts of the built-in agent that need no model: names and keys, patience, short histories, what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nbharness.adapters.base import TurnRequest
from nbharness.adapters.builtin import BuiltinAdapter, compaction
from nbharness.adapters.builtin.choices import choices_of
from nbharness.adapters.builtin.faults import ModelFault, Patience, as_error, notice_of
from nbharness.adapters.builtin.history import SessionFile, new_session_id
from nbharness.adapters.builtin.models import chosen_model, has_key
from nbharness.errors import AdapterError, AuthNeeded, ConfigError, ContextExhausted, RateLimited

ANTHROPIC, OPENAI, GOOGLE = {"ANTHROPIC_API_KEY": "k"}, {"OPENAI_API_KEY": "k"}, {"GEMINI_API_KEY": "k"}
OWN_SERVER = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}


@pytest.mark.parametrize(
    ("named", "environ", "model"),
    [
        ("anthropic:claude-x", ANTHROPIC, "anthropic:claude-x"),
        ("claude-x", ANTHROPIC, "anthropic:claude-x"),
        ("gpt-6", OPENAI, "openai:gpt-6"),
        ("gemini-4", GOOGLE, "google:gemini-4"),
        ("qwen3", OWN_SERVER, "openai-chat:qwen3"),
        ("claude-x", OWN_SERVER, "openai-chat:claude-x"),
        ("org/model", {"OPENROUTER_API_KEY": "k"}, "openrouter:org/model"),
        ("ollama:qwen3:8b", {}, "ollama:qwen3:8b"),
        ("groq:some", {}, "groq:some"),
        (None, {**ANTHROPIC, "NBHARNESS_MODEL": "ollama:qwen3"}, "ollama:qwen3"),
    ],
)
def test_model_is_named_with_its_provider(named: str | None, environ: dict[str, str], model: str) -> None:
    assert chosen_model(named, environ) == model


@pytest.mark.parametrize(
    ("environ", "provider"),
    [
        ({**OPENAI, **ANTHROPIC}, "anthropic"),
        (OPENAI, "openai"),
        (GOOGLE, "google"),
        # The name of another agent's model is not for us.
        ({**OPENAI, "NBHARNESS_MODEL": "opus"}, "openai"),
    ],
)
def test_key_chooses_the_model(environ: dict[str, str], provider: str) -> None:
    assert chosen_model(None, environ).partition(":")[0] == provider
    assert has_key(environ)


@pytest.mark.parametrize(
    ("named", "variable"),
    [("anthropic:claude-x", "ANTHROPIC_API_KEY"), ("openai:gpt-6", "OPENAI_API_KEY"), ("gemini-4", "GOOGLE_API_KEY")],
)
def test_missing_key_names_its_variable(named: str, variable: str) -> None:
    with pytest.raises(AuthNeeded, match=variable):
        chosen_model(named, {})


def test_no_key_at_all_names_all_variables() -> None:
    assert not has_key({})
    with pytest.raises(AuthNeeded, match=r"ANTHROPIC_API_KEY.*OPENAI_API_KEY.*GOOGLE_API_KEY.*ollama"):
        chosen_model(None, {})


def test_unknown_model_says_how_to_name_it() -> None:
    with pytest.raises(ConfigError, match=r"'qwen3'.*ollama:qwen3"):
        chosen_model("qwen3", ANTHROPIC)


def test_own_server_without_a_model_asks_for_one() -> None:
    with pytest.raises(ConfigError, match=r"OPENAI_BASE_URL.*--model"):
        chosen_model(None, OWN_SERVER)
    assert not has_key(OWN_SERVER)


@pytest.mark.parametrize(
    "option", [{"effort": "much"}, {"context_window": "many"}, {"context_window": 0}, {"tools": 7}, {"tools": [7]}]
)
def test_wrong_option_says_what_is_valid(option: dict[str, Any], tmp_path: Path) -> None:
    request = TurnRequest(turn_id="t", task="x", workspace=tmp_path, options=option)
    with pytest.raises(ConfigError, match=f"{next(iter(option))}: .* is not valid. Valid: "):
        choices_of(request, ANTHROPIC)


def test_options_are_read(tmp_path: Path) -> None:
    options = {"effort": "low", "context_window": "9000"}
    choices = choices_of(
        TurnRequest(turn_id="t", task="x", workspace=tmp_path, options=options, todos=False), ANTHROPIC
    )
    assert (choices.effort, choices.window) == ("low", 9000)
    assert "todo" not in [tool.name for tool in choices.tools]


def test_status_tells_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    assert BuiltinAdapter().status().logged_in is False
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert BuiltinAdapter().status().logged_in is True


def test_waits_grow_and_end() -> None:
    patience = Patience(retries=3, first_s=1, most_s=3)
    fault = ModelFault("overloaded", "oops", status=500)
    assert [patience.wait_s(fault, tried) for tried in range(4)] == [1, 2, 3, None]


@pytest.mark.parametrize(("asked", "wait"), [(0.5, 1.0), (7.0, 7.0), (61.0, None)])
def test_provider_is_waited_for_as_long_as_it_asks(asked: float, wait: float | None) -> None:
    assert Patience().wait_s(ModelFault("rate_limited", "slow", retry_after=asked), 0) == wait


def test_time_does_not_heal_everything() -> None:
    assert Patience().wait_s(ModelFault("auth", "who"), 0) is None
    assert Patience().wait_s(ModelFault("quota", "none left"), 0) is None


@pytest.mark.parametrize(
    ("kind", "error", "said"),
    [
        ("auth", AuthNeeded, "ANTHROPIC_API_KEY"),
        ("rate_limited", RateLimited, "for now"),
        ("quota", RateLimited, "billing"),
        ("overflow", ContextExhausted, "start a new one"),
        ("unknown_model", AdapterError, "--model"),
        ("connection", AdapterError, "broke"),
        ("behaviour", AdapterError, "could not be used"),
    ],
)
def test_fault_becomes_an_error_that_says_what_to_do(kind: Any, error: type[AdapterError], said: str) -> None:
    found = as_error(ModelFault(kind, "its own words", retry_after=9), "anthropic:claude-x")
    assert type(found) is error
    assert said in str(found)
    assert "its own words" in str(found)


def test_notice_says_when_and_how_often() -> None:
    told = notice_of(ModelFault("rate_limited", "slow down", status=429), 2, 0, 5)
    assert "HTTP 429" in told
    assert "in 2 s (1 of 5)" in told


def message(kind: str, part: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "parts": [{"part_kind": part, **fields}]}


def turns(count: int, output: str) -> list[dict[str, Any]]:
    said = [message("request", "user-prompt", content="do it")]
    for number in range(count):
        said.append(message("response", "tool-call", tool_name="bash", args={"command": f"make {number}"}))
        said.append(message("request", "tool-return", tool_name="bash", content=output))
    return said


def test_no_result_loses_its_call() -> None:
    history = turns(20, "x" * 1000)
    start = compaction.tail_start(history, 10_000)
    assert history[start]["kind"] == "response"
    assert len(history) // 2 < start < len(history)
    assert len(json.dumps(history[start:])) <= 10_000


def test_nothing_stays_of_messages_that_are_too_long_themselves() -> None:
    history = turns(3, "x" * 100_000)
    assert compaction.tail_start(history, 1000) == len(history)


def test_transcript_is_bounded_and_says_what_is_missing() -> None:
    text = compaction.transcript(turns(200, "y" * 5000), 2000)
    assert len(text) < 2000 * 2 + 100
    assert text.startswith("USER: do it")
    assert "characters left out" in text
    assert "CALL bash" in text


def test_transcript_reads_whatever_is_there() -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"parts": None},
        {"parts": ["x", {"part_kind": "user-prompt", "content": [1, {"a": "b"}]}]},
    ]
    assert compaction.transcript(odd, 1000) == 'USER: [1, {"a": "b"}]'


def session(folder: Path) -> SessionFile:
    return SessionFile(folder, new_session_id(), lambda line: line.replace("secret", "[redacted]"))


def test_session_is_kept_with_secrets_masked(tmp_path: Path) -> None:
    file = session(tmp_path / "sessions")
    file.replace([b'{"a": "secret"}'])
    file.add([b'{"b": 2}'])
    assert file.load() == [b'{"a": "[redacted]"}', b'{"b": 2}']
    (path,) = (tmp_path / "sessions").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_half_a_line_is_left_out(tmp_path: Path) -> None:
    file = session(tmp_path)
    file.replace([b'{"a": 1}'])
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes() + b'{"b": ')
    assert file.load() == [b'{"a": 1}']


@pytest.mark.parametrize("name", ["builtin-0000000000000000", "../../etc/passwd", ""])
async def test_unknown_session_is_an_error(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path))
    with pytest.raises(AdapterError, match="no session"):
        await BuiltinAdapter().open_session(tmp_path, name)
