"""``apply_patch``: what a patch does, all of it or nothing."""

from pathlib import Path

import pytest
from support.tools import Caller, names

from nbharness.tools import ToolError


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    (tmp_path / "a.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 1\n")
    (tmp_path / "old.txt").write_text("old\n")
    return Caller(tmp_path)


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


async def test_changes_several_files(call: Caller) -> None:
    text = patch(
        "*** Update File: a.py", "@@ def two():", "-    return 1", "+    return 2", "*** Add File: sub/new.txt", "+one",
        "+two", "*** Delete File: old.txt",
    )  # fmt: skip
    done = await call("apply_patch", paths=["a.py", "sub/new.txt", "old.txt"], patch=text)
    assert (call.workspace / "a.py").read_text() == "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    assert (call.workspace / "sub/new.txt").read_text() == "one\ntwo\n"
    assert names(call.workspace) == ["a.py", "sub"]
    assert [(diff.path, diff.added, diff.removed) for diff in done.diffs] == [
        ("a.py", 1, 1), ("sub/new.txt", 2, 0), ("old.txt", 0, 1),
    ]  # fmt: skip
    assert "+++ /dev/null" in done.diffs[2].patch


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\ftwo\u2028\x85\nold\n", "one\ftwo\u2028\x85\nnew\n"),
        ("one\r\ntwo\nold\r\nlast\n", "one\r\ntwo\nnew\r\nlast\n"),
        ("one\rtwo\nold", "one\rtwo\nnew"),
    ],
)
async def test_lines_that_it_does_not_name_stay_to_the_byte(before: str, after: str, call: Caller) -> None:
    (call.workspace / "odd.txt").write_bytes(before.encode())
    text = patch("*** Update File: odd.txt", "-old", "+new")
    await call("apply_patch", paths=["odd.txt"], patch=text)
    assert (call.workspace / "odd.txt").read_bytes() == after.encode()


async def test_moves_a_file(call: Caller) -> None:
    text = patch("*** Update File: old.txt", "*** Move to: dir/new.txt", "@@", "-old", "+new")
    await call("apply_patch", paths=["old.txt", "dir/new.txt"], patch=text)
    assert (call.workspace / "dir/new.txt").read_text() == "new\n"
    assert not (call.workspace / "old.txt").exists()


@pytest.mark.parametrize(
    ("paths", "lines", "said"),
    [
        (["a.py"], ["*** Update File: a.py", "-nowhere", "+x"], "do not stand in 'a.py'"),
        (["a.py"], ["*** Update File: a.py", "@@ class No:", "-    return 1"], "'class No:' does not stand"),
        (["a.py"], ["*** Update File: old.txt", "-old"], "not among paths"),
        (["a.py"], ["*** Add File: a.py", "+x"], "is there already"),
        (["no"], ["*** Delete File: no"], "no such file"),
        (["a.py"], ["nothing"], "line 2 of the patch"),
        (["a.py"], ["*** Update File: a.py", "~x"], "line 3 of the patch"),
        (["a.py"], [], "names no file"),
        (["a.py"], ["*** Delete File: a.py", "*** Delete File: a.py"], "more than once"),
        (["old.txt", "a.py"], ["*** Update File: old.txt", "*** Move to: a.py"], "is there already"),
    ],
)
async def test_what_does_not_fit_is_said_and_nothing_changes(
    call: Caller, paths: list[str], lines: list[str], said: str
) -> None:
    before = {name: (call.workspace / name).read_text() for name in names(call.workspace)}
    with pytest.raises(ToolError, match=said):
        await call("apply_patch", paths=paths, patch=patch(*lines))
    assert {name: (call.workspace / name).read_text() for name in names(call.workspace)} == before


async def test_what_fails_half_way_is_taken_back(call: Caller) -> None:
    text = patch(
        "*** Update File: a.py", "-def one():", "+def first():", "*** Add File: new.txt", "+x",
        "*** Add File: .git/config", "+x",
    )  # fmt: skip
    before = (call.workspace / "a.py").read_text()
    (call.workspace / ".git").mkdir()
    with pytest.raises(ToolError, match=r"belongs to git.*Nothing was changed"):
        await call("apply_patch", paths=["a.py", "new.txt", ".git/config"], patch=text)
    assert (call.workspace / "a.py").read_text() == before
    assert names(call.workspace) == [".git", "a.py", "old.txt"]


async def test_line_ends_of_the_file_stay(call: Caller) -> None:
    (call.workspace / "w").write_bytes(b"a\r\nb\r\nc")
    await call("apply_patch", paths=["w"], patch=patch("*** Update File: w", " a", "-b", "+x"))
    assert (call.workspace / "w").read_bytes() == b"a\r\nx\r\nc"
