"""A Claude Code for tests: it speaks the real control protocol on its streams, so that it can also misbehave.

It takes the options of the real one, and ``--die STEP``: abort at a control request (``initialize``, ``set_model``) or
at ``user``, the first message. The first word of a prompt says what to do; see ``PROMPTS``. Standard library only, so
that it starts at once.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

# It runs isolated, where nothing of ours is found by itself.
sys.path.insert(0, str(Path(__file__).parents[1]))

from fakes.claude_rubbish import MALFORMED, ODD, stderr_blocks

STUBBORN_TREE = Path(__file__).with_name("stubborn_tree.py")
NEW_SESSION = "00000000-0000-4000-8000-000000000001"
FORKED_SESSION = "00000000-0000-4000-8000-000000000002"
COMMANDS = {"run": "echo ran > ran.txt", "wait": "echo $$ > waiting.pid; exec sleep 60"}
QUESTION = {
    "question": "Which?",
    "header": "Colour",
    "multiSelect": False,
    "options": [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}],
}
ASKED = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "x"}, "tool_use_id": "call"}
BLOCK = 64 * 1024


class Interrupted(Exception):
    """The user stops the turn."""


class Claude:
    def __init__(self, options: argparse.Namespace) -> None:
        self.die_at: str = options.die
        self.mode: str = options.permission_mode
        self.model: str = options.model
        self.session: str = FORKED_SESSION if options.fork_session else options.resume or NEW_SESSION
        self.asked = self.messages = 0
        self.unread = b""
        self.heard: list[str] = []

    # --- the wire -------------------------------------------------------------------------------------

    def raw(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def send(self, kind: str, **message: Any) -> None:
        self.raw(json.dumps({"type": kind, **message}).encode() + b"\n")

    def tell(self, kind: str, **message: Any) -> None:
        self.send(kind, **message, session_id=self.session, parent_tool_use_id=None)

    def read(self) -> dict[str, Any]:
        """Return the next message that is for the turn; requests of the client are carried out meanwhile."""
        while True:
            while b"\n" not in self.unread:
                block = os.read(0, BLOCK)
                if not block:
                    raise SystemExit(0)
                self.unread += block
            line, _, self.unread = self.unread.partition(b"\n")
            message: dict[str, Any] = json.loads(line)
            if message["type"] != "control_request":
                return message
            self.control(message["request_id"], message["request"])

    def is_spoken_to(self) -> bool:
        return b"\n" in self.unread or bool(select.select([0], [], [], 0.02)[0])

    def control(self, id_: str, request: dict[str, Any]) -> None:
        subtype = request["subtype"]
        self.heard.append(subtype)
        if subtype == self.die_at:
            os.abort()
        self.mode = request.get("mode", self.mode)
        self.model = request.get("model", self.model)
        if self.model == "refused":
            self.send("control_response", response={"subtype": "error", "request_id": id_, "error": "no such model"})
            return
        self.send("control_response", response={"subtype": "success", "request_id": id_, "response": {}})
        if subtype == "interrupt":
            raise Interrupted

    def ask(self, **request: Any) -> dict[str, Any]:
        """Ask the client and return its answer; that of a refusal is ``{"behavior": "refused", "message": why}``."""
        self.asked += 1
        id_ = f"ask-{self.asked}"
        self.send("control_request", request_id=id_, request=request)
        while True:
            response = self.read().get("response", {})
            if response.get("request_id") == id_:
                refused = {"behavior": "refused", "message": response.get("error")}
                return response["response"] if response["subtype"] == "success" else refused

    # --- what a turn is made of -----------------------------------------------------------------------

    def stream(self, event: dict[str, Any]) -> None:
        self.tell("stream_event", event=event)

    def say(self, pieces: Iterable[str]) -> str:
        """Stream a message, then tell it whole, as the real one does."""
        said = []
        self.begin()
        self.stream({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        for piece in pieces:
            said.append(piece)
            self.delta(piece)
        self.block({"type": "text", "text": "".join(said)})
        self.stream({"type": "content_block_stop", "index": 0})
        self.stream({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}})
        self.stream({"type": "message_stop"})
        return "".join(said)

    def begin(self) -> None:
        self.messages += 1
        usage = {"input_tokens": 100, "output_tokens": 1}
        self.stream({"type": "message_start", "message": {"id": f"msg-{self.messages}", "usage": usage}})

    def delta(self, text: str) -> None:
        delta = {"type": "text_delta", "text": text}
        self.stream({"type": "content_block_delta", "index": 0, "delta": delta})

    def block(self, block: dict[str, Any]) -> None:
        self.tell("assistant", message={"id": f"msg-{self.messages}", "role": "assistant", "content": [block]})

    def announce(self) -> None:
        """Tell of the call that :data:`ASKED` is about."""
        self.begin()
        self.block({"type": "tool_use", "id": "call", "name": "Bash", "input": {"command": "x"}})

    def use(self, tool: str, args: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
        """Announce a call and ask for it; return its id, and the arguments to use or ``None``."""
        self.begin()
        call = f"toolu-{self.asked + 1}"
        self.block({"type": "tool_use", "id": call, "name": tool, "input": args})
        answer = self.ask(subtype="can_use_tool", tool_name=tool, input=args, tool_use_id=call)
        if answer["behavior"] == "allow":
            return call, answer["updatedInput"]
        self.result(call, answer["message"], is_error=True)
        if answer.get("interrupt"):
            raise Interrupted
        return call, None

    def result(self, call: str, content: str, told: Any = None, *, is_error: bool = False) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error}
        self.tell("user", message={"role": "user", "content": [block]}, tool_use_result=told)

    def shell(self, command: str, *, tree: bool = False) -> None:
        """Ask for a command and run it; an interrupt kills it."""
        call, args = self.use("Bash", {"command": command})
        if args is None:
            return
        argv = [sys.executable, "-I", "-S", str(STUBBORN_TREE)] if tree else ["/bin/sh", "-c", args["command"]]
        with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            if tree:
                self.say([program.stdout.readline()])
            try:
                while program.poll() is None:
                    if self.is_spoken_to():
                        self.read()
            except Interrupted:
                program.kill()
                self.result(call, "[Request interrupted by user]", is_error=True)
                raise
            output = program.stdout.read()
        self.result(call, output, {"stdout": output, "stderr": ""})

    # --- turns ----------------------------------------------------------------------------------------

    def serve(self) -> NoReturn:
        while True:
            # An interrupt that comes when nothing goes on has nothing to stop.
            with contextlib.suppress(Interrupted):
                message = self.read()
                if message["type"] == "user":
                    self.turn(str(message["message"]["content"]))

    def turn(self, prompt: str) -> None:
        if self.die_at == "user":
            os.abort()
        verb, _, rest = prompt.partition(" ")
        self.tell("system", subtype="init", model=self.model, permissionMode=self.mode, slash_commands=["compact"])
        try:
            said = PROMPTS[verb](self, rest)
        except Interrupted:
            self.end("error_during_execution", is_error=True, terminal_reason="aborted_tools")
        else:
            self.end("success", is_error=False, result=said or "")

    def end(self, subtype: str, **more: Any) -> None:
        usage = {"input_tokens": 100, "output_tokens": 20}
        models = {self.model: {"costUSD": 0.001, "contextWindow": 200_000}}
        self.tell("result", subtype=subtype, usage=usage, model_usage_since_last_result=models, **more)


def _write(claude: Claude, rest: str) -> str:
    path, content = Path(rest or "written.txt").resolve(), "written\n"
    call, args = claude.use("Write", {"file_path": str(path), "content": content})
    if args is not None:
        path.write_text(args["content"])
        told = {"type": "create", "filePath": str(path), "content": content, "structuredPatch": []}
        claude.result(call, "File created successfully", told)
    return claude.say(["done"])


def _shell(claude: Claude, rest: str) -> str:
    claude.shell(COMMANDS.get(rest, rest), tree=rest == "tree")
    return claude.say(["done"])


def _question(claude: Claude, _rest: str) -> str:
    call, args = claude.use("AskUserQuestion", {"questions": [QUESTION]})
    if args is not None:
        claude.result(call, "answered", {"answers": args["answers"]})
    return claude.say([json.dumps(args and args["answers"])])


def _plan(claude: Claude, _rest: str) -> str:
    call, args = claude.use("ExitPlanMode", {"plan": "First this, then that.", "planFilePath": "/plans/a-plan.md"})
    if args is not None:
        claude.mode = "default"
        claude.result(call, "approved", {"plan": args["plan"]})
    return claude.say(["done"])


def _todos(claude: Claude, _rest: str) -> str:
    args = {"subject": "one", "description": "one"}
    claude.begin()
    claude.block({"type": "tool_use", "id": "task", "name": "TaskCreate", "input": args})
    claude.result("task", "Task #1 created", {"task": {"id": "1", "subject": "one"}})
    return claude.say(["done"])


def _flood(claude: Claude, rest: str) -> str:
    """Say so many pieces: numbers, or the text that follows."""
    count, _, text = rest.partition(" ")
    return claude.say(text or f"{index} " for index in range(int(count)))


def _malformed(claude: Claude, rest: str) -> str:
    for line in MALFORMED * int(rest or "1"):
        claude.raw(line + b"\n")
    return claude.say(["still here"])


def _odd(claude: Claude, _rest: str) -> str:
    for message in ODD:
        claude.raw(json.dumps(message).encode() + b"\n")
    return claude.say(["still here"])


def _surrogate(claude: Claude, _rest: str) -> str:
    """A character that is half of one, as a program sends it that cuts text anywhere."""
    return claude.say(["a", "\ud83d", "b"])


def _long(claude: Claude, rest: str) -> str:
    """Send one line of so many bytes, without ever holding it."""
    left = int(rest)
    claude.raw(b'{"type": "assistant", "message": "')
    for size in itertools.chain(itertools.repeat(BLOCK, left // BLOCK), [left % BLOCK]):
        claude.raw(b"x" * size)
    claude.raw(b'"}\n')
    return claude.say(["after"])


def _stderr(claude: Claude, rest: str) -> str:
    """Write so many bytes to standard error, and a word of the answer after each MiB of them; ``die`` then, or not."""
    size, _, then = rest.partition(" ")

    def words() -> Iterable[str]:
        for number, block in enumerate(stderr_blocks(int(size))):
            sys.stderr.buffer.write(block)
            sys.stderr.buffer.flush()
            if number % 16 == 0:
                yield f"{number} "

    said = claude.say(words())
    if then == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return said


def _die(claude: Claude, rest: str) -> str:
    """Die at once, or at the step that is named."""
    sys.stderr.write("\x1b[31mlast words\x1b[0m\n")
    sys.stderr.flush()
    match rest:
        case "streaming":
            claude.begin()
            claude.delta("half")
        case "mid line":
            claude.raw(b'{"type": "assistant", "mess')
        case "mid character":
            claude.raw(b'{"type": "assistant", "message": "\xe2\x82')
        case "asking":
            claude.announce()
            claude.send("control_request", request_id="last", request=ASKED)
        case "in a tool":
            claude.announce()
        case "before its result":
            claude.say(["all of it"])
        case "leaving a child":
            subprocess.Popen(["sleep", "60"])  # it keeps the streams open
        case "with its streams":
            os.close(1)
            signal.pause()
        case "cleanly":
            os._exit(0)
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def _hang(claude: Claude, rest: str) -> str:
    """Say something and then nothing any more; ``deaf``: take no interrupt either, nor SIGTERM."""
    claude.begin()
    claude.delta("waiting")
    if rest == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()
    while True:
        claude.read()


def _withdraw(claude: Claude, _rest: str) -> str:
    """Ask, and no longer want to know."""
    claude.announce()
    claude.send("control_request", request_id="withdrawn", request=ASKED)
    claude.send("control_cancel_request", request_id="withdrawn")
    claude.result("call", "not needed")
    return claude.say(["done"])


def _twice(claude: Claude, _rest: str) -> str:
    """Ask the same thing twice under the same id, then go on with the first answer."""
    claude.announce()
    question = {"type": "control_request", "request_id": "again", "request": ASKED}
    claude.raw(2 * (json.dumps(question).encode() + b"\n"))  # in one piece, before an answer can come
    answer = claude.read()["response"]
    claude.result("call", answer["subtype"])
    return claude.say([str(answer["request_id"])])


PROMPTS: dict[str, Callable[[Claude, str], str | None]] = {
    "say": lambda claude, rest: claude.say([rest]),
    "write": _write,
    "do": _shell,
    "question": _question,
    "plan": _plan,
    "todos": _todos,
    "flood": _flood,
    "malformed": _malformed,
    "odd": _odd,
    "surrogate": _surrogate,
    "long": _long,
    "stderr": _stderr,
    "die": _die,
    "hang": _hang,
    "withdraw": _withdraw,
    "twice": _twice,
    "heard": lambda claude, _rest: claude.say(["; ".join(claude.heard)]),
    "mode": lambda claude, _rest: claude.say([claude.mode]),
}


def main() -> NoReturn:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--die", default="")
    parser.add_argument("--permission-mode", default="default")
    parser.add_argument("--model", default="fake-model")
    parser.add_argument("--resume", default="")
    parser.add_argument("--fork-session", action="store_true")
    options, _others = parser.parse_known_args()
    if options.resume == "unknown":
        sys.stderr.write(f"No conversation found with session ID: {options.resume}\n")
        raise SystemExit(1)
    Claude(options).serve()


if __name__ == "__main__":
    main()
