"""A notebook that is saved through a Jupyter server holds transcripts, whatever became of its page."""

from __future__ import annotations

import json
import logging
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from support.stores import AT, begin, envelope, opened
from traitlets.config import Config

from nbharness import server as extension
from nbharness.events import ApprovalRequired, MessageDelta, ToolStart, TurnCompleted
from nbharness.server import jupyter, stored

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the settings say that the store is."""
    path = tmp_path / "home" / "nbharness.db"
    monkeypatch.setenv("NBHARNESS_DATABASE", str(path))
    stored._settled_bundle.cache_clear()
    return path


@pytest.fixture
def contents(tmp_path: Path) -> AsyncLargeFileManager:
    """The contents manager of a real server, with the extension loaded into it."""
    return load(tmp_path, Config())


def load(tmp_path: Path, config: Config) -> AsyncLargeFileManager:
    (tmp_path / "root").mkdir(exist_ok=True)
    app = ServerApp(config=config)
    app.init_event_logger()
    app.contents_manager = AsyncLargeFileManager(parent=app, root_dir=str(tmp_path / "root"))
    (point,) = extension._jupyter_server_extension_points()
    assert point["module"] == extension.__name__
    extension._load_jupyter_server_extension(app)
    manager: AsyncLargeFileManager = app.contents_manager
    return manager


def live_notebook(turn_id: str) -> dict[str, Any]:
    view = {"model_id": "m1", "version_major": 2, "version_minor": 0}
    output = {
        "output_type": "display_data",
        "data": {WIDGET: view, "text/plain": "runs"},
        "metadata": {"nbharness": {"turn": turn_id}},
    }
    code = {"cell_type": "code", "id": "c1", "metadata": {}, "execution_count": 1, "source": "%coder x"}
    return {"cells": [{**code, "outputs": [output]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


async def saved(contents: AsyncLargeFileManager, turn_id: str = "t1") -> dict[str, Any]:
    """Save a notebook that shows the turn's widget; return the data of its output as the file has it."""
    model = {"type": "notebook", "format": "json", "content": live_notebook(turn_id)}
    await contents.save(model, "x.ipynb")  # type: ignore[no-untyped-call]
    (cell,) = json.loads((Path(contents.root_dir) / "x.ipynb").read_text())["cells"]
    return dict(cell["outputs"][0]["data"])


async def finished_turn(database: Path) -> None:
    async with opened(database) as store:
        await begin(store)
        await store.commit(
            "t1", [envelope(1, MessageDelta(delta="All fixed.")), envelope(2, TurnCompleted(response=None))]
        )
        await store.end_turn("t1", "completed", "{}")


async def test_a_settled_turn_is_saved_as_its_transcript(contents: AsyncLargeFileManager, database: Path) -> None:
    await finished_turn(database)
    data = await saved(contents)
    assert WIDGET not in data
    assert "All fixed." in "".join(data["text/html"])
    assert "✓ Done" in "".join(data["text/plain"])


async def test_a_turn_that_still_runs_keeps_its_widget(contents: AsyncLargeFileManager, database: Path) -> None:
    async with opened(database) as store:
        await begin(store)
        await store.flush()
        assert WIDGET in await saved(contents)
        await store.commit("t1", [envelope(1, TurnCompleted(response=None))])
        await store.end_turn("t1", "completed", "{}")
        # What did not last must not have been remembered.
        assert WIDGET not in await saved(contents)


@pytest.fixture
def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    return gone.pid


async def test_a_turn_whose_process_died_is_saved_as_interrupted(
    contents: AsyncLargeFileManager, database: Path, dead_pid: int
) -> None:
    async with opened(database) as store:
        await begin(store, pid=dead_pid)
        asks = ApprovalRequired(
            id="a", tool_name="Bash", args={}, message=None, auto_approvable=False, tool_call_id="t"
        )
        start = ToolStart(id="t", name="Bash", args={"command": "rm x"})
        await store.commit("t1", [envelope(1, start), envelope(2, asks)])
        data = await saved(contents)
    plain = "".join(data["text/plain"])
    assert "⊘ Expired rm x · the turn ended first" in plain
    assert "⊘ Interrupted" in plain


@pytest.mark.parametrize("damage", ["missing", "garbage", "foreign", "locked"])
async def test_no_trouble_with_the_store_costs_a_save(
    contents: AsyncLargeFileManager, database: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    database.parent.mkdir()
    holder = None
    if damage == "garbage":
        database.write_bytes(b"not a database" * 999)
    elif damage in {"foreign", "locked"}:
        holder = sqlite3.connect(database)
        holder.execute("CREATE TABLE turns (id TEXT, status TEXT, process TEXT)")
        holder.execute("INSERT INTO turns VALUES ('t1', 'x', 'y')")
        holder.commit()
        holder.execute("BEGIN EXCLUSIVE" if damage == "locked" else "BEGIN")
    with caplog.at_level(logging.ERROR, "nbharness"):
        assert WIDGET in await saved(contents)
    if holder is not None:
        holder.close()
    said = [record.getMessage() for record in caplog.records if record.name.startswith("nbharness")]
    assert said == ([] if damage == "missing" else ["nbharness: x.ipynb is saved with its widgets"])


async def test_a_hook_of_the_users_runs_too(tmp_path: Path, database: Path) -> None:
    await finished_turn(database)
    seen: list[str] = []

    def own_hook(path: str, **_: Any) -> None:
        seen.append(path)

    contents = load(tmp_path, Config())
    contents.pre_save_hook = own_hook
    assert WIDGET not in await saved(contents)
    assert seen == ["x.ipynb"]


@pytest.mark.parametrize("off", [False, "False"])
async def test_it_can_be_switched_off(tmp_path: Path, database: Path, off: object) -> None:
    await finished_turn(database)
    contents = load(tmp_path, Config({"NbHarness": {"freeze_on_save": off}}))
    assert WIDGET in await saved(contents)


async def test_other_files_and_odd_models_pass_untouched(contents: AsyncLargeFileManager, database: Path) -> None:
    await finished_turn(database)
    text = {"type": "file", "format": "text", "content": f'{{"{WIDGET}": 1}}'}
    await contents.save(dict(text), "x.txt")  # type: ignore[no-untyped-call]
    assert (Path(contents.root_dir) / "x.txt").read_text() == text["content"]
    for model in ({}, {"type": "notebook"}, {"type": "notebook", "content": None}, {"type": "notebook", "content": {}}):
        before = dict(model)
        jupyter.freeze_on_save(model=model, path="x", contents_manager=contents)
        assert model == before


async def test_a_settled_turn_is_read_once(
    contents: AsyncLargeFileManager, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finished_turn(database)
    first = await saved(contents)
    monkeypatch.setattr(stored, "read_turn", None)
    assert await saved(contents) == first


def test_reading_needs_no_right_to_write(database: Path) -> None:
    assert stored.bundle_for_turn("nobody") is None
    assert not database.parent.exists()


async def test_what_is_shown_was_written_at(contents: AsyncLargeFileManager, database: Path) -> None:
    await finished_turn(database)
    data = await saved(contents)
    transcript = data["application/vnd.nbharness.transcript+json"]
    assert transcript["turn"] == "t1"
    assert [envelope["at"] for envelope in transcript["envelopes"]] == [AT, AT, AT + 2]
