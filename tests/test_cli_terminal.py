"""``nbharness run`` on a terminal: a person answers, edits, stops."""

import os
import signal
import sys
from pathlib import Path

import msgspec
import pytest
from support.command import Home, read_json
from support.terminal import Terminal

from nbharness.events import ApprovalUpdated, PlanApproved

FIX = "fix the failing test"
ASKED = "[s] Reject and stop"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def terminal(home: Home, task: str, *options: str, **env: str) -> Terminal:
    arguments = home.command("run", "--agent", "demo", "--workspace", str(home.project), *options, "--", task)
    return Terminal(arguments, env=home.env | env)


def answers(home: Home) -> list[ApprovalUpdated]:
    """Return the answers of the only conversation."""
    envelopes, _ = read_json(home.nbharness("show", home.nbharness("sessions").stdout.split()[0], "--json").stdout)
    return [envelope.event for envelope in envelopes if isinstance(envelope.event, ApprovalUpdated)]


def fixed(home: Home) -> bool:
    return "ROUND_HALF_UP" in (home.project / "shop/cart.py").read_text()


def test_approving_with_one_key(home: Home) -> None:
    with terminal(home, FIX) as screen:
        screen.expect("The agent wants to use apply_patch:")
        screen.expect("+        return amount.quantize(")
        screen.expect(ASKED)
        assert not fixed(home)
        screen.press("a")
        assert screen.wait() == 0
    assert fixed(home)
    assert [(answer.status, answer.by) for answer in answers(home)] == [("approved", "terminal")]


def test_rejecting_with_a_reason(home: Home) -> None:
    with terminal(home, FIX) as screen:
        screen.expect(ASKED)
        screen.press("R")
        screen.expect("Reason: ")
        screen.press("use Decimal.quantize\n")
        assert screen.wait() == 0
    assert not fixed(home)
    (answer,) = answers(home)
    assert (answer.status, answer.reason) == ("rejected", "use Decimal.quantize")


def test_rejecting_and_stopping(home: Home) -> None:
    with terminal(home, FIX) as screen:
        screen.expect(ASKED)
        screen.press("s")
        assert screen.wait() == 3
    assert [answer.status for answer in answers(home)] == ["rejected"]


def test_every_question_is_asked_once_in_turn(home: Home) -> None:
    with terminal(home, "scenario: many approvals") as screen:
        for number, key in ((1, "a"), (2, "r"), (3, "a")):
            screen.expect(f"echo number {number} ran")
            screen.expect(ASKED)
            screen.press(key)
        assert screen.wait() == 0
        assert screen.text.count(ASKED) == 3
    assert [answer.status for answer in answers(home)] == ["approved", "rejected", "approved"]


@pytest.fixture
def editor(home: Home) -> dict[str, str]:
    """An editor that writes $EDITED instead of "echo number 1 ran" and of "Round"."""
    file = home.folder / "editor.py"
    file.write_text(
        "import os, pathlib, sys\n"
        "file, edited = pathlib.Path(sys.argv[1]), os.environ['EDITED']\n"
        "file.write_text(file.read_text().replace('echo number 1 ran', edited).replace('Round', edited))\n"
    )
    return {"VISUAL": f"{sys.executable} {file}", "EDITED": "echo something else"}


def test_edited_arguments_are_shown_and_then_run(home: Home, editor: dict[str, str]) -> None:
    with terminal(home, "scenario: many approvals 1", **editor) as screen:
        screen.expect(ASKED)
        screen.press("e")
        screen.expect("Edited:")
        screen.expect("echo something else")
        screen.expect("[a] Approve edited")
        screen.press("a")
        assert screen.wait() == 0
    (answer,) = answers(home)
    assert answer.args == {"command": "echo something else"}


def test_an_edit_can_be_discarded(home: Home, editor: dict[str, str]) -> None:
    with terminal(home, "scenario: many approvals 1", **editor) as screen:
        screen.expect(ASKED)
        screen.press("e")
        screen.expect("[d] Discard edit")
        screen.press("d")
        screen.expect("Discard edit\n")
        screen.expect(ASKED)
        screen.press("a")
        assert screen.wait() == 0
    (answer,) = answers(home)
    assert answer.args is msgspec.UNSET


def test_an_editor_that_fails_changes_nothing(home: Home) -> None:
    with terminal(home, "scenario: many approvals 1", VISUAL="false") as screen:
        screen.expect(ASKED)
        screen.press("e")
        screen.expect("the editor false failed")
        screen.expect(ASKED)
        screen.press("r")
        assert screen.wait() == 0


