"""``nbharness freeze``: a notebook that was saved with a dead widget reads again."""

import json
from pathlib import Path

import pytest
from support.command import Home, one_line, read_json

WIDGET = "application/vnd.jupyter.widget-view+json"
TASK = "scenario: malformed event"


def notebook(*turn_ids: str) -> str:
    """Return a notebook as a page saves it that lost its widgets, one cell a turn."""
    outputs = [
        {
            "output_type": "display_data",
            "data": {WIDGET: {"model_id": "gone", "version_major": 2, "version_minor": 0}, "text/plain": ["…"]},
            "metadata": {"nbharness": {"turn": turn_id}},
        }
        for turn_id in turn_ids
    ]
    cells = [
        {
            "cell_type": "code",
            "id": f"c{at}",
            "metadata": {},
            "execution_count": 1,
            "source": ["%coder …"],
            "outputs": [output],
        }
        for at, output in enumerate(outputs)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def run_once(home: Home) -> tuple[str, str]:
    """Run a turn; return its id and its answer."""
    envelopes, result = read_json(home.run(TASK, "--json").stdout)
    return envelopes[0].turn_id, result.output.text


def test_the_transcript_takes_the_place_of_the_widget(home: Home) -> None:
    turn_id, answer = run_once(home)
    file = home.folder / "saved.ipynb"
    file.write_text(notebook(turn_id))
    done = home.nbharness("freeze", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{file}: 1 transcript put in\n"
    (cell,) = json.loads(file.read_text())["cells"]
    (output,) = cell["outputs"]
    assert WIDGET not in output["data"]
    assert answer in "".join(output["data"]["text/plain"])
    assert "text/html" in output["data"]
    before = file.read_bytes()
    assert home.nbharness("freeze", str(file)).stdout == f"{file}: 0 transcripts put in\n"
    assert file.read_bytes() == before


def test_a_turn_that_is_not_kept_here_is_said(home: Home) -> None:
    turn_id, _ = run_once(home)
    file = home.folder / "saved.ipynb"
    file.write_text(notebook(turn_id, "t0123"))
    done = home.nbharness("freeze", str(file))
    assert done.returncode == 0
    assert "1 transcript put in" in done.stdout
    assert "t0123 is not kept here" in one_line(done)


def test_one_file_that_is_no_notebook_does_not_stop_the_others(home: Home) -> None:
    turn_id, _ = run_once(home)
    good, bad, missing = (home.folder / name for name in ("good.ipynb", "bad.ipynb", "missing.ipynb"))
    good.write_text(notebook(turn_id))
    bad.write_text("{}")
    done = home.nbharness("freeze", str(bad), str(missing), str(good))
    assert done.returncode == 2
    assert done.stdout == f"{good}: 1 transcript put in\n"
    said = done.stderr.splitlines()
    assert len(said) == 2
    assert said[0].startswith(f"nbharness: {bad}: not a notebook")
    assert said[1].startswith(f"nbharness: {missing}: ")
    assert bad.read_text() == "{}"
