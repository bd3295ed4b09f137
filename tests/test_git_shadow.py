"""A shadow believes what it knows only while that is true, and goes when its workspace has gone."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.git_attacks import git, repository
from support.processes import survivors

from nbharness.git import GitError, ShadowRepository
from nbharness.git.pruning import prune, start_pruning
from nbharness.git.tree_files import blob_hash

_MONTH_AGO = time.time() - 40 * 86400


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    (made / "kept.py").write_text("kept = 1\n")
    (made / "other.py").write_text("other = 1\n")
    return made


async def a_turn(workspace: Path, state: Path, text: str) -> ShadowRepository:
    """Let a turn change ``kept.py``, so that the shadow knows the tree of its index."""
    shadow = await ShadowRepository.open(workspace, state)
    baseline = await shadow.baseline()
    (workspace / "kept.py").write_text(text)
    assert await shadow.changes(baseline) is not None
    return shadow


async def tree_now(workspace: Path, state: Path) -> str:
    """Return the tree of a workspace as a shadow without memory finds it."""
    shadow = await ShadowRepository.open(workspace, state / "fresh")
    baseline = await shadow.baseline()
    shadow.forget(baseline)
    shutil.rmtree(state / "fresh")
    return baseline.tree


async def test_a_workspace_that_did_not_change_has_the_tree_that_is_known(workspace: Path, tmp_path: Path) -> None:
    shadow = await a_turn(workspace, tmp_path / "state", "kept = 2\n")
    (shadow.directory / "index.lock").touch()  # an index that cannot be written: nothing was looked at twice
    baseline = await shadow.baseline()
    assert baseline.tree == await tree_now(workspace, tmp_path)
    assert await shadow.changes(baseline) is None


async def test_a_change_that_keeps_size_and_time_is_seen(workspace: Path, tmp_path: Path) -> None:
    shadow = await a_turn(workspace, tmp_path / "state", "kept = 2\n")
    before = (workspace / "kept.py").stat()
    (workspace / "kept.py").write_text("kept = 3\n")
    os.utime(workspace / "kept.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    baseline = await shadow.baseline()
    assert baseline.tree == await tree_now(workspace, tmp_path)


def _rewrite(file: Path, text: str, time_ns: int | None) -> None:
    file.write_text(text)
    if time_ns is not None:
        os.utime(file, ns=(time_ns, time_ns))


@pytest.mark.parametrize("time_ns", [None, 10**18], ids=["its own time", "an old time"])
async def test_writes_in_the_second_of_a_snapshot_are_seen(
    time_ns: int | None, workspace: Path, tmp_path: Path
) -> None:
    """Same size, and as git may compare whole seconds, the same times."""
    shadow, file = await ShadowRepository.open(workspace, tmp_path / "state"), workspace / "kept.py"
    for number in range(10, 13):
        baseline = await shadow.baseline()
        _rewrite(file, f"turn = {number}\n", time_ns)
        changed = await shadow.changes(baseline)
        assert changed is not None
        assert f"+turn = {number}\n" in changed.diffs[0].patch
        _rewrite(file, f"user = {number}\n", time_ns)
        between = await shadow.baseline()
        assert between.tree == await tree_now(workspace, tmp_path)
        assert await shadow.changes(between) is None


@pytest.mark.parametrize("change", ["new", "gone", "mode", "link", "ignored"])
async def test_whatever_people_change_between_two_turns_is_seen(change: str, workspace: Path, tmp_path: Path) -> None:
    shadow = await a_turn(workspace, tmp_path / "state", "kept = 2\n")
    if change == "new":
        (workspace / "new.py").touch()
    elif change == "mode":
        (workspace / "other.py").chmod(0o755)
    elif change == "ignored":
        (workspace / ".gitignore").write_text("other.py\n")
    else:
        (workspace / "other.py").unlink()
    if change == "link":
        (workspace / "other.py").symlink_to("kept.py")
    baseline = await shadow.baseline()
    fresh = await tree_now(workspace, tmp_path)
    # A file that the shadow knows stays known when it becomes ignored, as in every repository.
    assert (baseline.tree == fresh) is (change != "ignored")
    shadow.forget(baseline)


@pytest.mark.parametrize("text", ["", "nonsense\n", f"{'0' * 40} {'1' * 40}\n"])
async def test_a_tree_that_belongs_to_another_index_is_not_believed(text: str, workspace: Path, tmp_path: Path) -> None:
    shadow = await a_turn(workspace, tmp_path / "state", "kept = 2\n")
    (shadow.directory / "tree").write_text(text)
    baseline = await shadow.baseline()
    assert baseline.tree == await tree_now(workspace, tmp_path)


async def test_snapshots_of_many_turns_at_once_are_right(workspace: Path, tmp_path: Path) -> None:
    first = await a_turn(workspace, tmp_path / "state", "kept = 2\n")
    one, two = await first.baseline(), await first.baseline()
    (workspace / "other.py").write_text("other = 2\n")
    changed = [await first.changes(one), await first.changes(two)]
    assert [found.result for found in changed if found is not None] == [await tree_now(workspace, tmp_path)] * 2


async def test_a_workspace_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    shadow = await ShadowRepository.open(tmp_path / "workspace", tmp_path / "state")
    for _turn in range(2):
        assert await shadow.changes(await shadow.baseline()) is None


def _git_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Have a script run before each git."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n{script}\nexec "{shutil.which("git")}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


async def test_a_file_that_becomes_a_directory_meanwhile_hides_nothing(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shadow = await a_turn(workspace, tmp_path / "state", "kept = 2\n")
    baseline = await shadow.baseline()
    (workspace / "a").touch()
    (workspace / "b").touch()
    _git_first(tmp_path, monkeypatch, 'case "$*" in *update-index*) rm a && mkdir a && touch a/inner;; esac')
    changed = await shadow.changes(baseline)
    assert changed is not None
    assert [diff.path for diff in changed.diffs] == ["a/inner", "b"]


@pytest.mark.parametrize("kind", ["", "sha1", "sha256"])
async def test_one_git_looks_at_a_workspace_that_did_not_change(
    kind: str, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind:
        git(workspace, "init", "-q", f"--object-format={kind}")
    shadow = await a_turn(workspace, tmp_path / "state", "kept = 2\n")
    _git_first(tmp_path, monkeypatch, f'echo >> "{tmp_path}/count"')
    assert await shadow.changes(await shadow.baseline()) is None
    assert (tmp_path / "count").read_text() == 2 * "\n"


async def _shadow_of_what_is_let_go(top: Path, state: Path, first_turn: dict[str, str]) -> ShadowRepository:
    """Return a shadow that has borrowed the content of ``a.txt``, which the real repository has no more."""
    (top / "a.txt").write_text("before\n")
    git(top, "commit", "-qam", "to be let go")
    shadow = await ShadowRepository.open(top, state)
    baseline = await shadow.baseline()
    for name, text in first_turn.items():
        (top / name).write_text(text)
    await shadow.changes(baseline)
    git(top, "reset", "-q", "HEAD~")
    (top / ".git" / "ORIG_HEAD").unlink()
    git(top, "reflog", "expire", "--expire=all", "--all")
    git(top, "gc", "-q", "--prune=now")
    return shadow


async def _patch(shadow: ShadowRepository, file: Path, text: str) -> str:
    baseline = await shadow.baseline()
    file.write_text(text)
    changed = await shadow.changes(baseline)
    assert changed is not None
    return changed.diffs[0].patch


async def test_trees_that_the_real_repository_let_go_are_written_again(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    shadow = await _shadow_of_what_is_let_go(top, tmp_path / "state", {})
    assert "-before\n+after\n" in await _patch(shadow, top / "a.txt", "after\n")


async def test_contents_that_the_real_repository_let_go_are_missed_once(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    shadow = await _shadow_of_what_is_let_go(top, tmp_path / "state", {"sub/b.txt": "so that the trees are ours"})
    with pytest.raises(GitError):
        await _patch(shadow, top / "a.txt", "after\n")
    (top / "a.txt").write_text("before\n")
    assert "-before\n+after\n" in await _patch(shadow, top / "a.txt", "after\n")


@pytest.mark.parametrize("below", ["", "sub"])
async def test_a_conflict_in_the_real_index_is_taken_as_the_files_are(below: str, tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    git(top, "branch", "other")
    for side in ("one", "two"):
        for name in ("a.txt", "sub/b.txt"):
            (top / name).write_text(f"{side}\n")
        git(top, "commit", "-qam", side)
        git(top, "checkout", "-q", "other", check=False)
    git(top, "merge", "-q", "trunk", check=False)
    assert git(top, "status", "--porcelain").split() == ["UU", "a.txt", "UU", "sub/b.txt"]
    workspace = top / below
    shadow = await ShadowRepository.open(workspace, tmp_path / "state")
    baseline = await shadow.baseline()
    (workspace / "new.py").touch()
    changed = await shadow.changes(baseline)
    assert changed is not None
    assert [diff.path for diff in changed.diffs] == ["new.py"]


async def test_git_that_hangs_is_killed_with_all_it_started(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shadow = await ShadowRepository.open(workspace, tmp_path / "state")
    _git_first(tmp_path, monkeypatch, f"echo $$ >> {tmp_path}/pids; exec sleep 600")
    monkeypatch.setattr("nbharness.git.shadow.TIMEOUT_S", 1.0)
    with pytest.raises(Exception, match="took longer than 1 s"):
        await shadow.baseline()
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert pids
    assert survivors(pids, within_s=2) == []


def _aged(shadow: ShadowRepository) -> Path:
    for name in ("turns", "workspace"):
        os.utime(shadow.directory / name, (_MONTH_AGO, _MONTH_AGO))
    return shadow.directory


async def test_a_shadow_goes_a_month_after_its_workspace(workspace: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    directory = _aged(await a_turn(workspace, state, "kept = 2\n"))
    prune(state)
    assert directory.exists(), "its workspace is there"
    shutil.rmtree(workspace)
    (directory / "turns").touch()
    prune(state)
    assert directory.exists(), "it was used in the last month"
    os.utime(directory / "turns", (_MONTH_AGO, _MONTH_AGO))
    prune(state)
    assert list(state.iterdir()) == []


async def test_a_drive_that_is_not_there_takes_no_shadow_with_it(workspace: Path, tmp_path: Path) -> None:
    inner = workspace / "inner"
    inner.mkdir()
    (inner / "kept.py").touch()
    directory = _aged(await a_turn(inner, tmp_path / "state", "kept = 2\n"))
    shutil.rmtree(workspace)
    prune(tmp_path / "state")
    assert directory.exists()


async def test_shadows_are_looked_at_once_a_day(workspace: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    directory = _aged(await a_turn(workspace, state, "kept = 2\n"))
    shutil.rmtree(workspace)
    thread = start_pruning(state)
    assert thread is not None
    thread.join(30)
    assert not directory.exists()
    assert start_pruning(state) is None
    os.utime(state / "pruned", (_MONTH_AGO, _MONTH_AGO))
    again = start_pruning(state)
    assert again is not None
    again.join(30)


async def test_what_killed_processes_left_is_tidied(workspace: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    shadow = await a_turn(workspace, state, "kept = 2\n")
    young, old = shadow.directory / "turns" / "young", shadow.directory / "turns" / "old"
    left = [old, state / ".old-1", state / ".new-1"]
    for each in (young, *left):
        each.mkdir()
    ref = next((shadow.directory / "refs" / "turns").iterdir())
    for each in (ref, *left):
        os.utime(each, (_MONTH_AGO, _MONTH_AGO))
    prune(state)
    assert young.exists()
    assert [each for each in (ref, *left) if each.exists()] == []


def _object(shadow: ShadowRepository, text: str) -> Path:
    """Return where the shadow keeps a content."""
    found = blob_hash(len(text), 40)
    found.update(text.encode())
    name = found.hexdigest()
    return shadow.directory / "objects" / name[:2] / name[2:]


def _grow_old(files: Iterable[Path]) -> None:
    for file in files:
        os.utime(file, (_MONTH_AGO, _MONTH_AGO))


async def test_contents_that_no_kept_turn_needs_are_let_go(workspace: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    await a_turn(workspace, state, "kept = 2\n")
    shadow = await ShadowRepository.open(workspace, state)
    refs = list((shadow.directory / "refs" / "turns").iterdir())
    baseline = await shadow.baseline()
    (workspace / "kept.py").write_text("kept = 3\n")
    changed = await shadow.changes(baseline)
    assert changed is not None
    first, second, third = (_object(shadow, f"kept = {number}\n") for number in (1, 2, 3))

    prune(state)
    assert first.exists(), "its turn is young"
    _grow_old([*refs, *(file for file in (shadow.directory / "objects").rglob("*") if file.is_file())])
    running = await shadow.baseline()
    prune(state)
    assert first.exists(), "a turn runs"
    shadow.forget(running)
    prune(state)
    assert [each.exists() for each in (first, second, third)] == [False, True, True]

    undone = await shadow.restore(current=str(changed.result), wanted=str(changed.baseline))
    assert undone.restored == ["kept.py"]
    assert (workspace / "kept.py").read_text() == "kept = 2\n"


async def test_an_object_that_is_missing_keeps_all_others(tmp_path: Path) -> None:
    top, state = repository(tmp_path / "top"), tmp_path / "state"
    shadow = await _shadow_of_what_is_let_go(top, state, {"sub/b.txt": "so that the trees are ours"})
    for ref in (shadow.directory / "refs" / "turns").iterdir():
        ref.write_text(f"{'1' * 40}\n")
    kept = [file for file in (shadow.directory / "objects").rglob("*") if file.is_file()]
    _grow_old(kept)
    prune(state)
    assert all(file.exists() for file in kept)