def test_a_plan_is_approved_as_edited(home: Home, editor: dict[str, str]) -> None:
    with terminal(home, FIX, "--plan", **editor) as screen:
        screen.expect("Proposes a plan")
        screen.expect("[R] Reject with reason")
        assert screen.text.count("Run the tests with `python run_tests.py`") == 1, "the transcript showed the plan"
        screen.press("e")
        screen.expect("Edited:")
        screen.expect("echo something else")
        screen.expect("[a] Approve edited")
        screen.press("a")
        screen.expect("The agent wants to use apply_patch:")
        screen.expect(ASKED)
        screen.press("a")
        assert screen.wait() == 0
    envelopes, _ = read_json(home.nbharness("show", home.nbharness("sessions").stdout.split()[0], "--json").stdout)
    (plan,) = [envelope.event for envelope in envelopes if isinstance(envelope.event, PlanApproved)]
    assert plan.by == "terminal"
    assert "echo something else" in plan.plan


def test_what_was_typed_before_or_is_pasted_approves_nothing(home: Home) -> None:
    with terminal(home, FIX, "--approval-timeout", "1.5", NBHARNESS_DEMO_DELAY_MS="10") as screen:
        screen.expect("look around")
        screen.press("a\naaa")
        screen.expect(ASKED)
        screen.press("approve it all\x1b[A")
        assert screen.wait() == 0
    assert [answer.status for answer in answers(home)] == ["expired"]
    assert not fixed(home)


def test_remembered_arguments_are_not_asked_again(home: Home) -> None:
    with terminal(home, "scenario: many approvals 1") as screen:
        screen.expect(ASKED)
        screen.press("m")
        assert screen.wait() == 0
    done = home.run("scenario: many approvals 1", "--json")
    envelopes, _ = read_json(done.stdout)
    assert done.returncode == 0
    assert [envelope.event.by for envelope in envelopes if isinstance(envelope.event, ApprovalUpdated)] == ["rule"]


def test_an_approval_that_expires_is_asked_no_more(home: Home) -> None:
    with terminal(home, "scenario: many approvals 1", "--approval-timeout", "0.5") as screen:
        screen.expect(ASKED)
        assert screen.wait() == 0
    assert [answer.status for answer in answers(home)] == ["expired"]


def test_ctrl_c_stops_the_turn(home: Home) -> None:
    with terminal(home, "scenario: slow stream 50", NBHARNESS_DEMO_DELAY_MS="50") as screen:
        screen.expect("Paragraph 1")
        screen.press("\x03")
        screen.expect("Stopping the turn")
        assert screen.wait() == 3
    assert "you in the terminal" in home.nbharness("show", home.nbharness("sessions").stdout.split()[0]).stdout


def test_ctrl_c_at_a_question_stops_the_turn(home: Home) -> None:
    with terminal(home, FIX) as screen:
        screen.expect(ASKED)
        screen.press("\x03")
        assert screen.wait() == 3
    assert [answer.status for answer in answers(home)] == ["cancelled"]


def test_a_second_ctrl_c_quits_at_once(home: Home, editor: dict[str, str]) -> None:
    edit = {"VISUAL": editor["VISUAL"], "EDITED": "trap '' TERM; echo on its way; sleep 60"}
    with terminal(home, "scenario: many approvals 1", **edit) as screen:
        screen.expect(ASKED)
        screen.press("e")
        screen.expect("[a] Approve edited")
        screen.press("a")
        screen.expect("demo is working")
        screen.press("\x03")
        screen.expect("Stopping the turn")
        screen.press("\x03")
        assert screen.wait() == 3
    assert "Traceback" not in screen.text, screen.text[-4000:]


def test_a_terminal_that_closes_stops_the_turn(home: Home) -> None:
    with terminal(home, FIX) as screen:
        screen.expect(ASKED)
        screen.hang_up()
        assert screen.process.wait(30) == 3
    assert [answer.status for answer in answers(home)] == ["cancelled"]
    assert not fixed(home)


def test_being_asked_to_end_stops_the_turn(home: Home) -> None:
    with terminal(home, "scenario: slow stream 50", NBHARNESS_DEMO_DELAY_MS="50") as screen:
        screen.expect("Paragraph 1")
        os.kill(screen.process.pid, signal.SIGTERM)
        assert screen.wait() == 3


def test_questions_go_to_the_terminal_while_json_goes_to_a_file(home: Home) -> None:
    file = home.folder / "out.jsonl"
    with file.open("wb") as out:
        arguments = home.command("run", FIX, "--agent", "demo", "--workspace", str(home.project), "--json")
        with Terminal(arguments, env=home.env, stdout=out.fileno()) as screen:
            screen.expect(ASKED)
            screen.press("a")
            assert screen.wait() == 0
    _, result = read_json(file.read_text())
    assert result.status == "completed"
    assert fixed(home)


def test_no_colour_where_none_is_wanted(home: Home) -> None:
    with terminal(home, "scenario: many approvals 1", NO_COLOR="1", NBHARNESS_DEMO_DELAY_MS="0") as screen:
        screen.expect(ASKED)
        assert "\x1b[1m" not in screen.raw
        screen.press("r")
        assert screen.wait() == 0
