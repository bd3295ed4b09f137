"""The built-in agent from a real notebook, in a real kernel: the workspace is really changed, in all wire forms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.builtin import DONE, MODELS, bash, environment, write

from nbharness.testing.fakellm import FakeLLM, Reply, Script


@pytest.mark.slow
def test_cells_change_the_workspace_and_hold_the_transcript(tmp_path: Path) -> None:
    scripts: dict[str, Script] = {wire: [_writes(wire), bash(f"cat {wire}.txt; pwd"), DONE] for wire in MODELS}
    asked = [f"%coder --agent builtin --model {MODELS[wire]} --approval auto SCRIPT:{wire}" for wire in MODELS]
    with FakeLLM({**scripts, "alone": [write("alone.txt"), DONE]}) as model:
        cells = _executed(
            tmp_path,
            model.url,
            ["%load_ext nbharness", *asked, "%coder --agent builtin --model anthropic:claude-sonnet-5-5 SCRIPT:alone"],
        )
    for wire, cell in zip(MODELS, cells[1:], strict=False):
        assert (tmp_path / f"{wire}.txt").read_text() == "from the model\n"
        (output,) = cell["outputs"]
        shown = "".join(output["data"]["text/plain"])
        for part in ("I write it.", f"{wire}.txt", "from the model", str(tmp_path), "All done."):
            assert part in shown
    # Nobody watches the last one, so that nobody can approve.
    assert not (tmp_path / "alone.txt").exists()
    assert "nobody could answer" in str(cells[-1]["outputs"])


def _writes(wire: str) -> Reply:
    return Reply(text="I write it.", calls=write(f"{wire}.txt", "from the model\n").calls)


def _executed(place: Path, url: str, lines: list[str]) -> list[dict[str, Any]]:
    """Run a notebook through nbconvert's command line and return its cells."""
    empty: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [{**empty, "id": f"c{number}", "source": line} for number, line in enumerate(lines)]
    file = place / "book.ipynb"
    file.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells})
    )
    variables = {**os.environ, **environment(url, place / "home"), "IPYTHONDIR": str(place / "ipython")}
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", "--allow-errors"]
    done = subprocess.run(
        [*command, str(file)], env=variables, cwd=place, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    executed: list[dict[str, Any]] = json.loads(file.read_text())["cells"]
    return executed
