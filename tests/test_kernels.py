"""On real kernels of three versions: answers arrive while a cell is busy, and nothing outlives the kernel."""

from __future__ import annotations

import ast
import json
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.kernels import KERNELS, Kernel, start_kernel
from support.processes import survivors

pytestmark = pytest.mark.kernel

BUSY = {
    "sleeps": "import time\nfor _ in range(300):\n    time.sleep(.1)\n    if h.done: break",
    "spins": "import time\nend = time.time() + 30\nwhile time.time() < end and not h.done: sum(range(1000))",
    "awaits": "import asyncio\nfor _ in range(300):\n    await asyncio.sleep(.1)\n    if h.done: break",
}


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kernel]:
    with start_kernel(request.param, tmp_path) as started:
        assert started.run("%load_ext nbharness") == ""
        yield started


def start(kernel: Kernel, prompt: str) -> str:
    """Start a turn in the background and return its id."""
    printed = kernel.run(f"h = %coder --bg --agent scripted {prompt}\nprint(h.turn_id)")
    return printed.strip().splitlines()[-1]


def until_asked(kernel: Kernel, turn_id: str) -> dict[str, Any]:
    """Say hello until the turn asks, as a view does; return the welcome that shows it."""
    last = -1
    while True:
        said = {"kind": "hello", "view": "v", "nonce": "n", "turnId": turn_id, "lastSeq": last}
        welcome = kernel.ask_over_control(said)
        assert welcome["kind"] == "welcome", welcome
        for event in welcome["events"]:
            last = event["seq"]
            if event["type"] == "approval.required":
                return {**event["data"], "secret": welcome["secret"]}


def decide(kernel: Kernel, turn_id: str, asked: dict[str, Any], decision: str, input_id: str = "i") -> dict[str, Any]:
    answer = {"type": "approval", "id": asked["id"], "argsHash": asked["argsHash"], "decision": decision}
    said = {"kind": "input", "view": "v", "inputId": input_id, "turnId": turn_id, "secret": asked["secret"]}
    return kernel.ask_over_control({**said, "input": answer})


@pytest.mark.parametrize("busy", BUSY)
def test_an_answer_arrives_before_the_busy_cell_ends(kernel: Kernel, busy: str) -> None:
    turn_id = start(kernel, "ask")
    request = kernel.submit(f"{BUSY[busy]}\nprint('still', h.result(0).output.text)")
    asked = until_asked(kernel, turn_id)
    assert decide(kernel, turn_id, asked, "approve")["status"] == "ok"
    assert decide(kernel, turn_id, asked, "approve")["status"] == "ok"
    conflict = decide(kernel, turn_id, asked, "reject", "i2")
    assert (conflict["status"], conflict["recorded"]) == ("conflict", "approved")
    status, messages = kernel.finish(request)
    printed = "".join(m["content"].get("text", "") for m in messages if m["msg_type"] == "stream")
    assert (status, printed) == ("ok", "still approved\n")


def test_a_cell_that_waits_is_answered_while_it_waits(kernel: Kernel) -> None:
    request = kernel.submit("%coder --agent scripted ask 2")
    turn_id = kernel.shown_turn(request)
    first = until_asked(kernel, turn_id)
    assert decide(kernel, turn_id, first, "approve", "i1")["status"] == "ok"
    assert decide(kernel, turn_id, _next_asked(kernel, turn_id, first), "approve", "i2")["status"] == "ok"
    status, _messages = kernel.finish(request)
    assert status == "ok"


def _next_asked(kernel: Kernel, turn_id: str, before: dict[str, Any]) -> dict[str, Any]:
    while True:
        said = {"kind": "resync", "view": "v", "nonce": "n", "turnId": turn_id, "lastSeq": -1}
        asked = [e["data"] for e in kernel.ask_over_control(said)["events"] if e["type"] == "approval.required"]
        if asked[-1]["id"] != before["id"]:
            return {**asked[-1], "secret": before["secret"]}


