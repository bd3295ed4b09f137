"""The built-in agent in a real kernel: it sees the variables, and uses the kernel where the person agrees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.acp import claude_environment
from support.builtin import environment
from support.kernels import Kernel, start_kernel
from support.real_agents import codex_environment

from nbharness.testing.fakellm import Call, FakeLLM, Reply, Step

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

CODER = "%coder --agent builtin --model anthropic:claude-sonnet-5-5 --kernel-tools"
HIDDEN = "nobody-has-this-key-0123456789"


@pytest.fixture(scope="module")
def model() -> Iterator[FakeLLM]:
    with FakeLLM({}) as serving:
        yield serving


@pytest.fixture(scope="module")
def kernel(model: FakeLLM, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    place = tmp_path_factory.mktemp("kernel")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(model.url, place / "home").items():
            patch.setenv(name, value)
        patch.setenv("SOME_API_KEY", HIDDEN)
        with start_kernel("python3", place) as started:
            assert started.run("%load_ext nbharness") == ""
            yield started


@pytest.fixture
def with_claude(model: FakeLLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    for name, value in claude_environment(model.url, tmp_path).items():
        monkeypatch.setenv(name, value)
    with start_kernel("python3", tmp_path) as started:
        assert started.run("%load_ext nbharness") == ""
        yield started


@pytest.fixture
def with_codex(model: FakeLLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    for name, value in codex_environment(model.url, tmp_path).items():
        monkeypatch.setenv(name, value)
    with start_kernel("python3", tmp_path) as started:
        assert started.run("%load_ext nbharness") == ""
        yield started


def said(model: FakeLLM) -> str:
    """What the model was told last."""
    return str(model.requests[-1].body["messages"])


def script(model: FakeLLM, *steps: Step) -> None:
    model.scripts["now"] = steps


def call(tool: str, **args: Any) -> Reply:
    return Reply(calls=[Call(tool=tool, args=args)])


def ask(kernel: Kernel, answers: list[str], options: str = "", coder: str = CODER) -> tuple[str, list[dict[str, Any]]]:
    """Run a cell that waits for its turn, and give these answers, all of them, to what is asked meanwhile."""
    left = list(answers)

    def answer(event: dict[str, Any]) -> dict[str, Any] | None:
        if event["type"] != "approval.required" or not left:
            return None
        asked = event["data"]
        return {"type": "approval", "id": asked["id"], "argsHash": asked["argsHash"], "decision": left.pop(0)}

    ended = kernel.run_answered(f"{coder} {options} --as h SCRIPT:now", answer)
    assert left == []
    return ended


def test_it_sees_variables_and_changes_one_that_the_cell_waits_beside(kernel: Kernel, model: FakeLLM) -> None:
    kernel.run("prices = list(range(5000))\nname = 'shop'\ntotal = 0")
    script(
        model,
        call("list_variables"),
        call("inspect_variable", name="prices"),
        call("run_in_kernel", code="total = sum(prices)\nprint('summed')\ntotal"),
        Reply(text="Done."),
    )
    status, messages = ask(kernel, ["approve"])
    assert status == "ok"
    assert kernel.run("print(total, h.result().status)") == "12497500 completed\n"
    heard = said(model)
    assert "prices: list, length 5000" in heard
    assert "name: str, length 4" in heard
    assert "'shop'" not in heard
    assert "19, ...]" in heard
    assert "4999" not in heard
    assert "summed" in heard
    assert "12497500" in heard
    # What the agent ran shows in its card, not as output of the cell.
    assert [m for m in messages if m["msg_type"] in {"execute_result", "error"}] == []
    assert "summed" not in "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")


@pytest.mark.parametrize("mode", ["require", "auto", "off"])
def test_running_code_asks_in_every_mode(kernel: Kernel, model: FakeLLM, mode: str) -> None:
    kernel.run("touched = False")
    script(model, call("run_in_kernel", code="touched = True"), Reply(text="Then not."))
    ask(kernel, ["reject"], f"--approval {mode}")
    assert kernel.run("print(touched)") == "False\n"
    assert "does not allow" in said(model)


def test_a_rule_allows_it(kernel: Kernel, model: FakeLLM) -> None:
    script(model, call("run_in_kernel", code="allowed = 1 + 1"), Reply(text="Done."))
    ask(kernel, [], "--allow run_in_kernel")
    assert kernel.run("print(allowed)") == "2\n"


def test_faults_are_told_and_stay_out_of_the_cell(kernel: Kernel, model: FakeLLM) -> None:
    script(
        model,
        call("run_in_kernel", code="print('before')\n1 / 0"),
        call("run_in_kernel", code="input('who?')"),
        call("run_in_kernel", code="await nothing"),
        call("inspect_variable", name="nowhere"),
        Reply(text="Done."),
    )
    status, messages = ask(kernel, ["approve"] * 3)
    assert status == "ok"
    heard = said(model)
    for part in ("before", "ZeroDivisionError", "StdinNotImplementedError", "`await` outside", "no variable 'nowhere'"):
        assert part in heard
    assert "\\x1b[" not in heard
    assert [m for m in messages if m["msg_type"] == "error"] == []
    assert kernel.run("1 / 0").count("ZeroDivisionError")  # and the kernel shows its own errors again


def test_without_the_option_there_is_nothing_of_the_kernel(kernel: Kernel, model: FakeLLM) -> None:
    script(model, Reply(text="Done."))
    kernel.run(f"{CODER.removesuffix(' --kernel-tools')} SCRIPT:now")
    offered = {tool["name"] for tool in model.requests[-1].body["tools"]}
    assert "bash" in offered
    assert not offered & {"list_variables", "inspect_variable", "read_cells", "run_in_kernel", "propose_cell"}


def test_a_setting_gives_them_to_every_turn_whose_agent_takes_tools(kernel: Kernel, model: FakeLLM) -> None:
    kernel.run("import os\nos.environ['NBHARNESS_KERNEL_TOOLS'] = 'on'\nset_before = 1")
    script(model, call("list_variables"), Reply(text="Done."))
    kernel.run(f"{CODER.removesuffix(' --kernel-tools')} SCRIPT:now")
    assert "set_before: int" in said(model)
    kernel.run("%coder --as played --agent demo scenario: help")
    assert kernel.run("del os.environ['NBHARNESS_KERNEL_TOOLS']\nprint(played.result().status)") == "completed\n"


def test_it_runs_between_two_cells_when_no_cell_waits(kernel: Kernel, model: FakeLLM) -> None:
    script(model, call("run_in_kernel", code="later = 'set'"), Reply(text="Done."))
    assert kernel.run(f"h = {CODER} --bg --allow run_in_kernel SCRIPT:now") == ""
    kernel.run("import asyncio\nawait h")
    assert kernel.run("print(later)") == "set\n"


def test_what_it_proposes_is_put_below(kernel: Kernel, model: FakeLLM) -> None:
    script(model, call("propose_cell", code="a = 1"), call("propose_cell", code="b = 2"), Reply(text="Done."))
    request = kernel.submit(f"{CODER} SCRIPT:now")
    reply = kernel.reply_to(request)
    assert [part for part in reply["payload"] if part["source"] == "set_next_input"] == [
        {"source": "set_next_input", "text": "a = 1\n\nb = 2", "replace": False}
    ]


def test_a_hostile_variable_and_a_secret_do_no_harm(kernel: Kernel, model: FakeLLM) -> None:
    kernel.run(
        "class Mean:\n"
        "    def __repr__(self): raise SystemExit(3)\n"
        "    def __len__(self): raise KeyboardInterrupt\n"
        f"mean = Mean()\nkey = '{HIDDEN}'\n"
        "class Slow:\n"
        "    def __repr__(self):\n"
        "        while True: pass\n"
        "slow = Slow()"
    )
    script(
        model,
        call("list_variables"),
        call("inspect_variable", name="mean"),
        call("inspect_variable", name="key"),
        call("inspect_variable", name="slow"),
        Reply(text="Done."),
    )
    status, _ = ask(kernel, [])
    assert status == "ok"
    assert "mean: Mean" in said(model)
    assert "'slow' takes more than 2 s to show" in said(model)
    home = Path(kernel.run("import os\nprint(os.environ['NBHARNESS_HOME'])").strip())
    # The workspace itself, of which the shadow store has a copy, holds the history of IPython.
    kept = [file for file in home.rglob("*") if file.is_file() and "shadow" not in file.parts]
    assert [file for file in kept if HIDDEN.encode() in file.read_bytes()] == []
    assert len(kept) > 1


ABORTED_WHILE_BUSY = """
import gc, time
from nbharness.notebook.kernel_tools import MainThread
late = False
mains = [each for each in gc.get_objects() if isinstance(each, MainThread)]
until = time.monotonic() + 30
while not any(each._jobs for each in mains) and time.monotonic() < until:
    time.sleep(0.05)
