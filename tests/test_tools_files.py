"""The tools that read and write files: what they do, and that nothing leaves the workspace."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from support.tools import Caller, names

from nbharness.tools import ToolError
from nbharness.tools.files import read_text, write_text
from nbharness.tools.tree import Tree


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "outside.txt").write_text("secret")
    (tmp_path / "outside").mkdir()
    place = tmp_path / "ws"
    place.mkdir()
    return place


@pytest.fixture
def call(workspace: Path) -> Caller:
    return Caller(workspace)


async def test_read_numbers_lines_and_says_how_many_are_left(call: Caller) -> None:
    (call.workspace / "a.txt").write_text("one\ntwo\nthree\n")
    assert (await call("read", path="a.txt", offset=2, limit=1)).text == "     2\ttwo\n[1 more lines, from offset 3]"


async def test_read_of_a_directory_lists_it(call: Caller) -> None:
    (call.workspace / "sub").mkdir()
    (call.workspace / "a").write_text("")
    assert (await call("read", path=".")).text == "a\nsub/"


async def test_read_tells_exactly_what_it_omits(call: Caller) -> None:
    lines = [f"{number:06}" * 10 for number in range(2000)]
    (call.workspace / "long").write_text("\n".join(lines))
    text = (await call("read", path="long")).text
    whole = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1))
    head, _, rest = text.partition("\n[")
    count, _, tail = rest.partition(" bytes omitted]\n")
    assert len(head) + int(count) + len(tail) == len(whole)
    assert whole.startswith(head)
    assert whole.endswith(tail)


@pytest.mark.parametrize(("content", "said"), [(b"a\0b", "binary"), (b"\xff\xfe", "no UTF-8 text")])
async def test_read_refuses_what_is_no_text(call: Caller, content: bytes, said: str) -> None:
    (call.workspace / "x").write_bytes(content)
    with pytest.raises(ToolError, match=said):
        await call("read", path="x")


async def test_a_pipe_is_no_file_and_nobody_waits_on_it(call: Caller) -> None:
    os.mkfifo(call.workspace / "pipe")
    with pytest.raises(ToolError, match="no regular file"):
        await call("read", path="pipe")


async def test_write_makes_directories_and_shows_a_diff(call: Caller) -> None:
    done = await call("write", path="a/b/c.txt", content="new\n")
    assert (call.workspace / "a/b/c.txt").read_text() == "new\n"
    assert [diff.path for diff in done.diffs] == ["a/b/c.txt"]
    assert "--- /dev/null\n+++ b/a/b/c.txt\n" in done.diffs[0].patch


async def test_write_keeps_permissions_and_leaves_nothing_else_behind(call: Caller) -> None:
    script = call.workspace / "run.sh"
    script.write_text("old")
    script.chmod(0o755)
    await call("write", path="run.sh", content="new")
    assert script.stat().st_mode & 0o777 == 0o755
    assert names(call.workspace) == ["run.sh"]


async def test_write_does_not_reach_through_a_hard_link(call: Caller) -> None:
    os.link(call.workspace.parent / "outside.txt", call.workspace / "linked")
    await call("write", path="linked", content="mine")
    assert (call.workspace.parent / "outside.txt").read_text() == "secret"


async def test_edit_replaces_the_only_occurrence(call: Caller) -> None:
    (call.workspace / "a.py").write_text("x = 1\ny = 1\n")
    with pytest.raises(ToolError, match="stands 2 times"):
        await call("edit", path="a.py", old_string="1", new_string="2")
    done = await call("edit", path="a.py", old_string="x = 1", new_string="x = 2")
    assert (call.workspace / "a.py").read_text() == "x = 2\ny = 1\n"
    assert (done.diffs[0].added, done.diffs[0].removed) == (1, 1)
    await call("edit", path="a.py", old_string=" = ", new_string="=", replace_all=True)
    assert (call.workspace / "a.py").read_text() == "x=2\ny=1\n"


async def test_edit_finds_lines_whatever_their_ends(call: Caller) -> None:
    (call.workspace / "a").write_bytes(b"one\r\ntwo\r\n")
    await call("edit", path="a", old_string="one\ntwo", new_string="1\n2")
    assert (call.workspace / "a").read_bytes() == b"1\r\n2\r\n"


HOSTILE = [
    "../outside.txt", "a/../../outside.txt", "/etc/passwd", "~/x", "~", "link/../../outside.txt", "out/x", "outfile",
    "chain", "", "a\0b", "loop/x", "loop", "abs", "\ud800", "sub/up/outside.txt",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize("tool", ["read", "write", "edit", "apply_patch", "grep", "glob"])
async def test_nothing_leaves_the_workspace(call: Caller, tool: str, path: str) -> None:
    workspace = call.workspace
    (workspace / "sub").mkdir()
    links = {
        "link": "sub", "out": "../outside", "outfile": "../outside.txt", "chain": "outfile", "loop": "loop",
        "abs": "/etc/passwd", "sub/up": "../..",
    }  # fmt: skip
    for name, target in links.items():
        (workspace / name).symlink_to(target)
    arguments: dict[str, dict[str, Any]] = {
        "read": {"path": path},
        "write": {"path": path, "content": "bad"},
        "edit": {"path": path, "old_string": "secret", "new_string": "bad"},
        "apply_patch": {
            "paths": [path],
            "patch": f"*** Begin Patch\n*** Update File: {path}\n-secret\n+bad\n*** End Patch",
        },
        "grep": {"pattern": "secret", "path": path},
        "glob": {"pattern": "*", "path": path},
    }
    with pytest.raises(ToolError) as raised:
        await call(tool, **arguments[tool])
    assert "secret" not in str(raised.value).replace("'secret'", "").replace("-secret", "")
    assert (workspace.parent / "outside.txt").read_text() == "secret"
    assert names(workspace.parent / "outside") == []


async def test_links_that_stay_inside_work(call: Caller) -> None:
    (call.workspace / "sub").mkdir()
    (call.workspace / "sub/real").write_text("one\n")
    (call.workspace / "link").symlink_to(call.workspace / "sub")
    (call.workspace / "sub/again").symlink_to("../link/real")
    assert "one" in (await call("read", path="link/again")).text
    done = await call("write", path="link/again", content="two\n")
    assert done.diffs[0].path == "sub/real"
    assert (call.workspace / "sub/again").is_symlink()
    assert (call.workspace / "sub/real").read_text() == "two\n"


async def test_a_workspace_behind_a_link_has_two_names(tmp_path: Path, workspace: Path) -> None:
    (workspace / "a").write_text("found")
    (tmp_path / "alias").symlink_to(workspace)
    call = Caller(tmp_path / "alias")
    for path in (f"{workspace}/a", f"{tmp_path}/alias/a"):
        assert "found" in (await call("read", path=path)).text
    with pytest.raises(ToolError, match="out of the workspace"):
        await call("read", path=f"{workspace}-other/a")


@pytest.mark.parametrize("path", [".git/hooks/post-commit", ".GIT/config", "sub/.git/config", "hooks/pre-commit"])
async def test_what_git_would_run_is_not_written(call: Caller, path: str) -> None:
    (call.workspace / ".git/hooks").mkdir(parents=True)
    (call.workspace / "hooks").symlink_to(".git/hooks")
    with pytest.raises(ToolError, match="belongs to git"):
        await call("write", path=path, content="#!/bin/sh\n")


async def test_a_directory_that_becomes_a_link_meanwhile_is_not_followed(workspace: Path) -> None:
    (workspace / "sub").mkdir()
    with Tree(workspace) as tree, tree.place("sub/new.txt") as place:
        (workspace / "sub").rename(workspace / "moved")
        (workspace / "sub").symlink_to("../outside")
        os.close(os.open(place.name, os.O_CREAT | os.O_WRONLY, dir_fd=place.parent))
    assert names(workspace / "moved") == ["new.txt"]
    assert names(workspace.parent / "outside") == []


async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(workspace: Path) -> None:
    (workspace / "a").write_text("mine")
    with Tree(workspace) as tree:
        seen = read_text(tree, "a")
        (workspace / "a").write_text("theirs, longer")
        with pytest.raises(ToolError, match="changed since it was read"):
            write_text(tree, seen, "a", "new")
        new = read_text(tree, "b", missing_ok=True)
        (workspace / "b").write_text("theirs")
        with pytest.raises(ToolError, match="changed since it was read"):
            write_text(tree, new, "b", "new")
    assert (workspace / "a").read_text() == "theirs, longer"
    assert names(workspace) == ["a", "b"]


async def test_no_descriptor_stays_open(call: Caller) -> None:
    (call.workspace / "sub").mkdir()
    (call.workspace / "sub/bad").symlink_to("../../outside.txt")
    before = names(Path("/proc/self/fd"))
    for path in ("sub/bad", "sub/none", "sub/../../x", "sub"):
        with pytest.raises(ToolError):
            await call("edit", path=path, old_string="a", new_string="b")
    await call("read", path="sub")
    await call("write", path="sub/x", content="1")
    assert len(names(Path("/proc/self/fd"))) == len(before)


async def test_workspaces_at_once_do_not_meet_and_the_directory_stays(tmp_path: Path) -> None:
    here = Path.cwd()
    places = [tmp_path / f"w{number}" for number in range(20)]
    for place in places:
        place.mkdir()

    async def work(place: Path) -> str:
        call = Caller(place)
        await call("write", path="name.txt", content=place.name)
        await call("edit", path="name.txt", old_string="w", new_string="n")
        return (await call("read", path="name.txt")).text

    texts = await asyncio.gather(*map(work, places))
    assert texts == [f"     1\tn{number}" for number in range(20)]
    assert Path.cwd() == here
