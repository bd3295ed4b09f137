"""A notebook that is executed without a front end: no widget, the transcript at once, and nobody approves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.agents import install


def execute(place: Path, cells: list[str], *, allow_errors: bool = False) -> list[dict[str, Any]]:
    """Run a notebook through nbclient's command line and return its cells."""
    (place / "nbharness.toml").touch()
    book = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "cells": [
            {
                "cell_type": "code", "id": f"c{index}", "metadata": {}, "source": source, "outputs": [],
                "execution_count": None,
            }
            for index, source in enumerate(cells)
        ],
    }  # fmt: skip
    file = place / "book.ipynb"
    file.write_text(json.dumps(book))

    environment = {
        **os.environ,
        "PYTHONPATH": install(place / "agents"),
        "NBHARNESS_HOME": str(place / "home"),
        "NBHARNESS_CONFIG": str(place / "nbharness.toml"),
        "IPYTHONDIR": str(place / "ipython"),
    }
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", str(file)]
    done = subprocess.run(
        [*command, *(["--allow-errors"] if allow_errors else [])],
        env=environment, cwd=place, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    cells_of: list[dict[str, Any]] = json.loads(file.read_text())["cells"]
    return cells_of


@pytest.mark.slow
def test_a_notebook_runs_from_top_to_bottom_without_anybody(tmp_path: Path) -> None:
    cells = execute(
        tmp_path,
        [
            "%load_ext nbharness",
            "%coder --agent scripted --approval auto ask 2",
            "%coder --agent scripted --as h ask",
            "print(h.result().status, h.result().output.value.metadata)",
            "%%coder --agent scripted --bg\nask\n",
            "print(_.result(10).status)",
            "%coder --attach",
        ],
    )
    for index in (1, 2, 6):
        (output,) = cells[index]["outputs"]
        assert output["metadata"]["nbharness"]["turn"].startswith("t")
        assert "application/vnd.jupyter.widget-view+json" not in output["data"]
        assert {"text/html", "text/markdown", "text/plain", "application/vnd.nbharness.transcript+json"} <= set(
            output["data"]
        )
    assert "nobody could answer" in "".join(cells[2]["outputs"][0]["data"]["text/plain"])
    assert cells[3]["outputs"][0]["text"] == ["completed {'refused': 1}\n"]
    assert cells[5]["outputs"][0]["text"] == ["completed\n"]


@pytest.mark.slow
def test_the_first_notebook_runs(tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "notebooks" / "01-hello.ipynb"
    book = json.loads(source.read_text())
    code = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in book["cells"])
    cells = execute(tmp_path, code)
    assert not [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