def test_interrupting_the_cell_stops_the_turn(kernel: Kernel) -> None:
    request = kernel.submit("%coder --agent scripted --as h wait")
    turn_id = kernel.shown_turn(request)
    while "waiting" not in json.dumps(
        kernel.ask_over_control({"kind": "hello", "view": "v", "nonce": "n", "turnId": turn_id, "lastSeq": -1})
    ):
        pass
    kernel.manager.interrupt_kernel()
    status, messages = kernel.finish(request)
    assert status == "error"
    assert [m["content"]["ename"] for m in messages if m["msg_type"] == "error"] == ["KeyboardInterrupt"]
    assert "aborted" in kernel.run("print(h)")


def test_nothing_outlives_a_killed_kernel(kernel: Kernel) -> None:
    fork = "import multiprocessing as m\npool = m.get_context('fork').Pool(2)\npool.map(abs, [1])\n"
    turn_id = start(kernel, "spawn")
    text = ""
    while '"daemon"' not in text:
        said = {"kind": "hello", "view": "v", "nonce": "n", "turnId": turn_id, "lastSeq": -1}
        events = kernel.ask_over_control(said)["events"]
        text = "".join(e["data"]["delta"] for e in events if e["type"] == "message.delta")
    pids = json.loads(text)
    workers = ast.literal_eval(kernel.run(f"{fork}print([p.pid for p in pool._pool])"))
    assert kernel.manager.provisioner is not None
    kernel.manager.provisioner.process.kill()  # type: ignore[attr-defined]
    assert survivors(pids.values(), 2.0) == []
    assert len(workers) == 2


def test_loading_writes_and_starts_nothing_and_unloading_leaves_nothing(kernel: Kernel, tmp_path: Path) -> None:
    assert not (tmp_path / "home").exists()
    assert (
        kernel.run("import threading; print([t.name for t in threading.enumerate() if 'nbharness' in t.name])")
        == "[]\n"
    )
    assert kernel.run("%reload_ext nbharness") == ""
    counts = (
        "ip = get_ipython()\nk = ip.kernel\n"
        "print(sum('rewrite' in repr(f) for f in ip.input_transformers_cleanup), len(ip.Completer.custom_matchers),"
        " 'nbharness_request' in k.control_handlers, 'coder' in ip.magics_manager.magics['line'])"
    )
    assert kernel.run(counts) == "1 1 True True\n"
    kernel.run("%unload_ext nbharness")
    assert kernel.run(counts) == "0 0 False False\n"
    assert "not found" in kernel.run("%coder hello")
    kernel.run("%load_ext nbharness")
    assert kernel.run(counts) == "1 1 True True\n"
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%coder", "prompt is empty"),
        ("%coder --agent nobody x", "Valid: acp, builtin, claude"),
        ("%coder --agent scripted --workspace /nowhere/here x", "/nowhere/here"),
        ("%coder --agent scripted --model big x", "big"),
        ("%coder --conversation zzz x", "zzz"),
        ("%coder --var missing x", "missing"),
        ("%coder --attach", "no turn to attach"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path: Path, cell: str, says: str) -> None:
    with start_kernel("python3", tmp_path) as kernel:
        kernel.run("%load_ext nbharness")
        text = kernel.run(cell)
    assert says in text
    assert "Traceback" not in text


def test_the_agent_sees_the_prompt_verbatim(tmp_path: Path) -> None:
    prompt = 'what\'s {this} $HOME !ls \\ "x" `y`?'
    with start_kernel("python3", tmp_path) as kernel:
        kernel.run("%load_ext nbharness")
        turn_id = start(kernel, prompt)
        said = {"kind": "hello", "view": "v", "nonce": "n", "turnId": turn_id, "lastSeq": -1}
        events: list[dict[str, Any]] = []
        while not events:  # the cell goes on before the turn has written its first event
            events = kernel.ask_over_control(said)["events"]
        assert events[0]["data"]["prompt"] == prompt


def test_a_message_of_no_kind_is_answered(tmp_path: Path) -> None:
    with start_kernel("python3", tmp_path) as kernel:
        kernel.run("%load_ext nbharness")
        assert kernel.ask_over_control({"kind": "hello"})["status"] == "invalid"
        with pytest.raises(queue.Empty):
            kernel.client.get_control_msg(timeout=0.2)
