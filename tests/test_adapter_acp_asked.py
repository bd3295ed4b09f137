"""What an ACP agent asks of its client besides approvals, and what it is given."""

import json
import os
from pathlib import Path

import pytest
from support.acp import FAKE, opened
from support.port import rejects

from nbharness.adapters.acp import PRESETS, AcpAdapter, copilot
from nbharness.adapters.base import McpServer
from nbharness.adapters.registry import create_adapter
from nbharness.errors import (
    AdapterError,
)
from nbharness.events import (
    ApprovalRequired,
    QuestionAsked,
    QuestionOption,
    ToolEnd,
)


async def test_files_unadvertised(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("1\n2\n3\n")
    (tmp_path / "link").symlink_to("/etc")
    async with opened(tmp_path) as talk:
        assert json.loads((await talk.run(f"file {tmp_path}/there")).text) == {"content": "1\n2\n"}
        codes = [
            json.loads((await talk.run(f"file {path}")).text)["error"]["code"]
            for path in (tmp_path / "missing", "relative", "/etc/passwd", tmp_path / "link" / "passwd")
        ]
        assert codes == [-32002, -32602, -32602, -32602]
        port = await talk.run(f"file {tmp_path}/sub/new text of it")
        assert (tmp_path / "sub" / "new").read_text() == "text of it"
        assert port.the(ApprovalRequired).diffs[0].path == "sub/new"  # type: ignore[index]
        denied = await talk.run(f"file {tmp_path}/other text", person=rejects)
        assert "not allowed: not today" in denied.text
        assert not (tmp_path / "other").exists()
        outside = await talk.run(f"file /tmp/{tmp_path.name} text")
        assert "not inside the workspace" in outside.text
        assert outside.all(ApprovalRequired) == []


async def test_write_that_was_allowed_is_not_asked_for_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run(f"asked_write {tmp_path}/file")
        assert len(port.all(ApprovalRequired)) == 1
        assert (tmp_path / "file").read_text() == "new\n"
        # The permission was for once.
        assert len((await talk.run(f"file {tmp_path}/file new\n")).all(ApprovalRequired)) == 1


async def test_terminal_unadvertised(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        port = await talk.run("terminal echo out; exit 3")
        assert port.text == "3 out -32002"
        shown = next(end for end in port.all(ToolEnd) if end.id == "t")
        assert shown.output is None  # Its deltas are the output.
        assert "not allowed" in (await talk.run("terminal echo x", person=rejects)).text


async def test_form_is_a_question(tmp_path: Path) -> None:
    async with opened(tmp_path) as talk:
        answered = await talk.run("form")
        nobody = await talk.run("form", person=None)
    (question,) = answered.the(QuestionAsked).questions
    assert (question.text, question.header, question.free_text) == ("Which colour?", "Colour", True)
    assert question.options == [QuestionOption(label="red", description="red, warm"), QuestionOption(label="blue")]
    assert json.loads(answered.text) == {"action": "accept", "content": {"q": "red"}}
    assert json.loads(nobody.text) == {"action": "decline"}


async def test_mcp_servers_reach_the_agent(tmp_path: Path) -> None:
    by_command = McpServer(name="a", command="x")
    by_address = McpServer(name="b", url="http://127.0.0.1:1")
    async with opened(tmp_path, "--can http") as talk:
        await talk.run("say x", mcp_servers=(by_command, by_address))
    async with opened(tmp_path) as talk:
        with pytest.raises(AdapterError, match="cannot reach the MCP server 'b'"):
            await talk.run("say x", mcp_servers=(by_address,))


async def test_environment_is_an_allow_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_TOKEN", "secret")
    async with opened(tmp_path) as talk:
        assert (await talk.run("environment JUPYTER_TOKEN")).text == "unset"
        assert (await talk.run("environment NBHARNESS")).text == "1"
        pid = talk.pid
        # Another environment is another process, and the same session.
        port = await talk.run("environment MINE", environment={"MINE": "yes"})
        assert port.text == "yes"
        assert talk.pid != pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_known_program_behind_a_command_gets_its_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "copilot"
    program.write_text(f'#!/bin/sh\nexec {FAKE} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("COPILOT_MODEL", "mine")
    async with opened(tmp_path) as talk:
        assert (await talk.run("environment COPILOT_MODEL", command=str(program))).text == "mine"
        assert (await talk.run("environment COPILOT_MODEL")).text == "unset"


def test_status_reads_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lib" / "node_modules" / "@github" / "copilot"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "@github/copilot", "version": "1.2.3"}')
    (package / "loader.js").write_text("#!/bin/false\n")
    (package / "loader.js").chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "copilot").symlink_to(package / "loader.js")
    monkeypatch.setenv("HOME", str(tmp_path))
    for key in PRESETS["copilot"].keys:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("PATH", "")
    assert not copilot().status().installed
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found = copilot().status()
    assert (found.installed, found.version, found.logged_in) == (True, "1.2.3", None)
    assert found.program == str(tmp_path / "bin" / "copilot")
    monkeypatch.setenv("GH_TOKEN", "x")
    assert copilot().status().logged_in


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_say_what_a_person_needs(name: str) -> None:
    adapter = create_adapter(name)
    assert isinstance(adapter, AcpAdapter)
    assert adapter.name == name
    assert adapter.unasked
    assert adapter.status().install
    assert not adapter.capabilities.steer
    assert not adapter.capabilities.edited_args
