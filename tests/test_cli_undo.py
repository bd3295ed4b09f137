"""``nbharness undo`` and ``%coder --undo``: what a turn changed is taken back, whole, or nothing is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command import Home, one_line, read_json
from support.kernels import start_kernel

FIX = "fix the failing test"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def fixed(home: Home) -> bool:
    return "ROUND_HALF_UP" in (home.project / "shop/cart.py").read_text()


def run(home: Home) -> tuple[str, str]:
    """Run the turn and return its id and its conversation's."""
    envelopes, _ = read_json(home.run(FIX, "--approval", "auto", "--json").stdout)
    started = json.loads(envelopes[0].encode())
    return str(started["turnId"]), str(started["data"]["conversationId"])


def test_a_turn_is_undone_and_redone_by_its_id_or_its_conversations(home: Home) -> None:
    turn, conversation = run(home)
    assert fixed(home)
    done = home.nbharness("undo", turn)
    assert (done.returncode, done.stderr) == (0, "")
    assert "shop/cart.py" in done.stdout
    assert not fixed(home)
    assert home.nbharness("undo", "--redo", conversation[:8]).returncode == 0
    assert fixed(home)


def test_what_changed_since_is_named_and_nothing_is_touched(home: Home) -> None:
    turn, _ = run(home)
    refund = home.project / "shop/refund.py"
    refund.write_text("mine\n")
    done = home.nbharness("undo", turn)
    assert (done.returncode, done.stdout) == (1, "")
    assert "shop/refund.py" in done.stderr
    assert fixed(home)
    assert refund.read_text() == "mine\n"


def test_a_turn_that_changed_nothing_or_is_unknown_is_one_line(home: Home) -> None:
    envelopes, _ = read_json(home.run("scenario: failure", "--json").stdout)
    done = home.nbharness("undo", json.loads(envelopes[0].encode())["turnId"])
    assert done.returncode == 1
    assert "changed nothing" in one_line(done)
    unknown = home.nbharness("undo", "beef")
    assert unknown.returncode == 2
    assert "'beef'" in one_line(unknown)


@pytest.mark.slow
def test_the_magic_undoes_the_last_turn_of_the_kernel(tmp_path: Path, home: Home) -> None:
    with start_kernel("python3", tmp_path) as kernel:
        kernel.run("%load_ext nbharness\nimport os; os.environ['NBHARNESS_DEMO_DELAY_MS'] = '0'")
        assert "no turn to undo" in kernel.run("%coder --undo")
        kernel.run(f"h = %coder --bg --approval auto --workspace {home.project} {FIX}\nh.result(60)")
        assert fixed(home)
        assert "shop/cart.py" in kernel.run("%coder --undo")
        assert not fixed(home)
        assert "unknown" in kernel.run("%coder --undo fix it all")
