"""The built-in agent in a real kernel, in each wire form: every answer a person can give, every fault of a provider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.builtin import DONE, TOO_LONG, WIRES, bash, call, environment, write
from support.kernels import Answer, Kernel, start_kernel

from nbharness.testing.fakellm import Fail, FakeLLM, Reply, Step

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


class Cell:
    """A kernel, its directory, and the model that its agent talks to.

    Attributes:
        place: The workspace.
        model: The model.
        wire: Its wire form.
    """

    def __init__(self, kernel: Kernel, place: Path, model: FakeLLM, wire: str) -> None:
        self.kernel = kernel
        self.place = place
        self.model = model
        self.wire = wire

    def turn(self, *steps: Step, answer: Answer = lambda _event: None, options: str = "") -> str:
        """Run a turn; return its status and its answer or error."""
        self.script(*steps)
        model = WIRES[self.wire]
        self.kernel.run_answered(f"%coder --agent builtin --model {model} {options} --as h SCRIPT:now", answer)
        return self.kernel.run("r = h.result()\nprint(r.status, r.output.text, r.error and r.error.message)").strip()

    def script(self, *steps: Step) -> None:
        self.model.scripts["now"] = steps

    def heals(self, event: dict[str, Any]) -> None:
        """What was wrong is right after the first notice."""
        if event["type"] == "notice":
            self.script(DONE)

    @property
    def heard(self) -> str:
        return str(self.model.requests[-1].body)


@pytest.fixture(scope="module", params=list(WIRES))
def cell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    place = tmp_path_factory.mktemp("cell")
    with FakeLLM({}) as model, pytest.MonkeyPatch.context() as patch:
        for name, value in environment(model.url, place / "home").items():
            patch.setenv(name, value)
        with start_kernel("python3", place) as kernel:
            assert kernel.run("%load_ext nbharness") == ""
            yield Cell(kernel, place, model, request.param)


def decides(**fields: Any) -> Answer:
    """Answer every approval with this."""

    def answer(event: dict[str, Any]) -> dict[str, Any] | None:
        if event["type"] != "approval.required" or event["data"]["autoApprovable"]:
            return None
        return {"type": "approval", "id": event["data"]["id"], "argsHash": event["data"]["argsHash"], **fields}

    return answer


def test_what_is_approved_happens(cell: Cell) -> None:
    steps = [
        write("a.py", "one = 1\n"),
        call("edit", path="a.py", old_string="1", new_string="2"),
        call("apply_patch", paths=["b.py"], patch="*** Begin Patch\n*** Add File: b.py\n+two = 2\n*** End Patch"),
        call("python", code="import a, b\nprint(a.one + b.two)"),
        bash("rm b.py"),
        DONE,
    ]
    assert cell.turn(*steps, answer=decides(decision="approve")) == "completed All done. None"
    assert (cell.place / "a.py").read_text() == "one = 2\n"
    assert not (cell.place / "b.py").exists()
    assert "4\\n" in cell.heard


def test_what_is_rejected_does_not(cell: Cell) -> None:
    said = cell.turn(bash("touch no.txt"), DONE, answer=decides(decision="reject", reason="not in here"))
    assert said == "completed All done. None"
    assert not (cell.place / "no.txt").exists()
    assert "not in here" in cell.heard


def test_what_is_edited_runs_as_edited(cell: Cell) -> None:
    edited = {"command": "touch edited.txt"}
    assert "completed" in cell.turn(bash("touch no.txt"), DONE, answer=decides(decision="approve", args=edited))
    assert (cell.place / "edited.txt").exists()
    assert not (cell.place / "no.txt").exists()


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_plan_is_waited_for(cell: Cell, decision: str) -> None:
    def answer(event: dict[str, Any]) -> dict[str, Any] | None:
        if event["type"] != "plan.proposed":
            return decides(decision="approve")(event)
        data = event["data"]
        more = {"plan": "Better so."} if decision == "approve" else {"reason": "too long"}
        return {"type": "plan", "id": data["id"], "planHash": data["planHash"], "decision": decision, **more}

    (cell.place / "planned.txt").unlink(missing_ok=True)
    steps = [call("propose_plan", plan="1. Write."), write("planned.txt"), DONE]
    assert "completed" in cell.turn(*steps, answer=answer, options="--plan")
    assert (cell.place / "planned.txt").exists() is (decision == "approve")
    assert ("Better so." if decision == "approve" else "too long") in cell.heard


@pytest.mark.parametrize(
    "fault",
    [Fail(status=429, retry_after=1), Fail(status=500), Reply(text="half", cut=True)],
    ids=["429", "500", "cut"],
)
def test_what_passes_is_tried_again(cell: Cell, fault: Step) -> None:
    assert cell.turn(fault, answer=cell.heals) == "completed All done. None"


def test_a_conversation_that_is_too_long_is_shortened(cell: Cell) -> None:
    assert cell.turn(TOO_LONG[cell.wire], answer=cell.heals) == "completed All done. None"


def test_a_key_that_is_refused_is_named(cell: Cell) -> None:
    said = cell.turn(Fail(status=401, message="who are you"))
    assert said.startswith("error")
    assert "API_KEY" in said
    assert cell.turn(DONE) == "completed All done. None"


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (call("write", path=["x"]), "Valid: "),
        (call("nonsense"), "nonsense"),
        (call("read", path="../outside"), "outside"),
        (call("python", code="1 / 0"), "ZeroDivisionError"),
    ],
    ids=["arguments", "tool", "path", "exception"],
)
def test_a_call_that_fails_goes_back_to_the_model(cell: Cell, step: Reply, told: str) -> None:
    assert cell.turn(step, DONE, answer=decides(decision="approve")) == "completed All done. None"
    assert told in cell.heard


def test_what_was_said_is_known_after_the_kernel_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeLLM({"now": [Reply(text="The word is plugh.")]}) as model:
        for name, value in environment(model.url, tmp_path / "home").items():
            monkeypatch.setenv(name, value)
        for number in range(2):
            place = tmp_path / str(number)
            place.mkdir()
            go_on = "--continue" if number else ""
            with start_kernel("python3", place) as kernel:
                patch = f"import os\nos.environ['NBHARNESS_HOME'] = {str(tmp_path / 'home')!r}\n%load_ext nbharness"
                assert kernel.run(patch) == ""
                work = f"%coder --agent builtin --model {WIRES['anthropic']} --workspace {tmp_path} {go_on} SCRIPT:now"
                kernel.run_answered(work, lambda _event: None)
    assert "The word is plugh." in str(model.requests[-1].body)
