"""Declared agents: listing them reads, runs nothing, leaves nothing out, and takes no file at its word."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.declared import put, reviewer
from support.strategies import thorough

from nbharness.agents import Skill, definition_names, discover, prompt_of, select, stricter
from nbharness.agents.front_matter import FrontMatter, read_front_matter
from nbharness.errors import BrokenDefinition, ConfigError, UnknownName, WorkspaceError

KEYS = ("approval", "description", "model", "tools")

BROKEN = [
    ("---\nmodle: x\n---\nHi", 2, "unknown key 'modle'. Valid: agent, approval, description, model, tools"),
    ("---\nmodel: x\nmodel: y\n---\nHi", 3, "model is there twice"),
    ("---\nmodel: [a]\n---\nHi", 2, "model is a list; valid: one text"),
    ("---\nmodel: ''\n---\nHi", 2, "model is empty"),
    ("---\n\n# note\napproval: always\n---\nHi", 4, "approval is 'always'; valid: auto, off, require"),
    ("---\ndescription: a\ntools: [read, a b]\n---\nHi", 3, "tools has 'a b'"),
    ("---\ntools:\n  - read\n  - {a: b}\n---\nHi", 4, "tools holds more than text"),
    ("---\nmodel: x\n", 1, "the front matter does not end"),
    ("---\nmodel: 'x\n---\nHi", 2, "cannot be read"),
    ("---\n- a\n---\nHi", 2, "the front matter is no list of keys"),
    ("---\n[a]: b\n---\nHi", 2, "unknown key that is no text"),
    ("---\nmodel: x\x07y\n---\nHi", 2, "cannot be read"),
    ('---\nmodel: "\\ud800"\n---\nHi', 2, "characters that no text has"),
    ('---\nmodel: "\\U00110000"\n---\nHi', 2, "cannot be read"),
    ("---\nmodel: " + "[" * 65 + "\n---\nHi", 1, "has more than 64 brackets"),
    ("---\n" + "#" * 9000 + "\n---\nHi", 1, "has 9000 characters; valid: at most 4096"),
    ("---\ndescription: " + "x" * 1025 + "\n---\nHi", 2, "description has 1025 characters; valid: at most 1024"),
    ("---\n" + "? " * 2000 + "\n---\nHi", 2, "cannot be read"),
    ("---\nmodel: &a x\ndescription: *b\n---\nHi", 3, "undefined alias"),
    ("---\nmodel: x\n---\n\n  \n", 6, "holds no instructions"),
    ("", 1, "holds no instructions"),
    ("x" * 70_000, None, "has 70000 bytes; valid: at most 65536"),
]


@pytest.mark.parametrize(("text", "line", "says"), BROKEN)
def test_a_broken_one_is_named_with_file_and_line_and_hides_no_other(
    text: str, line: int | None, says: str, tmp_path: Path
) -> None:
    put(tmp_path / "agents/bad/instructions.md", text)
    put(tmp_path / "agents/good/instructions.md", "Be good.")
    found = discover(tmp_path)
    assert [definition.name for definition in found.definitions] == ["good"]
    (problem,) = found.problems
    assert problem.path == "agents/bad/instructions.md"
    assert says in str(problem)
    if line is not None:
        assert str(problem).startswith(f"agents/bad/instructions.md:{line}: ")
    with pytest.raises(BrokenDefinition) as raised:
        select(tmp_path, "bad")
    assert str(raised.value) == str(problem)


def test_everything_that_a_folder_may_hold_is_read(tmp_path: Path) -> None:
    reviewer(tmp_path)
    put(tmp_path / "agents/shared/tools/common.py", "def common() -> str:\n    return ''\n")
    for odd in ("__init__.py", "_private.py", "a b.py", "\x1b[31m.py", "notes.txt"):
        put(tmp_path / "agents/shared/tools" / odd, "raise SystemExit")
    put(tmp_path / "agents/shared/instructions.md", "No agent.")
    put(tmp_path / "agents/somebody_elses/agent.py", "raise SystemExit")
    put(tmp_path / "agents/__init__.py", "raise SystemExit")
    put(
        tmp_path / "app/agents/writer/instructions.md",
        "\ufeff---\r\nagent: claude\r\ntools: read, write\r\napproval: off\r\nmodel: ~\r\ndescription: >\r\n"
        "  Writes\r\n  well.\r\n---\r\nWrite.\r\n",
    )
    found = discover(tmp_path)
    assert found.problems == ()
    first, second = found.definitions
    assert (first.name, first.folder, first.model, first.approval) == (
        "reviewer",
        "agents/reviewer",
        "openai-chat:my-model",
        "require",
    )
    assert first.skills == (Skill("naming", "How names are chosen here.", "agents/reviewer/skills/naming/SKILL.md"),)
    assert [source.path for source in first.code] == ["agents/shared/tools/common.py", "agents/reviewer/agent.py"]
    assert (second.name, second.agent, second.tools, second.approval, second.model) == (
        "writer",
        "claude",
        ("read", "write"),
        "off",
        None,
    )
    assert (second.description, second.instructions, second.code) == ("Writes well.", "Write.", ())
    assert prompt_of(second) == "Write."
    assert prompt_of(first).endswith(
        "read its file:\n- naming: How names are chosen here. (agents/reviewer/skills/naming/SKILL.md)"
    )
    assert definition_names(tmp_path) == ["reviewer", "writer"]


def test_listing_imports_and_writes_nothing(tmp_path: Path) -> None:
    put(tmp_path / "agents/x/instructions.md", "Hi.")
    put(tmp_path / "agents/x/agent.py", f"open({str(tmp_path / 'ran')!r}, 'w')")
    before = set(sys.modules)
    discover(tmp_path)
    select(tmp_path, "x")
    assert {name for name in set(sys.modules) - before if "agents_" in name} == set()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["agent.py", "agents", "instructions.md", "x"]


def test_no_link_is_followed_out_of_the_workspace(tmp_path: Path) -> None:
    secret = put(tmp_path / "outside/instructions.md", "secret")
    workspace = tmp_path / "workspace"
    put(workspace / "agents/good/instructions.md", "Hi.")
    put(workspace / "shelf/kept/instructions.md", "From inside.")
    (workspace / "agents/kept").symlink_to("../shelf/kept")
    (workspace / "agents/folder").symlink_to(secret.parent)
    (workspace / "agents/file").mkdir()
    (workspace / "agents/file/instructions.md").symlink_to(secret)
    (workspace / "agents/circle").symlink_to("circle")
    put(workspace / "agents/code/instructions.md", "Hi.")
    (workspace / "agents/code/agent.py").symlink_to(secret)
    (workspace / "app").symlink_to(tmp_path / "outside")
    os.mkfifo(put(workspace / "agents/pipe/x", "").parent / "instructions.md")
    found = discover(workspace)
    assert [definition.name for definition in found.definitions] == ["good", "kept"]
    problems = {problem.path: problem.problem for problem in found.problems}
    assert "secret" not in str(problems)
    assert "leads out of the workspace" in problems["agents/folder/instructions.md"]
    assert "leads out of the workspace" in problems["agents/file/instructions.md"]
    assert "leads out of the workspace" in problems["agents/code/agent.py"]
    assert "leads out of the workspace" in problems["app/agents"]
    assert "is no regular file" in problems["agents/pipe/instructions.md"]


def test_what_is_wrong_beside_the_instructions_is_named_too(tmp_path: Path) -> None:
    put(tmp_path / "agents/a/instructions.md", "---\ntools: [bash]\n---\nHi")
    put(tmp_path / "agents/a/skills/s/SKILL.md", "---\ndescription: x\n---\n")
    put(tmp_path / "agents/b/instructions.md", "Hi")
    put(tmp_path / "agents/b/skills/s/SKILL.md", "No head.")
    put(tmp_path / "agents/c/instructions.md", "Hi")
    (tmp_path / "agents/c/agent.py").write_bytes(b"\xff\xfe")
    put(tmp_path / "agents/twice/instructions.md", "Hi")
    put(tmp_path / "app/agents/twice/instructions.md", "Ho")
    found = discover(tmp_path)
    assert [definition.folder for definition in found.definitions] == ["agents/twice"]
    assert [str(problem).split(";")[0] for problem in found.problems] == [
        "agents/a/instructions.md:2: tools lacks 'read', without which its skills cannot be read",
        "agents/b/skills/s/SKILL.md:1: lacks a description, which says when the skill is of use",
        "agents/c/agent.py: is no UTF-8 text: invalid start byte at byte 0",
        "app/agents/twice: is hidden by agents/twice, which has the same name",
    ]


def test_a_name_that_is_not_there_tells_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"declares none; make agents/NAME/instructions\.md"):
        select(tmp_path, "x")
    reviewer(tmp_path)
    for name in ("x", "", ".", "..", "shared", "../agents/reviewer", "reviewer/", "a\0b"):
        with pytest.raises(UnknownName, match="Valid: reviewer"):
            select(tmp_path, name)
    with pytest.raises(WorkspaceError):
        discover(tmp_path / "missing")


def test_too_many_files_are_not_looked_at(tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / "agents" / f"a{number}").mkdir(parents=True)
    (problem,) = discover(tmp_path).problems
    assert str(problem) == "agents: holds 1001 files; valid: at most 1000"


def test_the_stricter_mode_wins() -> None:
    assert stricter("require", "off") == stricter("auto", "require") == "require"
    assert stricter("off", "auto") == stricter("auto", "off") == "auto"
    assert stricter("off", None) == "off"


_WORDS = """model tools description : [ ] { } - " ' | > # &a *a !!python/object:os.system ! ? --- ... % << \\ ~ ,"""
_yaml = st.lists(
    st.sampled_from([*_WORDS.split(), " ", "\n", "\n  ", "- ", ": ", "\t", "\u2028", "\x85"]) | st.text(max_size=4),
    max_size=30,
).map("".join)
_breaks = re.compile(r"\r\n|[\r\n\u2028\u2029\x85]")


