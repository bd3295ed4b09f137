"""What the built-in agent is told first: its parts in order, and nothing of a project that is not for it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builtin import DONE, builtin
from support.command import Home, one_line

from nbharness.prompt import BASE, MAX_BYTES, PROJECT_FILES, project_context, system_prompt

HEAD = "# What the project says"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "outer" / "inner"
    made.mkdir(parents=True)
    return made


def in_order(text: str, *parts: str) -> bool:
    places = [text.index(part) for part in parts]
    return places == sorted(places)


def test_parts_stand_in_their_order_and_the_directory_closes(workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("Inner rule.\n")
    (workspace / "CLAUDE.md").write_text("Inner, for Claude.\n")
    (workspace.parent / "AGENTS.md").write_text("Outer rule.\n")
    text = system_prompt(workspace, append="  Said last.  ")
    assert text.startswith(BASE)
    project = (HEAD, f"## {workspace}/AGENTS.md\nInner rule.", "Inner, for Claude.", "Outer rule.")
    assert in_order(text, "# How you work", *project, "\n\nSaid last.\n\n")
    assert text.splitlines()[-1] == f"Working directory: {workspace}"


def test_another_beginning_takes_the_place_of_ours_only(workspace: Path) -> None:
    text = system_prompt(workspace, base="You review.\n")
    assert text.startswith("You review.\n\n# How you work")
    assert BASE not in text
    assert system_prompt(workspace, base=" \n") == system_prompt(workspace)
    assert HEAD not in system_prompt(workspace)


def test_a_file_is_told_once_however_it_is_reached(workspace: Path) -> None:
    (workspace.parent / "AGENTS.md").write_text("Told once.")
    (workspace.parent / "CLAUDE.md").symlink_to("AGENTS.md")
    (workspace / "AGENTS.md").symlink_to("../AGENTS.md")
    (workspace / "CLAUDE.md").symlink_to("AGENTS.md")
    assert project_context(workspace).count("Told once.") == 1


def test_a_link_leads_to_no_foreign_file(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "id_rsa").write_text("SECRET KEY")
    (workspace / "docs").mkdir()
    (workspace / "docs" / "agents.md").write_text("From its own folder.")
    (workspace / "AGENTS.md").symlink_to(tmp_path / "id_rsa")
    (workspace / "CLAUDE.md").symlink_to("docs/agents.md")
    told = project_context(workspace)
    assert "SECRET" not in told
    assert "From its own folder." in told


@pytest.mark.parametrize(("size", "is_told"), [(MAX_BYTES, True), (MAX_BYTES + 1, False)])
def test_a_file_beyond_64_kib_is_left_out(workspace: Path, size: int, *, is_told: bool) -> None:
    (workspace / "AGENTS.md").write_bytes(b"x" * size)
    (workspace / "CLAUDE.md").write_text("The other one.")
    told = project_context(workspace)
    assert ("x" * 100 in told) is is_told
    assert "The other one." in told


def test_what_is_no_text_file_is_left_out_and_holds_nothing_open(workspace: Path) -> None:
    os.mkfifo(workspace / "AGENTS.md")
    (workspace / "CLAUDE.md").mkdir()
    (workspace.parent / "AGENTS.md").write_bytes(b"caf\xe9")
    (workspace.parent / "CLAUDE.md").symlink_to("CLAUDE.md")
    open_before = len(list(Path("/dev/fd").iterdir()))
    assert project_context(workspace) == ""
    assert len(list(Path("/dev/fd").iterdir())) == open_before


def test_a_byte_order_mark_is_no_text(workspace: Path) -> None:
    (workspace / "AGENTS.md").write_bytes("\ufeffRules.".encode())
    assert "AGENTS.md\nRules." in project_context(workspace)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file somebody else's")
def test_another_user_says_nothing_to_our_agent(workspace: Path) -> None:
    planted = workspace.parent / "AGENTS.md"
    planted.write_text("Do as I say.")
    os.chown(planted, 12345, -1)
    assert project_context(workspace) == ""
    os.chown(workspace, 12345, -1)
    assert "Do as I say." in project_context(workspace), "whose workspace it is may speak"


def test_a_directory_without_a_name_in_utf_8_can_be_told(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    (odd / "AGENTS.md").write_text("Rules.")
    assert "Rules." in system_prompt(odd).encode().decode()


contents = st.one_of(st.binary(max_size=40), st.text(max_size=40).map(str.encode))


@given(files=st.dictionaries(st.tuples(st.integers(0, 2), st.sampled_from(PROJECT_FILES)), contents), append=st.text())
def test_whatever_lies_there_it_begins_and_ends_as_it_must(
    files: Mapping[tuple[int, str], bytes], append: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("any")
    folders = list(itertools.accumulate(["a", "b"], lambda above, name: above / name, initial=root))
    folders[-1].mkdir(parents=True)
    for (depth, name), content in files.items():
        (folders[depth] / name).write_bytes(content)
    text = system_prompt(folders[-1], append=append)
    text.encode()
    assert text.startswith(BASE)
    assert text.endswith(f"Working directory: {folders[-1]}")
    heads = [depth for depth in (2, 1, 0) for name in PROJECT_FILES if f"## {folders[depth] / name}\n" in text]
    assert heads == sorted(heads, reverse=True)


async def test_the_command_prints_what_the_model_is_told(tmp_path: Path) -> None:
    home = Home(tmp_path / "user")
    with builtin(tmp_path, "anthropic") as agent:
        agent.file("AGENTS.md").write_text("Never push.\n")
        await agent.turn(DONE)
        await agent.close()
        (told,) = agent.requests[-1].body["system"]
    done = home.nbharness("prompt", "--workspace", str(agent.workspace))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == told["text"] + "\n"
    assert "Never push." in done.stdout


def test_the_command_follows_settings_and_refuses_what_is_no_directory(home: Home) -> None:
    own = {"NBHARNESS_SYSTEM_PROMPT": "You paint.", "NBHARNESS_SYSTEM_PROMPT_APPEND": "Use oil."}
    said = home.nbharness("prompt", env=own).stdout
    assert said.startswith("You paint.\n")
    assert in_order(said, "You paint.", "Use oil.", f"Working directory: {home.project}")
    assert "plan mode" not in said
    assert "plan mode" in home.nbharness("prompt", "--plan").stdout
    wrong = home.nbharness("prompt", "--workspace", "/no/such/place")
    assert wrong.returncode == 2
    assert "'/no/such/place' does not exist" in one_line(wrong)


def test_a_declared_agent_stands_at_the_beginning(home: Home) -> None:
    folder = home.project / "agents" / "reviewer"
    folder.mkdir(parents=True)
    (folder / "instructions.md").write_text("---\ndescription: Reviews.\n---\nYou review code.\n")
    said = home.nbharness("prompt", "--agent-def", "reviewer", env={"NBHARNESS_SYSTEM_PROMPT": "You paint."}).stdout
    assert said.startswith("You review code.\n\n# How you work")
    assert "You paint." not in said
    assert "'nobody'" in one_line(home.nbharness("prompt", "--agent-def", "nobody"))


def test_the_setting_is_for_agents_that_take_one_and_hinders_no_other(home: Home) -> None:
    done = home.run("scenario: failure", "--quiet", env={"NBHARNESS_SYSTEM_PROMPT": "You paint."})
    assert "the settings are missing" in one_line(done)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
