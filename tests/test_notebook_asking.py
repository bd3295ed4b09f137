"""Asking in the cell itself: what is shown is what is decided, and silence is no."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.turns import ScriptedAdapter

from nbharness.adapters.base import TurnPort, TurnRequest
from nbharness.approvals import ApprovalRequest
from nbharness.audience import Anyone
from nbharness.events import ApprovalUpdated, FileDiff, TurnCompleted
from nbharness.handle import CodingHandle
from nbharness.notebook.asking import ask_in_cell
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec


@pytest.fixture
def handle(tmp_path: Path) -> Iterator[CodingHandle]:
    async def asks(_request: TurnRequest, port: TurnPort) -> None:
        diff = FileDiff(
            path="a.py", patch="--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\u202e\n", added=1, removed=1
        )
        await port.ask(ApprovalRequest(tool_name="edit", args={"path": "a.py"}, diffs=(diff,), warnings=("Careful",)))
        port.emit(TurnCompleted(response=None))

    runtime = Runtime(tmp_path / "nbharness.db")
    spec = TurnSpec(task="x", agent="scripted", workspace=tmp_path)
    yield runtime.start(spec, adapter=ScriptedAdapter(asks), audience=Anyone(), record=False)
    runtime.close(5)


@pytest.mark.parametrize(
    ("typed", "status", "reason"),
    [("y", "approved", ""), ("n", "rejected", ""), ("", "rejected", ""), ("not now", "rejected", "not now")],
)
def test_the_change_is_shown_and_the_answer_counts(
    handle: CodingHandle,
    typed: str,
    status: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    while not handle.waiting:
        assert handle.feed.wait(len(handle.feed) - 1, 20)
    monkeypatch.setattr("builtins.input", lambda _question: typed)
    ask_in_cell(handle, handle.waiting[0])
    handle.result(20)
    shown = capsys.readouterr().out
    assert "+new" in shown
    assert "Careful" in shown
    assert "\u202e" not in shown
    (updated,) = [e.event for e in handle.feed.since() if isinstance(e.event, ApprovalUpdated)]
    assert (updated.status, updated.reason or "") == (status, reason)
