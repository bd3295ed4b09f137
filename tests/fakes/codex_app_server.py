"""A program that speaks the app-server protocol of Codex, well or badly: ``FAKE_CODEX`` says how.

``die STEP`` ends with status 3 at that step; ``malformed``, ``long BYTES``, ``flood COUNT``, ``asks METHOD``, ``hang``
and ``loses`` (the end of the turn) are what they say; anything else is a turn that runs. Each start adds a line to the
file ``FAKE_CODEX_LOG``.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

VERB, _, WORD = os.environ.get("FAKE_CODEX", "run").partition(" ")
THREAD, TURN, CALL = "thread-1", "turn-1", "call-1"


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def tell(method: str, **params: Any) -> None:
    send(method=method, params={"threadId": THREAD, "turnId": TURN, **params})


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def step(name: str) -> None:
    """Come to a step; die there if that is wanted."""
    if ("die", name) == (VERB, WORD):
        sys.stderr.write(f"fake codex dies at {name}\n")
        sys.stderr.flush()
        os._exit(3)


def command(**facts: Any) -> dict[str, Any]:
    return {"type": "commandExecution", "id": CALL, "command": "/bin/sh -c 'make'", "cwd": "/", **facts}


def work() -> None:
    """One turn."""
    step("started")
    tell("turn/started", turn={"id": TURN, "status": "inProgress"})
    tell("item/agentMessage/delta", itemId="m1", delta="working")
    step("delta")
    tell("item/started", item=command(status="inProgress"))
    step("item")
    misbehave()
    ask()
    step("answered")
    tell("item/commandExecution/outputDelta", itemId=CALL, delta="made\n")
    step("output")
    tell("item/completed", item=command(status="completed", aggregatedOutput="made\n", exitCode=0, durationMs=3))
    step("ended")
    if VERB == "loses":
        tell("thread/status/changed", status={"type": "idle"})
        return
    tell("turn/completed", turn={"id": TURN, "status": "completed", "error": None})


def misbehave() -> None:
    if VERB == "malformed":
        for line in (b"no json", b'{"method": "\xff\xfe"}', b"[" * 5000, b'{"id": 4711, "result": {}}', b"null", b"{}"):
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.flush()
        tell("item/completed", item={"type": "commandExecution", "id": 7})
        tell("item/madeUp", what=1)
    elif VERB == "long":
        sys.stdout.write('{"method": "x", "params": "' + "y" * int(WORD) + '"}\n')
    elif VERB == "flood":
        params = {"itemId": CALL, "delta": "x"}
        flood = json.dumps({"method": "item/commandExecution/outputDelta", "params": params}) + "\n"
        for _ in range(int(WORD) // 1000):
            sys.stdout.write(flood * 1000)
    elif VERB == "hang":
        sys.stdout.flush()
        while (message := read())["method"] != "turn/interrupt":
            send(id=message["id"], result={})
        os.read(0, 1)  # deaf from now on
        while True:
            os.read(0, 1)


def ask() -> None:
    method = WORD if VERB == "asks" else "item/commandExecution/requestApproval"
    send(id=77, method=method, params={"threadId": THREAD, "turnId": TURN, "itemId": CALL, "command": "make"})
    step("asked")
    while (answer := read())["id"] != 77:  # what else comes now is a message of the user
        send(id=answer["id"], result={})
    said = answer["error"]["message"] if "error" in answer else answer["result"].get("decision", "")
    tell("item/agentMessage/delta", itemId="m2", delta=said)


def main() -> None:
    with Path(os.environ["FAKE_CODEX_LOG"]).open("a", encoding="utf-8") as log:
        log.write(f"{os.getpid()}\n")
    step("start")
    while True:
        message = read()
        method = message.get("method", "")
        if method == "initialize":
            step("initialize")
            send(id=message["id"], result={"userAgent": "fake"})
        elif method in {"thread/start", "thread/resume", "thread/fork"}:
            step("thread")
            send(id=message["id"], result={"thread": {"id": THREAD}, "model": "fake", "sandbox": {"type": "readOnly"}})
        elif method == "turn/start":
            step("turn")
            send(id=message["id"], result={"turn": {"id": TURN, "status": "inProgress"}})
            work()
        elif "id" in message:
            send(id=message["id"], error={"code": -32601, "message": f"no {method}"})


if __name__ == "__main__":
    main()
