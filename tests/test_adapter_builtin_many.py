"""Twenty turns of the built-in agent in twenty workspaces, all at once in one process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from support.builtin import DONE, MODELS, QUICK, bash, environment, write

from nbharness.adapters.builtin import BuiltinAdapter
from nbharness.events import MessageDelta, ToolDelta, WorkspaceChanged
from nbharness.handle import CodingHandle
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.testing.fakellm import FakeLLM, Script

COUNT = 20
PATIENCE_S = 120


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    with mock.patch.dict(os.environ, {"NBHARNESS_HOME": str(tmp_path / "home")}):
        made = Runtime(tmp_path / "nbharness.db")
        yield made
        made.close(10)


def script(number: int, meeting: Path) -> Script:
    """Write, then meet all the others in a command, so that they are known to run at once, and then tell the place."""
    meet = f'touch "{meeting}/{number}"; until [ "$(ls "{meeting}" | wc -l)" -ge {COUNT} ]; do sleep 0.1; done'
    return [write("own.txt", f"of {number}\n"), bash(f"{meet}; pwd; cat own.txt; pwd > seen.txt"), DONE]


def start(runtime: Runtime, workspace: Path, number: int) -> CodingHandle:
    workspace.mkdir()
    spec = TurnSpec(
        task=f"Work. SCRIPT:w{number}",
        agent="builtin",
        workspace=workspace,
        model=list(MODELS.values())[number % len(MODELS)],
        approval_mode="auto",
        timeout_s=PATIENCE_S,
    )
    return runtime.start(spec, adapter=BuiltinAdapter(QUICK))


def said(handle: CodingHandle, tool: str) -> str:
    events = [envelope.event for envelope in handle.feed.since()]
    return "".join(event.partial for event in events if isinstance(event, ToolDelta) and event.name == tool)


@pytest.mark.slow
def test_none_hears_of_another_and_all_settle(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moves(path: object) -> None:
        raise AssertionError(f"the directory of the process was changed to {path!r}")

    meeting = tmp_path / "meeting"
    meeting.mkdir()
    here = Path.cwd()
    monkeypatch.setattr(os, "chdir", moves)
    monkeypatch.setattr(os, "fchdir", moves)
    scripts = {f"w{number}": script(number, meeting) for number in range(COUNT)}
    with FakeLLM(scripts) as model, mock.patch.dict(os.environ, environment(model.url, tmp_path / "home")):
        workspaces = [tmp_path / f"workspace-{number}" for number in range(COUNT)]
        handles = [start(runtime, workspace, number) for number, workspace in enumerate(workspaces)]
        results = [handle.result(PATIENCE_S) for handle in handles]

    assert [result.status for result in results] == ["completed"] * COUNT
    assert Path.cwd() == here
    for number, (handle, workspace, result) in enumerate(zip(handles, workspaces, results, strict=True)):
        assert sorted(path.name for path in workspace.iterdir()) == ["own.txt", "seen.txt"]
        assert (workspace / "own.txt").read_text() == f"of {number}\n"
        assert (workspace / "seen.txt").read_text() == f"{workspace}\n"
        assert f"{workspace}\nof {number}\n" in said(handle, "bash")
        assert result.output.value.modified_files == ["own.txt"]
        events = [envelope.event for envelope in handle.feed.since()]
        (changed,) = [event for event in events if isinstance(event, WorkspaceChanged)]
        assert sorted(diff.path for diff in changed.diffs) == ["own.txt", "seen.txt"]
        assert "".join(event.delta for event in events if isinstance(event, MessageDelta)) == "All done."
    assert len({handle.conversation_id for handle in handles}) == COUNT
    assert len({result.session_id for result in results}) == COUNT
