"""An ACP agent for tests. It speaks plain JSON-RPC so that it can also misbehave.

Arguments: ``--can resume,load,fork,list,http,modes,config`` what it says it can do; ``--fail METHOD CODE TEXT`` answers
a method with an error; ``--die METHOD`` dies at it; ``--protocol N`` speaks that version. The first word of a prompt
says what to do; see ``PROMPTS``. Standard library only, so that it starts at once.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

STUBBORN_TREE = Path(__file__).with_name("stubborn_tree.py")
MODES = {"currentModeId": "code", "availableModes": [{"id": "code", "name": "Code"}, {"id": "plan", "name": "Plan"}]}
MODELS = {"currentModelId": "small", "availableModels": [{"modelId": "small"}, {"modelId": "big", "name": "Big"}]}
MODEL_CHOICES = [{"group": "g", "name": "G", "options": [{"value": "small"}, {"value": "big"}]}]
CONFIG = [{"id": "llm", "category": "model", "type": "select", "currentValue": "small", "options": MODEL_CHOICES}]
OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
    {"optionId": "never", "name": "Never", "kind": "reject_always"},
]


class AgentError(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Agent:
    def __init__(self, options: argparse.Namespace) -> None:
        self.can = set(options.can.split(","))
        self.fail, self.die_at, self.protocol = options.fail, options.die, options.protocol
        self.session, self.asked, self.cancelled = "", 0, False
        self.cost = self.tokens = 0
        self.heard: list[str] = []

    # --- the wire -------------------------------------------------------------------------------------

    def send(self, **message: Any) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def update(self, what: str, /, **fields: Any) -> None:
        update = {"sessionUpdate": what, **fields}
        self.send(method="session/update", params={"sessionId": self.session, "update": update})

    def say(self, text: str) -> None:
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    def read(self) -> dict[str, Any]:
        line = sys.stdin.readline()
        if not line:
            raise SystemExit(0)
        message: dict[str, Any] = json.loads(line)
        if message.get("method") == "session/cancel":
            self.cancelled = True
        return message

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the client and wait for its answer; an error comes back as ``{"error": ...}``."""
        self.asked += 1
        self.send(id=f"q{self.asked}", method=method, params={"sessionId": self.session, **params})
        while True:
            message = self.read()
            if message.get("id") == f"q{self.asked}" and "method" not in message:
                return message["result"] if "result" in message else {"error": message["error"]}

    def serve(self) -> NoReturn:
        while True:
            message = self.read()
            if "id" not in message or "method" not in message:
                continue
            method = message["method"]
            if method == self.die_at:
                os.abort()
            try:
                if self.fail and self.fail[0] == method:
                    raise AgentError(int(self.fail[1]), self.fail[2])  # noqa: TRY301 (one road for all errors)
                result = self.answer(method, message.get("params") or {})
            except AgentError as error:
                self.send(id=message["id"], error={"code": error.code, "message": str(error)})
            else:
                self.send(id=message["id"], result=result)

    # --- what a client asks ---------------------------------------------------------------------------

    def answer(self, method: str, params: dict[str, Any]) -> Any:
        self.heard.append(f"{method} {params.get('modeId', params.get('modelId', params.get('value', '')))}".strip())
        match method:
            case "initialize":
                return self.hello()
            case "session/new" | "session/fork":
                old = params.get("sessionId")
                self.session = f"{old}-copy" if old else f"s-{os.getpid()}"
                self.update("available_commands_update", availableCommands=[{"name": "/test", "description": "Tests"}])
                return {"sessionId": self.session, **self.offers()}
            case "session/resume" | "session/load":
                return self.take_up(method, params)
            case "session/list":
                return self.listed(params)
            case "session/prompt":
                self.cancelled = False
                word, _, rest = params["prompt"][0]["text"].partition(" ")
                return self.prompt(word, rest)
            case "session/set_config_option":
                return {"configOptions": [{**CONFIG[0], "currentValue": params["value"]}]}
            case _:
                return {}

    def hello(self) -> dict[str, Any]:
        sessions: dict[str, Any] = {name: {} for name in ("resume", "fork", "list") if name in self.can}
        return {
            "protocolVersion": self.protocol,
            "agentCapabilities": {
                "loadSession": "load" in self.can,
                "sessionCapabilities": sessions,
                "mcpCapabilities": {"http": "http" in self.can},
                "_future": {"yes": True},
            },
            "authMethods": [{"id": "browser", "name": "Browser", "description": "opens a page"}],
        }

    def offers(self) -> dict[str, Any]:
        if "config" in self.can:
            return {"configOptions": CONFIG}
        return {"modes": MODES, "models": MODELS} if "modes" in self.can else {}

    def take_up(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if params["sessionId"] == "missing":
            raise AgentError(-32603, "no such session")
        self.session = params["sessionId"]
        if method == "session/load":
            self.update("user_message_chunk", content={"type": "text", "text": "old question"})
            self.say("old answer")
            self.update("usage_update", used=5, size=10, cost={"amount": 2.0, "currency": "USD"})
            self.cost = 2
        return self.offers()

    def listed(self, params: dict[str, Any]) -> dict[str, Any]:
        here = params["cwd"]
        if "cursor" not in params:
            first = {"sessionId": "s-1", "cwd": here, "title": "One", "updatedAt": "2026-12-01T00:00:00Z"}
            return {"sessions": [first, {"sessionId": "s-0", "cwd": "/elsewhere"}, "odd"], "nextCursor": "next"}
        return {"sessions": [{"sessionId": "s-1", "cwd": here}, {"sessionId": "s-2", "title": str(Path.cwd())}, {}]}

    def prompt(self, word: str, rest: str) -> dict[str, Any]:
        step = PROMPTS.get(word)
        reason = step(self, rest) if step else None
        self.tokens += 10
        usage = {"inputTokens": self.tokens, "outputTokens": self.tokens, "totalTokens": 2 * self.tokens}
        return {"stopReason": "cancelled" if self.cancelled else reason or "end_turn", "usage": usage}

    # --- what a prompt can have it do -----------------------------------------------------------------

    def permission(self, call: dict[str, Any], options: list[dict[str, str]] | None = None) -> str:
        answer = self.ask("session/request_permission", toolCall=call, options=OPTIONS if options is None else options)
        return str(answer["outcome"].get("optionId", answer["outcome"]["outcome"]))

    def tool(self, call_id: str, *, announced: bool, kinds: str) -> str:
        call = {"toolCallId": call_id, "title": "Run x", "kind": "execute", "rawInput": {"command": "x"}}
        if announced:
            self.update("tool_call", status="pending", **call)
        options = [option for option in OPTIONS if option["kind"] in kinds] if kinds else None
        chosen = self.permission(call, options)
        if not announced:
            self.update("tool_call", status="in_progress", **call)
        status = "completed" if chosen in {"yes", "always"} else "failed"
        content = [{"type": "content", "content": {"type": "text", "text": f"chosen {chosen}"}}]
        self.update("tool_call_update", toolCallId=call_id, status=status, content=content)
        self.say(chosen)
        return chosen


def _todos(agent: Agent, _rest: str) -> None:
    agent.update("plan", entries=[{"content": "one", "status": "pending", "priority": "low"}])
    agent.say("planned")


def _unknown(agent: Agent, _rest: str) -> None:
    agent.update("tool_call_update", toolCallId="never-announced", status="completed", title="T", kind="telepathy")
    agent.update("weather_update", rain=True)
    agent.send(method="_auth/status_update", params={"x": 1})
    agent.send(method="session/whatever", params=None)
    agent.say(str(agent.ask("_vendor/thing").get("error", {}).get("code")))


def _malformed(agent: Agent, _rest: str) -> None:
    sys.stdout.write('debug: hello\n{"jsonrpc": \n[1,2]\n\n"text"\n{"id":[1],"method":7}\n{"id":{},"result":1}\n')
    sys.stdout.write('{"jsonrpc":"2.0","id":99,"error":"words"}\n{"method":"session/update"}\n' + "[" * 100_000 + "\n")
    agent.say("still here")


def _flood(agent: Agent, rest: str) -> None:
    for index in range(int(rest)):
        agent.say(f"{index} ")


def _hang(agent: Agent, rest: str) -> None:
    if rest == "running":
        agent.update("tool_call", toolCallId="t", status="in_progress", kind="execute", rawInput={"command": "x"})
    if rest == "tree":
        with subprocess.Popen([sys.executable, "-I", "-S", str(STUBBORN_TREE)], stdout=subprocess.PIPE) as tree:
            agent.say((tree.stdout.readline() if tree.stdout else b"").decode())
            while True:
                agent.read()
    agent.say("waiting")
    while not agent.cancelled or rest == "ignoring":
        agent.read()


def _die(agent: Agent, rest: str) -> NoReturn:
    sys.stderr.write("last words\n")
    sys.stderr.flush()
    if rest == "in a tool":
        agent.update("tool_call", toolCallId="t", status="in_progress", kind="execute", rawInput={"command": "x"})
    if rest == "asking":
        agent.send(id=1, method="session/request_permission", params={"toolCall": {}, "options": OPTIONS})
    if rest == "mid line":
        sys.stdout.write('{"jsonrpc":"2.0","id"')
        sys.stdout.flush()
    os.abort()


def _file(agent: Agent, rest: str) -> None:
    path, _, text = rest.partition(" ")
    if text:
        agent.say(json.dumps(agent.ask("fs/write_text_file", path=path, content=text)))
    else:
        agent.say(json.dumps(agent.ask("fs/read_text_file", path=path, line=1, limit=2)))


def _asked_write(agent: Agent, path: str) -> None:
    diff = {"type": "diff", "path": path, "oldText": None, "newText": "new\n"}
    agent.permission({"toolCallId": "w", "kind": "edit", "title": "Write", "content": [diff]})
    agent.say(json.dumps(agent.ask("fs/write_text_file", path=path, content="new\n")))


def _shell(agent: Agent, command: str) -> None:
    """Ask, run a command, and stop it when the turn is cancelled."""
    call = {"toolCallId": "s", "title": "Run", "kind": "execute", "rawInput": {"command": command}}
    agent.update("tool_call", status="pending", **call)
    if agent.permission(call) not in {"yes", "always"}:
        agent.update("tool_call_update", toolCallId="s", status="failed")
        return
    agent.update("tool_call_update", toolCallId="s", status="in_progress")
    with subprocess.Popen(["/bin/sh", "-c", command]) as program:
        while program.poll() is None and not agent.cancelled:
            if select.select([sys.stdin], [], [], 0.02)[0]:
                agent.read()
        program.terminate()
    agent.update("tool_call_update", toolCallId="s", status="completed")


def _terminal(agent: Agent, rest: str) -> None:
    made = agent.ask("terminal/create", command="/bin/sh", args=["-c", rest])
    if "error" in made:
        agent.say(made["error"]["message"])
        return
    terminal = {"terminalId": made["terminalId"]}
    content = [{"type": "terminal", **terminal}]
    agent.update("tool_call", toolCallId="t", status="in_progress", kind="execute", content=content)
    status = agent.ask("terminal/wait_for_exit", **terminal)
    output = agent.ask("terminal/output", **terminal)
    agent.update("tool_call_update", toolCallId="t", status="completed")
    agent.ask("terminal/release", **terminal)
    gone = agent.ask("terminal/output", **terminal)["error"]["code"]
    agent.say(f"{status['exitCode']} {output['output'].strip()} {gone}")


def _form(agent: Agent, _rest: str) -> None:
    options = [{"const": "red", "title": "red, warm"}, {"const": "blue", "title": "blue"}]
    properties = {
        "q": {"type": "string", "title": "Colour", "oneOf": options},
        "q_custom": {"type": "string", "title": "Other"},
    }
    schema = {"type": "object", "properties": properties}
    answer = agent.ask("elicitation/create", mode="form", message="Which colour?", requestedSchema=schema)
    agent.say(json.dumps(answer))


def _plan(agent: Agent, _rest: str) -> None:
    call = {"toolCallId": "p", "kind": "switch_mode", "title": "Ready?", "rawInput": {"plan": "1. do it"}}
    options = [{**OPTIONS[1], "optionId": "auto"}, OPTIONS[0], OPTIONS[2]]
    agent.say(agent.permission(call, options))


def _cost(agent: Agent, rest: str) -> None:
    agent.cost += int(rest)
    agent.update("usage_update", used=100, size=1000, cost={"amount": agent.cost, "currency": "USD"})


def _burst(agent: Agent, _rest: str) -> str:
    """Ask and finish in one breath, without waiting for the answer."""
    call = {"toolCallId": "b", "kind": "execute", "rawInput": {"command": "x"}}
    params = {"toolCall": call, "options": OPTIONS}
    agent.send(id="q", method="session/request_permission", params=params)
    agent.update("tool_call_update", toolCallId="b", status="completed")
    return "end_turn"


def _fail(_agent: Agent, rest: str) -> NoReturn:
    code, _, text = rest.partition(" ")
    raise AgentError(int(code), text)


def _denied(agent: Agent, _rest: str) -> str:
    return "cancelled" if agent.tool("d", announced=True, kinds="") in {"no", "cancelled"} else "end_turn"


DEEDS = {
    "write": "echo written > written.txt",
    "run": "echo ran > ran.txt",
    "wait": "echo $$ > waiting.pid; exec sleep 60",
}


def _do(agent: Agent, rest: str) -> None:
    """Ask for a command, run it, and stop it when the turn is cancelled."""
    call = {"toolCallId": "do", "kind": "execute", "title": rest, "rawInput": {"command": DEEDS[rest]}}
    agent.update("tool_call", status="pending", **call)
    allowed = agent.permission(call) in {"yes", "always"}
    if allowed:
        agent.update("tool_call_update", toolCallId="do", status="in_progress")
        with subprocess.Popen(["/bin/sh", "-c", DEEDS[rest]]) as running:
            while rest == "wait" and not agent.cancelled:
                agent.read()
            if rest == "wait":
                running.kill()
    agent.update("tool_call_update", toolCallId="do", status="completed" if allowed else "failed")
    agent.say("done" if allowed else "not done")


def _ask(agent: Agent, rest: str) -> None:
    agent.tool("a", announced=True, kinds=rest)


def _ask_first(agent: Agent, rest: str) -> None:
    agent.tool("a", announced=False, kinds=rest)


def _ask_twice(agent: Agent, _rest: str) -> None:
    for call_id in ("a", "b"):
        agent.tool(call_id, announced=True, kinds="")


def _long(agent: Agent, rest: str) -> None:
    agent.say("x" * int(rest))
    agent.say("after")


PROMPTS: dict[str, Callable[[Agent, str], str | None]] = {
    "say": lambda agent, rest: agent.say(rest),
    "ask": _ask,
    "ask_first": _ask_first,
    "ask_twice": _ask_twice,
    "asked_write": _asked_write,
    "burst": _burst,
    "cost": _cost,
    "denied": _denied,
    "die": _die,
    "do": _do,
    "environment": lambda agent, rest: agent.say(os.environ.get(rest, "unset")),
    "fail": _fail,
    "file": _file,
    "flood": _flood,
    "form": _form,
    "hang": _hang,
    "heard": lambda agent, _rest: agent.say("; ".join(agent.heard)),
    "long": _long,
    "malformed": _malformed,
    "plan": _plan,
    "shell": _shell,
    "stop": lambda _agent, rest: rest,
    "terminal": _terminal,
    "todos": _todos,
    "unknown": _unknown,
}


def main() -> NoReturn:
    parser = argparse.ArgumentParser()
    parser.add_argument("--can", default="resume,modes")
    parser.add_argument("--fail", nargs=3)
    parser.add_argument("--die", default="")
    parser.add_argument("--protocol", type=int, default=1)
    Agent(parser.parse_args()).serve()


if __name__ == "__main__":
    main()