print([len(each._jobs) for each in mains], late)
h.abort()
print(h.result(20).status)
"""


def aborts_while_the_kernel_is_busy(kernel: Kernel, coder: str) -> None:
    assert kernel.run(f"h = {coder} --bg --allow run_in_kernel --allow mcp__nbharness__run_in_kernel SCRIPT:now") == ""
    assert kernel.run(ABORTED_WHILE_BUSY) == "[1] False\naborted\n"
    assert kernel.run("print(late)") == "False\n"


def test_code_that_waits_for_a_busy_kernel_is_forgotten_with_its_turn(kernel: Kernel, model: FakeLLM) -> None:
    script(model, call("run_in_kernel", code="late = True"), Reply(text="Done."))
    aborts_while_the_kernel_is_busy(kernel, CODER)


@pytest.mark.agents
def test_code_that_waits_is_forgotten_also_for_claude_code(with_claude: Kernel, model: FakeLLM) -> None:
    script(model, call("mcp__nbharness__run_in_kernel", code="late = True"), Reply(text="Done."))
    aborts_while_the_kernel_is_busy(with_claude, "%coder --agent claude --kernel-tools")


@pytest.mark.agents
def test_claude_code_uses_the_kernel_too(with_claude: Kernel, model: FakeLLM) -> None:
    with_claude.run("total = 0\nprices = [1, 2, 3]")
    script(
        model,
        call("mcp__nbharness__list_variables"),
        call("mcp__nbharness__run_in_kernel", code="total = sum(prices)"),
        Reply(text="Done."),
    )
    status, _ = ask(with_claude, ["approve"], coder="%coder --agent claude --kernel-tools")
    assert status == "ok"
    assert with_claude.run("print(total, h.result().status)") == "6 completed\n"
    assert "prices: list, length 3" in said(model)


@pytest.mark.agents
def test_codex_uses_the_kernel_too(with_codex: Kernel, model: FakeLLM) -> None:
    with_codex.run("total = 0\nprices = [1, 2, 3]")
    where = "mcp__nbharness"
    script(
        model,
        Reply(calls=[Call(tool="list_variables", namespace=where)]),
        Reply(calls=[Call(tool="run_in_kernel", namespace=where, args={"code": "total = sum(prices)"})]),
        Reply(text="Done."),
    )
    status, _ = ask(with_codex, ["approve"], coder="%coder --agent codex --kernel-tools")
    assert status == "ok"
    assert with_codex.run("print(total, h.result().status)") == "6 completed\n"
    assert "prices: list, length 3" in str(model.requests[-1].body["input"])