def taken_apart(text: str) -> FrontMatter | BrokenDefinition:
    try:
        head = read_front_matter("x.md", text, KEYS)
        for key in {*KEYS} - {"tools"}:
            said = head.text(key)
            assert said is None or said == " ".join(said.split()) != ""
    except BrokenDefinition as problem:
        return problem
    return head


@thorough
@given(st.text(max_size=60) | _yaml | _yaml.map("---\n{}\n---\nBody".format))
def test_any_text_is_read_or_named_with_a_line_that_it_has(text: str) -> None:
    head = taken_apart(text)
    if isinstance(head, BrokenDefinition):
        assert head.path == "x.md"
        assert head.line in range(1, len(_breaks.split(text)) + 1)
        return
    assert set(head.values) <= set(KEYS)
    for value in head.values.values():
        assert "".join(value.texts).encode().decode() == "".join(value.texts)
    assert head.body in text.replace("\r\n", "\n").removeprefix("\ufeff")


@thorough
@given(
    st.dictionaries(st.sampled_from(KEYS), st.from_regex(r"[a-z][a-z0-9-]{0,9}", fullmatch=True)), st.text(max_size=40)
)
def test_what_is_written_is_what_is_read(values: dict[str, str], body: str) -> None:
    text = "---\n" + "".join(f"{key}: '{value}'\n" for key, value in values.items()) + "---\n" + body
    head = read_front_matter("x.md", text, KEYS)
    assert {key: value.texts for key, value in head.values.items()} == {key: (value,) for key, value in values.items()}
    assert [head.values[key].line for key in values] == list(range(2, len(values) + 2))
    assert head.body == body.replace("\r\n", "\n").strip()
