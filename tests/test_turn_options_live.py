"""Options of a turn in a real kernel and on the real command line: refused clearly, or carried to the agent."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.agents import install
from support.command import Home, one_line, read_json
from support.kernels import Kernel, start_kernel
from support.terminal import Terminal

from nbharness.events import ApprovalRequired, MessageDelta

pytestmark = pytest.mark.slow

MCP = {"mcpServers": {"docs": {"command": "npx", "args": ["-y", "evil"]}}}

REFUSED = [
    ("--model opus", "does not support the model 'opus'"),
    ("--mode plan", "does not support the mode 'plan'"),
    ("--max-cost 1", "does not support --max-cost"),
    ('--command "copilot --acp"', "does not support --command: name an agent that takes one: acp"),
    ("--fork", "does not support forking a conversation"),
    ("--max-tools 0", "'0' is not a whole number above 0"),
    ("--allow bash", "would allow any command"),
    ("--deny 'rm -rf'", "cannot be used to deny"),
]
FOREIGN = {
    "JPY_PARENT_PID": "1", "JUPYTER_TOKEN": "t", "JUPYTERHUB_API_TOKEN": "t", "AWS_SECRET_ACCESS_KEY": "k",
    "OPENAI_API_KEY": "k", "GITHUB_TOKEN": "t", "MY_TOKEN": "mine", "OTHER_TOKEN": "not mine",
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.env |= {"PYTHONPATH": install(tmp_path / "agents"), "NBHARNESS_CONFIG": str(tmp_path / "nbharness.toml")}
    (tmp_path / "nbharness.toml").touch()
    return made


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with start_kernel("python3", tmp_path_factory.mktemp("kernel")) as started:
        assert started.run("%load_ext nbharness") == ""
        yield started


def carry_evil(project: Path) -> Path:
    file = project / ".mcp.json"
    file.write_text(json.dumps(MCP))
    return file


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_the_magic_refuses_what_cannot_be_honoured(kernel: Kernel, options: str, said: str) -> None:
    assert said in kernel.run(f"%coder --agent scripted {options} ask")


def test_the_magic_refuses_what_contradicts_itself(kernel: Kernel) -> None:
    assert "contradict each other" in kernel.run("%coder --agent scripted --continue --new ask")


def test_an_agent_gets_its_environment_and_nothing_else(home: Home) -> None:
    (home.folder / "nbharness.toml").write_text('pass_env = ["MY_TOKEN", "UNSET_TOKEN"]\n')
    done = home.nbharness("run", "--agent", "scripted", "environ", "--json", env=FOREIGN)
    envelopes, result = read_json(done.stdout)
    assert result.status == "completed", result
    said = "".join(e.event.delta for e in envelopes if isinstance(e.event, MessageDelta))
    given: dict[str, str] = json.loads(said)
    assert given["NBHARNESS"] == "1"
    assert given["MY_TOKEN"] == "mine"  # noqa: S105 (no secret)
    assert {"PATH", "HOME"} <= set(given)
    assert not set(given) & (set(FOREIGN) - {"MY_TOKEN"})
    assert not [name for name in given if name.startswith(("JPY_", "JUPYTER", "AWS_", "NBHARNESS_"))]


@pytest.mark.parametrize(("rules", "status", "by"), [
    ('[policy]\nallow = ["bash(echo *)"]', "approved", "rule"),
    ('[policy]\nallow = ["bash(echo *)"]\ndeny = ["bash(echo 0)"]', "rejected", "rule"),
    ('[policy.scripted]\nallow = ["bash(echo 0)"]', "approved", "rule"),
    ('[policy.other]\nallow = ["bash(echo 0)"]', "rejected", "nobody"),
])  # fmt: skip
def test_rules_of_the_settings_answer(home: Home, rules: str, status: str, by: str) -> None:
    (home.folder / "nbharness.toml").write_text(rules)
    (home.project / "nbharness.toml").write_text('[policy]\nallow = ["bash(echo *)"]\n')
    done = home.nbharness("run", "--agent", "scripted", "ask", "--json")
    updates = [json.loads(line)["data"] for line in done.stdout.splitlines() if '"approval.updated"' in line]
    assert [(update["status"], update["by"]) for update in updates] == [(status, by)]


def test_a_rule_that_cannot_be_read_is_named_with_its_place(home: Home) -> None:
    (home.folder / "nbharness.toml").write_text('[policy.claude]\nallow = ["bash(sed *)"]\n')
    done = home.nbharness("run", "--agent", "scripted", "ask")
    assert done.returncode == 2
    assert "[policy.claude]: the rule 'bash(sed *)'" in one_line(done)


# --- trust ------------------------------------------------------------------------------------------


def test_in_a_pipe_an_untrusted_project_is_refused_in_every_mode(home: Home) -> None:
    carry_evil(home.project)
    for options in ([], ["--approval", "auto"], ["--approval", "off"], ["--allow", "read"], ["--plan"]):
        done = home.nbharness("run", "--agent", "obeys", "ask", "--json", *options)
        envelopes, result = read_json(done.stdout)
        assert done.returncode == 1
        assert result.error is not None
        assert result.error.code == "untrusted"
        (asked,) = [e.event for e in envelopes if isinstance(e.event, ApprovalRequired)]
        assert asked.args == {".mcp.json": ["MCP server docs: npx -y evil"]}
    said = home.nbharness("run", "--agent", "obeys", "ask")
    assert "--trust-project" in said.stdout + said.stderr


def test_unless_told_to_trust_it_for_this_turn(home: Home) -> None:
    carry_evil(home.project)
    done = home.nbharness("run", "--agent", "obeys", "ask", "--approval", "auto", "--trust-project")
    assert done.returncode == 0, done.stdout
    assert home.nbharness("run", "--agent", "obeys", "ask", "--approval", "auto").returncode == 1


def test_a_person_at_the_terminal_trusts_once_and_is_asked_again_after_a_change(home: Home) -> None:
    file = carry_evil(home.project)
    arguments = home.command("run", "--agent", "obeys", "--workspace", str(home.project), "--approval", "auto", "ask")
    for evil in ("evil", "worse"):
        file.write_text(json.dumps(MCP).replace("evil", evil))
        with Terminal(arguments, env=home.env) as screen:
            screen.expect(f"npx -y {evil}")
            screen.expect("[r] Reject")
            screen.press("a")
            screen.expect("approved")
            assert screen.wait() == 0, screen.text
        again = home.nbharness("run", "--agent", "obeys", "--workspace", str(home.project), "--approval", "auto", "ask")
        assert again.returncode == 0, again.stdout
    assert [name for name in os.listdir(home.project) if "trust" in name] == []  # noqa: PTH208 (names only)
    assert (home.state / "trusted.json").exists()


def until_asked(kernel: Kernel, turn_id: str) -> dict[str, Any]:
    """Say hello until the turn asks, as a view does; return the welcome that shows it."""
    last = -1
    while True:
        said = {"kind": "hello", "view": "v", "nonce": "n", "turnId": turn_id, "lastSeq": last}
        welcome = kernel.ask_over_control(said)
        for event in welcome["events"]:
            last = event["seq"]
            if event["type"] == "approval.required":
                return {**event["data"], "secret": welcome["secret"]}


@pytest.mark.parametrize(("decision", "ends"), [("reject", "error"), ("approve", "completed")])
def test_a_cell_asks_in_its_view(kernel: Kernel, decision: str, ends: str, tmp_path: Path) -> None:
    carry_evil(tmp_path)
    line = f"h = %coder --bg --new --agent obeys --approval auto --workspace {tmp_path} ask\nprint(h.turn_id)"
    turn_id = kernel.run(line).strip().splitlines()[-1]
    asked = until_asked(kernel, turn_id)
    assert asked["toolName"] == "trust project"
    assert asked["autoApprovable"] is False
    answer = {"type": "approval", "id": asked["id"], "argsHash": asked["argsHash"], "decision": decision}
    said = {"kind": "input", "view": "v", "inputId": "i", "turnId": turn_id, "secret": asked["secret"]}
    assert kernel.ask_over_control({**said, "input": answer})["status"] == "ok"
    assert kernel.run("print(h.result(30).status)").strip() == ends
