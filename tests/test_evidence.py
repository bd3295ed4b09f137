"""A turn tells what it changed, and takes it back."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.turns import OneTurn, ScriptedAdapter

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.errors import NbHarnessError
from nbharness.events import Notice, TurnCompleted, WorkspaceChanged
from nbharness.evidence import WorkspaceEvidence, undo_turn
from nbharness.git import limits
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    monkeypatch.setenv("NBHARNESS_HOME", str(tmp_path / "home"))
    made = Runtime(tmp_path / "db")
    yield made
    made.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "changing_module.py").write_text("VALUE = 1\n")
    return tmp_path / "work"


async def writes(request: TurnRequest, port: TurnPort) -> None:
    (request.workspace / "changing_module.py").write_text("VALUE = 2\n")
    (request.workspace / "new.txt").write_text("new\n")
    port.emit(TurnCompleted(response="done"))


async def rests(_request: TurnRequest, port: TurnPort) -> None:
    port.emit(TurnCompleted(response="done"))


def test_a_handle_shows_what_changed_and_takes_it_back(
    runtime: Runtime, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(workspace)
    importlib.import_module("changing_module")
    spec = TurnSpec(task="go", agent="scripted", workspace=workspace)
    handle = runtime.start(spec, adapter=ScriptedAdapter(writes), record=False)
    try:
        handle.result(60)
        assert handle.changes is not None
        assert handle.changes.stale_modules == ["changing_module"]
    finally:
        del sys.modules["changing_module"]
    assert [envelope.type for envelope in handle.feed.since()][-2:] == ["workspace.changed", "turn.completed"]
    assert "-VALUE = 1\n+VALUE = 2\n" in handle.diff
    assert handle.undo().undone
    assert (workspace / "changing_module.py").read_text() == "VALUE = 1\n"
    assert not (workspace / "new.txt").exists()
    handle.send({"type": "redo"})
    assert (workspace / "new.txt").exists()
    with pytest.raises(NbHarnessError, match="changed since"):
        handle.send({"type": "redo"})


def test_a_turn_that_changed_nothing_has_nothing_to_undo(runtime: Runtime, workspace: Path) -> None:
    spec = TurnSpec(task="go", agent="scripted", workspace=workspace)
    handle = runtime.start(spec, adapter=ScriptedAdapter(rests), record=False)
    assert handle.result(60).status == "completed"
    assert (handle.changes, handle.diff) == (None, "")
    with pytest.raises(NbHarnessError, match="changed nothing"):
        handle.undo()


async def _notices(evidence: WorkspaceEvidence) -> list[str]:
    turn = OneTurn(rests, evidence=evidence)
    assert (await turn.run()).status == "completed"
    assert turn.all(WorkspaceChanged) == []
    return [notice.message for notice in turn.all(Notice)]


async def test_without_git_the_turn_goes_on(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    (said,) = await _notices(WorkspaceEvidence(workspace, tmp_path / "state" / "shadow"))
    assert "git is not installed" in said


async def test_too_much_to_look_at_is_said(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_NEW_FILES", 1)
    (workspace / "second").touch()
    (said,) = await _notices(WorkspaceEvidence(workspace, tmp_path / "state" / "shadow"))
    assert "holds 2 files that git does not know" in said


async def test_the_home_directory_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (said,) = await _notices(WorkspaceEvidence(tmp_path, tmp_path / "state" / "shadow"))
    assert "the home directory" in said
    assert not (tmp_path / "state").exists()


async def test_a_large_file_is_named_and_not_copied(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LARGE_FILE_BYTES", 100)
    evidence = WorkspaceEvidence(workspace, tmp_path / "state" / "shadow")
    assert await evidence.begin() is None
    (workspace / "[big] file").write_bytes(b"x" * 101)
    (workspace / "small").write_bytes(b"x")
    found = await evidence.finish()
    assert isinstance(found, WorkspaceChanged)
    assert [diff.path for diff in found.diffs] == ["small"]
    assert found.ignored == ["[big] file"]


async def test_an_event_alone_is_enough_to_undo(workspace: Path, tmp_path: Path) -> None:
    state = tmp_path / "state" / "shadow"
    evidence = WorkspaceEvidence(workspace, state)
    await evidence.begin()
    (workspace / "new").touch()
    found = await evidence.finish()
    assert isinstance(found, WorkspaceChanged)
    assert (await undo_turn(workspace, state, found)).removed == ["new"]
    unkept = WorkspaceChanged(diffs=[])
    with pytest.raises(NbHarnessError, match="no snapshot"):
        await undo_turn(workspace, state, unkept)
