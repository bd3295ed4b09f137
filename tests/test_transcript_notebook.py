"""Freezing saved notebooks: our dead widgets become transcripts, and nothing else changes."""

from __future__ import annotations

import copy
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from support.transcripts import state, whole_turn

from nbharness.errors import ConfigError
from nbharness.transcript import transcript_bundle
from nbharness.transcript.notebook import freeze_file, freeze_notebook

WIDGET = "application/vnd.jupyter.widget-view+json"
BUNDLE = transcript_bundle(state(*whole_turn()))


def live(turn_id: Any = "turn-1", model_id: str = "m1") -> dict[str, Any]:
    view = {"model_id": model_id, "version_major": 2, "version_minor": 0}
    return {
        "output_type": "display_data",
        "data": {WIDGET: view, "text/plain": ["runs"]},
        "metadata": {"nbharness": {"turn": turn_id}, "kept": [1]},
    }


def notebook(*outputs: Any) -> dict[str, Any]:
    """A notebook as Jupyter writes it: a code cell with these outputs between other things that must stay."""
    stream = {"output_type": "stream", "name": "stdout", "text": ["é 1.0e-7\n", "two"]}
    slider = {"output_type": "display_data", "data": {WIDGET: {"model_id": "x"}}, "metadata": {}}
    code = {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": 1, "source": ["%coder x"]}
    text = {"cell_type": "markdown", "id": "m", "metadata": {"n": 1.0}, "source": ["# é\n", "b"]}
    cells = [text, {**code, "outputs": [stream, *outputs, slider]}]
    return {"cells": cells, "metadata": {"z": 1, "a": {"big": 2**60}}, "nbformat": 4, "nbformat_minor": 5}


def bundle_for(turn_id: str) -> Mapping[str, Any] | None:
    return BUNDLE if turn_id == "turn-1" else None


def outputs_of(book: dict[str, Any]) -> list[Any]:
    return list(book["cells"][1]["outputs"])


def test_a_known_turn_is_put_in_and_the_rest_is_left_alone() -> None:
    book = notebook(live(), live("other"), live(7))
    before = copy.deepcopy(book)
    assert freeze_notebook(book, bundle_for) == 1
    frozen = outputs_of(book)[1]
    assert frozen["data"] == BUNDLE
    assert frozen["metadata"] == {"nbharness": {"turn": "turn-1"}, "kept": [1]}
    outputs_of(before)[1]["data"] = frozen["data"]
    assert book == before


def test_doing_it_twice_changes_nothing_more() -> None:
    book = notebook(live())
    assert freeze_notebook(book, bundle_for) == 1
    before = copy.deepcopy(book)
    assert freeze_notebook(book, bundle_for) == 0
    assert book == before


@pytest.mark.parametrize(
    "book",
    [
        {},
        {"cells": None},
        {"cells": [None, 1, {"outputs": 3}, {"outputs": [None, {"data": []}]}]},
        notebook({"output_type": "display_data", "data": {WIDGET: {}}, "metadata": None}),
        notebook({"output_type": "display_data", "data": {WIDGET: {}}, "metadata": {"nbharness": "turn-1"}}),
        notebook(
            {"output_type": "display_data", "data": {"text/html": "x"}, "metadata": {"nbharness": {"turn": "turn-1"}}}
        ),
    ],
)
def test_what_is_not_ours_or_not_sound_is_left_alone(book: dict[str, Any]) -> None:
    before = copy.deepcopy(book)
    assert freeze_notebook(book, bundle_for) == 0
    assert book == before


def write(path: Path, text: str) -> bytes:
    path.write_text(text, encoding="utf-8", newline="")
    return path.read_bytes()


@pytest.mark.parametrize(
    "style",
    [
        {"indent": 1, "ensure_ascii": False},
        {"indent": 2, "ensure_ascii": True},
        {"indent": "\t", "ensure_ascii": False},
        {"indent": None, "ensure_ascii": False},
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_file_keeps_its_style_and_every_other_byte(tmp_path: Path, style: dict[str, Any], newline: str) -> None:
    path = tmp_path / "x.ipynb"
    write(path, json.dumps(notebook(live()), **style).replace("\n", newline) + newline)
    assert freeze_file(path, bundle_for) == 1
    frozen = path.read_bytes().decode()
    book = json.loads(frozen)
    assert "".join(outputs_of(book)[1]["data"]["text/html"]) == BUNDLE["text/html"]
    # The same file with the live output back in its place is the file that was.
    book["cells"][1]["outputs"][1] = live()
    assert (
        json.dumps(book, **style).replace("\n", newline) + newline
        == json.dumps(notebook(live()), **style).replace("\n", newline) + newline
    )
    assert frozen == json.dumps(json.loads(frozen), **style).replace("\n", newline) + newline


def test_a_frozen_file_is_what_jupyter_itself_would_write(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    write(path, json.dumps(notebook(live()), indent=1, ensure_ascii=False) + "\n")
    freeze_file(path, bundle_for)
    v4: Any = nbformat
    book = v4.read(path, as_version=4)
    v4.validate(book)
    v4.write(book, tmp_path / "again.ipynb")
    again = json.loads((tmp_path / "again.ipynb").read_bytes())
    assert again == json.loads(path.read_bytes())


def test_a_file_in_which_nothing_changes_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    raw = write(path, json.dumps(notebook(live("unknown"))))
    before = path.stat()
    assert freeze_file(path, bundle_for) == 0
    assert path.read_bytes() == raw
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_mode_and_links_stay_and_no_temporary_file_does(tmp_path: Path) -> None:
    real, link = tmp_path / "real.ipynb", tmp_path / "link.ipynb"
    write(real, json.dumps(notebook(live())))
    real.chmod(0o640)
    link.symlink_to(real)
    assert freeze_file(link, bundle_for) == 1
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.ipynb", "real.ipynb"]  # noqa: PTH208 (names, not paths)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "not JSON"),
        ("print('hello')", "not JSON"),
        ("[1, 2]", "nbformat is None"),
        ('{"nbformat": 3, "worksheets": []}', "nbformat is 3"),
        ('{"nbformat": 4, "cells": {}}', "nbformat is 4"),
        ("[" * 200_000, "not JSON"),
    ],
)
def test_what_is_no_notebook_is_refused_and_left_alone(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "x.ipynb"
    write(path, content)
    with pytest.raises(ConfigError, match=f"{path}: not a notebook.*{why}"):
        freeze_file(path, bundle_for)
    assert path.read_text() == content


def test_a_file_that_is_missing_or_a_directory_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.ipynb: No such file"):
        freeze_file(tmp_path / "missing.ipynb", bundle_for)
    with pytest.raises(ConfigError, match="Is a directory"):
        freeze_file(tmp_path, bundle_for)


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.ipynb"
    raw = write(path, json.dumps(notebook(live())))

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left on device"):
        freeze_file(path, bundle_for)
    assert path.read_bytes() == raw
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.ipynb"]
