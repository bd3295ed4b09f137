"""The pure parts of the Codex adapter, and where it looks for Codex."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from support.port import RecordingPort, approves, rejects

from nbharness.adapters.base import TurnRequest
from nbharness.adapters.codex.asks import Asker
from nbharness.adapters.codex.failures import failure
from nbharness.adapters.codex.install import own_variables, status
from nbharness.adapters.codex.items import command_args
from nbharness.adapters.codex.messages import Failure, ThreadUsage, Tokens
from nbharness.adapters.codex.reads import only_reads
from nbharness.adapters.codex.rpc import ServerRequest
from nbharness.adapters.codex.translate import Translator
from nbharness.adapters.codex.usage import UsageCount
from nbharness.events import ApprovalRequired, MessageThinking, Notice, SessionUpdated, ToolEnd, ToolStart, Unknown

THREAD = "main"


def item(kind: str, **facts: Any) -> dict[str, Any]:
    return {"threadId": THREAD, "item": {"type": kind, "id": "i", **facts}}


def told(*messages: tuple[str, dict[str, Any]]) -> list[Any]:
    translator = Translator(THREAD, "/workspace")
    return [event for method, params in messages for event in translator.translate(method, params)]


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat a.txt",
        "cat 'a b'",
        "rg -n x src | head -5",
        "sed -n '1,200p' a.py",
        "ls && git_is_no_part=1 || pwd",
    ],
)
def test_plain_reads(command: str) -> None:
    assert only_reads(command) is ("git" not in command)


@pytest.mark.parametrize(
    "command",
    [
        "", "|", "ls |", "cat /etc/passwd", "cat ~/.ssh/id_rsa", "cat ../secret", "cat a/../../b", "ls & rm a",
        "ls; rm a",
        "echo x > a", "echo `rm a`", "echo $(rm a)", "cat $HOME/a", "ls\nrm a", "rg --pre sh x", "rg --pre=sh x",
        "uniq a b",
        "cat a|tee b", "echo a||rm b", "cat a&rm b", "grep -f/etc/passwd x", "find . -delete", "git status", "X=1 ls",
        "sed -n '1w b' a", "sed -n 1p -i a", "sed 1p a", "cat 'a", "bash -c ls", "awk x a", "ls \\\n; rm a",
    ],
)  # fmt: skip
def test_what_might_be_more_than_a_plain_read(command: str) -> None:
    assert only_reads(command) is False


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("/bin/bash -lc 'touch a; echo \"b\"'", 'touch a; echo "b"'),
        ("sh -c ls", "ls"),
        ("./bash -c ls", "./bash -c ls"),
        ("/bin/bash -lc ls extra", "/bin/bash -lc ls extra"),
        ("it's broken", "it's broken"),
    ],
)
def test_command_is_shown_without_the_shell_that_runs_it(line: str, script: str) -> None:
    assert command_args(line, "/workspace", "/workspace") == {"command": script}


def test_command_elsewhere_says_where() -> None:
    assert command_args("ls", "/workspace/src", "/workspace") == {"command": "ls", "cwd": "src"}


@pytest.mark.parametrize(
    ("info", "code"),
    [
        ("contextWindowExceeded", "context_exhausted"),
        ("usageLimitExceeded", "rate_limited"),
        ("serverOverloaded", "rate_limited"),
        ("unauthorized", "auth"),
        ({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}, "rate_limited"),
        ({"httpConnectionFailed": {"httpStatusCode": 401}}, "auth"),
        ({"httpConnectionFailed": {"httpStatusCode": None}}, "sdk_error"),
        ({"httpConnectionFailed": 7}, "sdk_error"),
        ({}, "sdk_error"),
        (None, "sdk_error"),
        ("inventedYesterday", "sdk_error"),
    ],
)
def test_errors_have_their_code(info: Any, code: str) -> None:
    assert failure(Failure(message="It broke.", codex_error_info=info)).code == code


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("Try again in 7s.", 7), ("please try again in 1.5 minutes", 90), ("try again in 200ms", 0.2), ("later", UNSET)],
)
def test_time_to_wait_is_read_off_the_error(text: str, seconds: object) -> None:
    failed = failure(Failure(message=text, codex_error_info="rateLimitExceeded"))
    assert failed.retry_after == seconds


def test_usage_is_that_of_the_turn_and_its_sub_agents() -> None:
    count = UsageCount(THREAD)
    step = Tokens(total_tokens=12, input_tokens=10, output_tokens=2)
    for total in (112, 112, 124):
        now = Tokens(total_tokens=total, input_tokens=total - 20, output_tokens=20)
        count.take(THREAD, ThreadUsage(total=now, last=step, model_context_window=1000))
    count.take("sub-agent", ThreadUsage(total=step, last=step))
    usage = count.usage()
    assert usage is not None
    assert (usage.total_tokens, usage.model_calls, usage.context_tokens, usage.context_window) == (36, 3, 12, 1000)


def test_thoughts_of_two_parts_are_two_paragraphs() -> None:
    part = {"threadId": THREAD, "itemId": "r", "delta": "x"}
    method = "item/reasoning/summaryTextDelta"
    said = told((method, {**part, "summaryIndex": 0}), (method, part), (method, {**part, "summaryIndex": 1}))
    assert [event.delta for event in said if isinstance(event, MessageThinking)] == ["x", "x", "\n\nx"]


def test_sub_agent_speaks_under_the_call_that_started_it() -> None:
    started = item(
        "collabAgentToolCall", tool="spawnAgent", status="completed", receiverThreadIds=["sub"], prompt="look"
    )
    ran = {"threadId": "sub", "item": {"type": "commandExecution", "id": "c", "command": "ls"}}
    start, end, child = told(("item/completed", started), ("item/started", ran))
    assert (start.name, start.kind, start.args["prompt"]) == ("spawn_agent", "agent", "look")
    assert isinstance(end, ToolEnd)
    assert child.parent_id == "i"


def test_mcp_result_and_error_are_text() -> None:
    call = {"server": "notes", "tool": "note", "arguments": {"a": 1}, "status": "completed"}
    good = told(
        ("item/completed", item("mcpToolCall", **call, result={"content": [{"type": "text", "text": "noted"}]}))
    )
    bad = told(("item/completed", item("mcpToolCall", **{**call, "status": "failed"}, error={"message": "no"})))
    assert [(event.output, event.is_error) for event in (good[1], bad[1])] == [("noted", False), ("no", True)]
    assert isinstance(good[0], ToolStart)


def test_command_that_goes_on_is_told_and_its_end_is_told_in_the_next_turn() -> None:
    running = item("commandExecution", command="serve", status="inProgress")
    translator = Translator(THREAD, "/workspace")
    translator.translate("item/started", running)
    said: list[Any] = translator.finish()
    notice, end = said
    assert "serve" in notice.message
    assert (end.synthetic, end.is_error) == (True, False)
    late = {"threadId": THREAD, "itemId": "i", "delta": "more"}
    done = item("commandExecution", command="serve", status="completed", aggregatedOutput="some more", exitCode=0)
    start, end = told(("item/commandExecution/outputDelta", late), ("item/completed", done))
    assert (start.args, end.output) == ({"command": "serve"}, "some more")


def test_output_that_codex_cut_is_not_used_in_place_of_what_was_streamed() -> None:
    delta = {"threadId": THREAD, "itemId": "i", "delta": "all of it"}
    begun = item("commandExecution", command="x")
    ended = item("commandExecution", command="x", aggregatedOutput="cut", status="completed", exitCode=0)
    told_all = told(("item/started", begun), ("item/commandExecution/outputDelta", delta), ("item/completed", ended))
    assert told_all[-1].output is None


@pytest.mark.parametrize(
    ("method", "params", "expected"),
    [
        ("warning", {"threadId": None, "message": "mind"}, [Notice(message="mind", level="warning")]),
        ("thread/name/updated", {"threadId": THREAD, "threadName": "N"}, [SessionUpdated(title="N")]),
        ("item/completed", item("contextCompaction"), "summarized"),
        ("item/started", item("userMessage"), []),
        ("thread/status/changed", {"threadId": THREAD}, []),
        ("made/up", {"a": 1}, [Unknown("codex/made/up", {"a": 1})]),
        ("item/completed", item("madeUp"), [Unknown("codex/item/completed", item("madeUp"))]),
    ],
)
def test_other_notifications(method: str, params: dict[str, Any], expected: Any) -> None:
    said = told((method, params))
    assert said == expected or (isinstance(expected, str) and expected in said[0].message)


async def keep_quiet(_text: str) -> None:
    return


@pytest.mark.parametrize(("person", "action"), [(approves, "accept"), (rejects, "decline")])
async def test_mcp_call_is_asked_about_under_its_own_name(tmp_path: Path, person: Any, action: str) -> None:
    port = RecordingPort(TurnRequest(turn_id="t", task="go", workspace=tmp_path), person=person)
    translator = Translator(THREAD, str(tmp_path))
    call = item("mcpToolCall", server="notes", tool="note", arguments={"a": 1}, status="inProgress")
    for event in translator.translate("item/started", call):
        port.emit(event)
    meta = {"codex_approval_kind": "mcp_tool_call", "tool_params": {"a": 1}}
    params = {"threadId": THREAD, "serverName": "notes", "mode": "form", "_meta": meta, "message": "Allow?"}
    asker = Asker(port, translator, str(tmp_path), keep_quiet)
    answer = await asker.answer(ServerRequest(1, "mcpServer/elicitation/request", params))
    assert answer["action"] == action
    asked = port.the(ApprovalRequired)
    assert (asked.tool_name, asked.tool_call_id, asked.args) == ("mcp__notes__note", "i", {"a": 1})


@pytest.mark.parametrize(("person", "granted"), [(approves, {"network": {"enabled": True}}), (rejects, {})])
async def test_permissions_are_granted_for_the_turn_or_not_at_all(tmp_path: Path, person: Any, granted: Any) -> None:
    port = RecordingPort(TurnRequest(turn_id="t", task="go", workspace=tmp_path), person=person)
    params = {"itemId": "i", "reason": "need it", "permissions": {"network": {"enabled": True}, "fileSystem": None}}
    request = ServerRequest(1, "item/permissions/requestApproval", params)
    answer = await Asker(port, Translator(THREAD, str(tmp_path)), str(tmp_path), keep_quiet).answer(request)
    assert answer == {"permissions": granted, "scope": "turn"}
    assert port.the(ApprovalRequired).warnings == ["What is permitted here holds for every command of this turn"]


CONFIG = """
model_provider = "house"
[model_providers.house]
env_key = "HOUSE_KEY"
env_http_headers = { X-Team = "HOUSE_TEAM" }
[mcp_servers.notes]
bearer_token_env_var = "NOTES_TOKEN"
"""


def test_variables_that_the_configuration_names_are_let_through(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(CONFIG)
    environ = {
        "CODEX_HOME": str(tmp_path),
        "HOUSE_KEY": "k",
        "HOUSE_TEAM": "t",
        "NOTES_TOKEN": "n",
        "ANTHROPIC_KEY": "no",
    }
    assert set(own_variables(environ)) == {"CODEX_HOME", "HOUSE_KEY", "HOUSE_TEAM", "NOTES_TOKEN"}


@pytest.mark.parametrize(
    ("files", "environ", "logged_in"),
    [
        ({}, {}, False),
        ({"auth.json": '{"tokens": {"id_token": "x"}}'}, {}, True),
        ({"auth.json": '{"OPENAI_API_KEY": null}'}, {}, False),
        ({"auth.json": "broken"}, {}, None),
        ({"config.toml": CONFIG}, {}, False),
        ({"config.toml": CONFIG}, {"HOUSE_KEY": "k"}, True),
        ({"config.toml": 'model_provider = "oss"'}, {}, None),
        ({"config.toml": "= broken"}, {}, False),
        ({}, {"CODEX_ACCESS_TOKEN": "x"}, True),
    ],
)
def test_who_is_signed_in_is_read_off_files(
    tmp_path: Path, files: dict[str, str], environ: dict[str, str], logged_in: object
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert status({"CODEX_HOME": str(tmp_path), **environ}).logged_in is logged_in
