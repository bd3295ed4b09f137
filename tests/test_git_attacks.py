"""Git runs nothing that an agent planted, and sees what an agent hides."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.git_attacks import FIRING, SILENT, Plant, git, marker, provoke, repository

from nbharness.events import WorkspaceChanged
from nbharness.git import GitError, ShadowRepository, branch_of


def _work_tree(how: object, tmp_path: Path) -> Path:
    """Return a repository; where its ``.git`` is to be swapped a linked work tree, whose objects lie elsewhere."""
    top = repository(tmp_path / "top")
    if how not in {FIRING[".git swapped"], MOVES[".git swapped"]}:
        return top
    git(top, "worktree", "add", "-q", str(tmp_path / "linked"))
    return tmp_path / "linked"


@pytest.mark.parametrize("plant", FIRING.values(), ids=FIRING)
def test_control_bare_git_runs_it(plant: Plant, tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    program, ran = marker(tmp_path / "evil")
    plant(top, program)
    (top / "a.txt").write_text("changed\n")
    provoke(top)
    assert ran.exists()


@pytest.mark.parametrize("plant", [*FIRING.values(), *SILENT.values()], ids=[*FIRING, *SILENT])
async def test_a_snapshot_runs_nothing(plant: Plant, tmp_path: Path) -> None:
    top = _work_tree(plant, tmp_path)
    program, ran = marker(tmp_path / "evil")
    shadow = await ShadowRepository.open(top, tmp_path / "state" / "shadow")
    baseline = await shadow.baseline()
    plant(top, program)
    (top / "a.txt").write_text("changed\n")
    ran.unlink(missing_ok=True)
    changed = await shadow.changes(baseline)
    assert changed is not None
    assert "a.txt" in [diff.path for diff in changed.diffs]
    # The next turn begins with what was planted in place.
    again = await ShadowRepository.open(top, tmp_path / "state" / "shadow")
    (top / "sub" / "b.txt").write_text("more\n")
    await again.changes(await again.baseline())
    fresh = await ShadowRepository.open(top, tmp_path / "state2" / "shadow")
    later = await fresh.baseline()
    (top / "a.txt").write_text("once more\n")
    assert await fresh.changes(later) is not None
    undone = await shadow.restore(current=str(changed.result), wanted=str(changed.baseline))
    assert not undone.undone
    branch_of(top)
    assert not ran.exists()


def _commit(top: Path) -> None:
    git(top, "add", "-A")
    git(top, "commit", "-qm", "mine")


def _commit_and_move(top: Path) -> None:
    _commit(top)
    git(top, "branch", "-f", "base", "HEAD")


def _exclude(top: Path) -> None:
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "exclude").write_text("new.txt\n")


def _other_repository(top: Path) -> None:
    other = repository(top.parent / "other")
    shutil.copytree(top, other, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    _commit(other)
    (top / ".git").rename(top.parent / "taken")
    (top / ".git").write_text(f"gitdir: {other / '.git'}\n")


def _same_time(top: Path) -> None:
    file = top / "a.txt"
    before = file.stat()
    file.write_text("one\nTWO\nthree\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


MOVES: dict[str, Callable[[Path], object]] = {
    "nothing more": lambda _top: None,
    "commit": _commit,
    "commit on a moved branch": _commit_and_move,
    "assume-unchanged": lambda top: git(top, "update-index", "--assume-unchanged", "a.txt"),
    "skip-worktree": lambda top: git(top, "update-index", "--skip-worktree", "a.txt"),
    "info/exclude": _exclude,
    "-diff attribute": lambda top: (top / ".gitattributes").write_text("a.txt -diff\n"),
    ".git swapped": _other_repository,
    "index corrupted": lambda top: (top / ".git" / "index").write_bytes(b"DIRC broken"),
    "index.lock left": lambda top: (top / ".git" / "index.lock").touch(),
    "a pipe": lambda top: os.mkfifo(top / "pipe"),
    "same size and time": _same_time,
    ".gitmodules that is nonsense": lambda top: (top / ".gitmodules").write_text("[submodule\n\0"),
    "HEAD and index of the shadow's names": lambda top: [(top / name).write_text("x") for name in ("HEAD", "index")],
    "link to a secret": lambda top: (top / "link").symlink_to("/etc/passwd"),
}


async def _changes_after(top: Path, state: Path, move: Callable[[Path], object]) -> WorkspaceChanged:
    shadow = await ShadowRepository.open(top, state)
    baseline = await shadow.baseline()
    (top / "a.txt").write_text("one\n2.0\nthree\n")
    (top / "new.txt").write_text("new\n")
    move(top)
    changed = await shadow.changes(baseline)
    assert changed is not None
    return changed


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
async def test_what_a_diff_still_sees(move: Callable[[Path], object], tmp_path: Path) -> None:
    top = _work_tree(move, tmp_path)
    changed = await _changes_after(top, tmp_path / "state" / "shadow", move)
    patches = {diff.path: diff.patch for diff in changed.diffs}
    assert "-two\n" in patches["a.txt"]
    assert "+new\n" in patches["new.txt"]
    assert "root:" not in "".join(patches.values())
    # The same agent's second turn, with everything of the first in place.
    if "link" not in patches:
        again = await _changes_after(top, tmp_path / "state" / "shadow", lambda top: (top / "a.txt").write_text("x\n"))
        assert "a.txt" in [diff.path for diff in again.diffs]


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
async def test_flags_set_before_the_first_snapshot_hide_nothing(flag: str, tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    git(top, "update-index", flag, "a.txt")
    changed = await _changes_after(top, tmp_path / "state" / "shadow", lambda _top: None)
    assert {diff.path for diff in changed.diffs} == {"a.txt", "new.txt"}


async def test_ignored_files_and_nested_repositories_are_named(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    (top / ".gitignore").write_text("*.log\nold.log\n")
    (top / "old.log").touch()

    def hide(top: Path) -> None:
        (top / ".gitignore").write_text("*.log\n*.tmp\n")
        (top / "hidden.tmp").write_text("x")
        (top / "hidden.log").write_text("x")
        repository(top / "nested")
        git(top / "nested", "checkout", "-q", "-b", "other")

    changed = await _changes_after(top, tmp_path / "state" / "shadow", hide)
    assert changed.ignored == ["hidden.log", "hidden.tmp"]
    assert changed.nested == ["nested"]
    assert ".gitignore" in [diff.path for diff in changed.diffs]


async def test_a_destroyed_object_store_is_no_clean_result(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    with pytest.raises(GitError, match="git failed"):
        await _changes_after(top, tmp_path / "state" / "shadow", lambda top: shutil.rmtree(top / ".git"))


async def test_a_repository_that_names_objects_by_sha256(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q", "--object-format=sha256")
    (top / "a.txt").write_text("one\ntwo\nthree\n")
    _commit(top)
    changed = await _changes_after(top, tmp_path / "state" / "shadow", _commit)
    assert len(str(changed.baseline)) == 64
    shadow = await ShadowRepository.open(top, tmp_path / "state" / "shadow")
    assert (await shadow.restore(current=str(changed.result), wanted=str(changed.baseline))).undone
    assert (top / "a.txt").read_text() == "one\ntwo\nthree\n"


async def test_a_linked_work_tree_and_a_directory_below_the_top(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    git(top, "worktree", "add", "-q", str(tmp_path / "linked"))
    changed = await _changes_after(tmp_path / "linked", tmp_path / "state" / "shadow", _commit)
    assert {diff.path for diff in changed.diffs} == {"a.txt", "new.txt"}
    (top / "sub" / "a.txt").write_text("two\n")
    below = await _changes_after(top / "sub", tmp_path / "state" / "shadow", lambda _top: (top / "up.txt").touch())
    assert {diff.path for diff in below.diffs} == {"a.txt", "new.txt"}
