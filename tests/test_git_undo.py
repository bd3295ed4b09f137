"""An undo puts back exactly what was, or touches nothing."""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbharness.events import WorkspaceChanged
from nbharness.git import ShadowRepository, UndoResult

Tree = dict[str, tuple[str, bytes]]
"""What each path is: ``file``, ``program`` or ``link``, and its content."""

_names = st.sampled_from(["a", "b", "odd\nname", "sp ace", "-x", "é", '"q"'])
_paths = st.lists(_names, min_size=1, max_size=3).map("/".join)
_entries = st.tuples(st.sampled_from(["file", "program", "link"]), st.binary(min_size=1, max_size=30)).map(
    lambda entry: (entry[0], entry[1].replace(b"\0", b".") if entry[0] == "link" else entry[1])
)
_trees = st.dictionaries(_paths, _entries, max_size=6).map(
    lambda tree: {path: entry for path, entry in tree.items() if not any(path.startswith(f"{p}/") for p in tree)}
)


def write(top: Path, tree: Tree) -> None:
    """Make a directory hold a tree and nothing else; files that stay as they are are not touched."""
    have = read(top)
    for path in set(have) - set(tree):
        (top / path).unlink()
    for directory, _names, _files in os.walk(top, topdown=False):
        if directory != str(top) and not any(Path(directory).iterdir()):
            Path(directory).rmdir()
    for path, (kind, content) in tree.items():
        if have.get(path) == (kind, content):
            continue
        file = top / path
        if os.path.lexists(file):
            file.unlink()
        file.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            file.symlink_to(os.fsdecode(content))
        else:
            file.write_bytes(content)
            file.chmod(0o755 if kind == "program" else 0o644)


def read(top: Path) -> Tree:
    """Return what a directory holds."""
    found: Tree = {}
    for directory, names, files in os.walk(top):
        for name in (*files, *names):
            file = Path(directory) / name
            mode = file.lstat().st_mode
            path = str(file.relative_to(top))
            if stat.S_ISLNK(mode):
                found[path] = ("link", os.readlink(os.fsencode(file)))  # noqa: PTH115 - a Path would tidy `./` away
            elif stat.S_ISREG(mode):
                found[path] = ("program" if mode & 0o100 else "file", file.read_bytes())
    return found


def times(top: Path) -> dict[str, int]:
    return {path: (top / path).lstat().st_mtime_ns for path in read(top)}


async def changed_by(top: Path, state: Path, tree: Tree) -> tuple[ShadowRepository, WorkspaceChanged | None]:
    shadow = await ShadowRepository.open(top, state)
    baseline = await shadow.baseline()
    write(top, tree)
    return shadow, await shadow.changes(baseline)


async def undo(shadow: ShadowRepository, changed: WorkspaceChanged) -> UndoResult:
    return await shadow.restore(current=str(changed.result), wanted=str(changed.baseline))


async def redo(shadow: ShadowRepository, changed: WorkspaceChanged) -> UndoResult:
    return await shadow.restore(current=str(changed.baseline), wanted=str(changed.result))


@settings(deadline=None, max_examples=12, suppress_health_check=list(HealthCheck))
@given(before=_trees, after=_trees)
def test_undo_and_redo_restore_every_byte(before: Tree, after: Tree) -> None:
    async def scenario(top: Path, state: Path) -> None:
        write(top, before)
        shadow, changed = await changed_by(top, state, after)
        if before == after:
            assert changed is None
            return
        assert changed is not None
        touched = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        assert changed.files <= len(touched)
        unchanged = {path: time for path, time in times(top).items() if path not in touched}
        result = await undo(shadow, changed)
        assert result.undone, result
        assert {*result.restored, *result.removed} == touched
        assert read(top) == before
        assert (await redo(shadow, changed)).undone
        assert read(top) == after
        assert {path: time for path, time in times(top).items() if path not in touched} == unchanged
        assert not list(top.glob(".nbharness*"))

    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory) / "top"
        top.mkdir()
        asyncio.run(scenario(top, Path(directory) / "state" / "shadow"))


A: Tree = {"a": ("file", b"a\r\n"), "d/b": ("file", b"b")}
B: Tree = {"a": ("file", b"changed"), "d/c": ("program", b"c")}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    made = tmp_path / "top"
    made.mkdir()
    write(made, A)
    return made


async def test_one_file_that_changed_since_keeps_all_as_they_are(top: Path, tmp_path: Path) -> None:
    shadow, changed = await changed_by(top, tmp_path / "state" / "shadow", B)
    assert changed is not None
    (top / "d" / "c").write_bytes(b"mine")
    before = times(top)
    result = await undo(shadow, changed)
    assert not result.undone
    assert result.conflicts == ["d/c"]
    assert "d/c changed since" in result.message
    assert times(top) == before


async def test_an_undo_in_another_process_needs_the_trees_only(top: Path, tmp_path: Path) -> None:
    _shadow, changed = await changed_by(top, tmp_path / "state" / "shadow", B)
    assert changed is not None
    again = await ShadowRepository.open(top, tmp_path / "state" / "shadow")
    assert (await undo(again, changed)).undone
    assert read(top) == A


async def test_nothing_is_written_through_a_link(top: Path, tmp_path: Path) -> None:
    shadow, changed = await changed_by(top, tmp_path / "state" / "shadow", {"a": A["a"]})
    assert changed is not None
    outside = tmp_path / "outside"
    outside.mkdir()
    (top / "d").symlink_to(outside)
    result = await undo(shadow, changed)
    assert not result.undone
    assert "Nothing was changed" in result.message
    assert not any(outside.iterdir())
    assert (top / "d").is_symlink()


async def test_what_fails_half_way_is_taken_back(top: Path, tmp_path: Path) -> None:
    shadow, changed = await changed_by(top, tmp_path / "state" / "shadow", {"a": ("file", b"changed")})
    assert changed is not None
    # In the way of d/b, which comes after a.
    (top / "d").write_bytes(b"in the way")
    result = await undo(shadow, changed)
    assert not result.undone
    assert read(top) == {"a": ("file", b"changed"), "d": ("file", b"in the way")}
    assert sorted(each.name for each in top.iterdir()) == ["a", "d"]


async def test_files_are_kept_byte_for_byte_whatever_attributes_say(top: Path, tmp_path: Path) -> None:
    (top / ".gitattributes").write_text("* text=auto eol=crlf ident filter=lfs -diff\n")
    attributes = read(top)[".gitattributes"]
    before = read(top)
    shadow, changed = await changed_by(top, tmp_path / "state" / "shadow", {**B, ".gitattributes": attributes})
    assert changed is not None
    assert "-a\r\n" in changed.diffs[0].patch
    assert (await undo(shadow, changed)).undone
    assert read(top) == before


async def test_two_turns_at_once_know_their_own_beginning(top: Path, tmp_path: Path) -> None:
    shadow = await ShadowRepository.open(top, tmp_path / "state" / "shadow")
    first = await shadow.baseline()
    (top / "a").write_bytes(b"1")
    second = await shadow.baseline()
    (top / "x").write_bytes(b"2")
    found = await asyncio.gather(shadow.changes(first), shadow.changes(second))
    assert [[diff.path for diff in each.diffs] for each in found if each] == [["a", "x"], ["x"]]
