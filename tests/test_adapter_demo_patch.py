"""Unified diffs: what is made can be applied, also after a person edited it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import thorough

from nbharness.adapters.demo.agent.patch import FileChange, PatchError, patched

texts = st.lists(st.sampled_from(["a\n", "b\n", "\n", "\x0c\u2028\n", "--- a\n", "@@ x\n", "+\n", "last"])).map("".join)
TWO = FileChange("one.txt", "1\n2\n3\n4\n", "1\ntwo\n3\n4\n"), FileChange("b/new.txt", None, "hello\n")


@thorough
@given(before=st.none() | texts, after=texts)
def test_applying_a_diff_gives_the_text_it_was_made_for(before: str | None, after: str) -> None:
    change = FileChange("some file.txt", before, after)
    if (before or "") != after:
        assert patched(change.delta().diff, lambda _path: before) == [change]


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs the program patch")
@thorough
@given(before=texts.filter(bool), after=texts.filter(bool))
def test_the_program_patch_agrees(tmp_path_factory: pytest.TempPathFactory, before: str, after: str) -> None:
    folder = tmp_path_factory.mktemp("patch")
    (folder / "f").write_bytes(before.encode())
    diff = FileChange("f", before, after).delta().diff
    subprocess.run(["patch", "-p1", "-s"], cwd=folder, input=diff.encode(), check=True)
    assert (folder / "f").read_bytes() == after.encode()


def test_several_files_in_one_patch() -> None:
    files = {change.path: change.before for change in TWO}
    patch = "".join(change.delta().diff for change in TWO)
    assert patched(patch, files.__getitem__) == [*TWO]


def test_counts() -> None:
    delta = FileChange("f", "a\nb\n", "a\nc\nd\n").delta()
    assert (delta.added, delta.removed) == (2, 1)


def test_line_ends_of_windows_are_shown_as_newlines_and_kept() -> None:
    change = FileChange("f", "a\r\nb\r\n", "a\r\nc\r\n")
    assert "\r" not in change.delta().diff
    assert patched(change.delta().diff, lambda _path: change.before) == [change]


@pytest.mark.parametrize(
    "patch",
    [
        "--- a/f\n+++ b/f\n@@ -1,9 +7,1 @@ def x\n 2\n-3\n+three\n",  # wrong numbers
        "--- a/f\n+++ b/f\n@@\n-3\n+three",  # none at all, no last newline
        "diff --git a/f b/f\nindex 1..2\n--- a/f\t2020-01-01\n+++ b/f\t2020-01-02\n@@ -3 +3 @@\n-3\n+three\n\n\n",
        "--- a/f\r\n+++ b/f\r\n@@ -3 +3 @@\r\n-3\r\n+three\r\n",  # as a form sends it
    ],
)
def test_patch_that_a_person_edited_still_fits(patch: str) -> None:
    (change,) = patched(patch, lambda _path: "1\n2\n3\n4\n")
    assert change.after == "1\n2\nthree\n4\n"


def test_nearest_place_is_taken() -> None:
    (change,) = patched("--- a/f\n+++ b/f\n@@ -3 +3 @@\n-x\n+y\n", lambda _path: "x\n\nx\n\nx\n")
    assert change.after == "x\n\ny\n\nx\n"


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        ("", "there is no change to a file"),
        ("just words\n", "there is no change to a file"),
        ("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", "deletes f"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n*1\n", r"line 4 of the patch begins with '\*'"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-7\n+8\n", "the hunk in line 3 of the patch does not fit f"),
        ("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+8\n", "f exists already"),
        ("--- a/f\n+++ b/f\n@@\n-1\n+8\n--- a/f\n+++ b/f\n@@\n-2\n+8\n", "two parts for one file"),
    ],
)
def test_patch_that_does_not_fit_is_refused(patch: str, problem: str) -> None:
    with pytest.raises(PatchError, match=problem):
        patched(patch, lambda _path: "1\n2\n")


def test_missing_file_is_named() -> None:
    with pytest.raises(PatchError, match="f does not exist"):
        patched("--- a/f\n+++ b/f\n@@\n-1\n", lambda _path: None)


def test_a_path_is_taken_as_it_stands(tmp_path: Path) -> None:
    change = FileChange("b/a b.txt", None, "x\n")
    assert patched(change.delta().diff, lambda path: (tmp_path / path).name and None) == [change]
