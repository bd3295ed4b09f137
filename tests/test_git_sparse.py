"""A workspace that is a sparse checkout: what is not checked out is neither a change nor a hiding place."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.git_attacks import git, repository

from nbharness.events import WorkspaceChanged
from nbharness.git import ShadowRepository


@pytest.fixture(params=["--no-sparse-index", "--sparse-index"])
def workspace(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A checkout of ``inside`` and the top, without ``outside``."""
    top = repository(tmp_path / "top")
    for name in ("inside/a.py", "outside/b.py", "outside/deep/c.py"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(f"{name}\n")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "more")
    git(top, "sparse-checkout", "set", "--cone", request.param, "inside")
    assert not (top / "outside").exists()
    return top


async def changed_by(workspace: Path, state: Path, files: dict[str, str]) -> WorkspaceChanged | None:
    shadow = await ShadowRepository.open(workspace, state)
    baseline = await shadow.baseline()
    for name, text in files.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)
    return await shadow.changes(baseline)


async def test_what_is_not_checked_out_is_not_gone(workspace: Path, tmp_path: Path) -> None:
    for text in ("first\n", "second\n"):
        changed = await changed_by(workspace, tmp_path / "state", {"inside/a.py": text})
        assert changed is not None
        assert [diff.path for diff in changed.diffs] == ["inside/a.py"]


async def test_a_file_that_is_written_where_nothing_was_checked_out_is_seen(workspace: Path, tmp_path: Path) -> None:
    for text in ("first\n", "second\n"):
        changed = await changed_by(workspace, tmp_path / "state", {"outside/b.py": text, "outside/new.py": text})
        assert changed is not None
        assert [diff.path for diff in changed.diffs] == ["outside/b.py", "outside/new.py"]


async def test_an_undo_leaves_what_is_not_checked_out_alone(workspace: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    changed = await changed_by(workspace, state, {"inside/a.py": "changed\n", "inside/new.py": "new\n"})
    assert changed is not None
    shadow = await ShadowRepository.open(workspace, state)
    undone = await shadow.restore(current=str(changed.result), wanted=str(changed.baseline))
    assert (undone.restored, undone.removed) == (["inside/a.py"], ["inside/new.py"])
    assert (workspace / "inside/a.py").read_text() == "inside/a.py\n"
    assert not (workspace / "outside").exists()
    assert git(workspace, "status", "--porcelain") == ""
