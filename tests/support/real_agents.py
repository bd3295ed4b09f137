"""The real programs, set up so that they talk to a fake model and to nobody else, for the conformance checks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from support.acp import claude_environment
from support.codex_home import KEY, set_up_home

from nbharness.adapters.claude import ClaudeAdapter
from nbharness.adapters.codex import CodexAdapter
from nbharness.testing.conformance import EDITED, RAN, WAITING, WRITTEN, AgentUnderTest, Task
from nbharness.testing.conformance.builtin import environment, workspace_in
from nbharness.testing.fakellm import Call, FakeLLM, Reply, Script

__all__ = ["claude", "codex", "codex_environment"]

WAIT = f'python3 -c \'import os, time; open("{WAITING}", "w").write(str(os.getpid())); time.sleep(60)\''
FLOOD = Reply(text=" ".join(str(number) for number in range(5000)))
SAID: dict[Task, str] = {"say": "Hello.", "flood": FLOOD.text}
PLAN_FILE = r"(/[^\s\"\\]+/plans/[\w-]+\.md)"
DONE = Reply(text="Done.")


def codex_environment(url: str, home: Path) -> dict[str, str]:
    """Variables with which Codex talks to a model of ours; its home is made below `home`."""
    set_up_home(home / "codex", url)
    return {"CODEX_HOME": str(home / "codex"), "HOME": str(home), KEY: "sk-not-a-key-0123456789-codex"}


@contextlib.contextmanager
def codex(folder: Path) -> Iterator[AgentUnderTest]:
    """Codex."""
    patch = f"*** Begin Patch\n*** Add File: {WRITTEN}\n+hello\n*** End Patch\n"
    plan = Reply(text="<proposed_plan>\nFirst this, then that.\n</proposed_plan>")
    steps = [{"step": "write it", "status": "in_progress"}]
    question = {"id": "colour", "header": "Colour", "question": "Which?", "options": _options("red", "blue")}
    scripts = {
        "write": [Reply(calls=[Call(tool="apply_patch", args=patch)]), DONE],
        "run": [Reply(calls=[_exec(f"touch {RAN}")]), DONE],
        "wait": [Reply(calls=[_exec(WAIT)]), DONE],
        "plan": [plan, DONE],
        "todos": [Reply(calls=[Call(tool="update_plan", args={"plan": steps})]), DONE],
        "question": [Reply(calls=[Call(tool="request_user_input", args={"questions": [question]})]), DONE],
    }
    with _model(scripts) as model, environment(folder, codex_environment(model.url, folder)):
        yield AgentUnderTest(
            create=CodexAdapter,
            workspace=workspace_in(folder),
            tasks=_tasks(scripts),
            said=SAID,
            turns={"question": {"plan_mode": True}},
        )


@contextlib.contextmanager
def claude(folder: Path) -> Iterator[AgentUnderTest]:
    """Claude Code."""
    workspace = workspace_in(folder)
    write = Call(tool="Write", args={"file_path": str(workspace / WRITTEN), "content": "hello\n"})
    plan = Call(tool="Write", args={"file_path": "@FOUND@", "content": "First this, then that.\n"})
    task = {"subject": "one", "description": "one"}
    question = {"question": "Which?", "header": "Colour", "multiSelect": False, "options": _options("red", "blue")}
    scripts = {
        "write": [Reply(thinking="A file.", text="I write. ", calls=[write]), DONE],
        "run": [Reply(calls=[_bash(f"touch {RAN}")]), DONE],
        "wait": [Reply(calls=[_bash(WAIT)]), DONE],
        "plan": [Reply(calls=[plan], find=PLAN_FILE), Reply(calls=[Call(tool="ExitPlanMode")]), DONE],
        "todos": [Reply(calls=[Call(tool="TaskCreate", args=task)]), DONE],
        "question": [Reply(calls=[Call(tool="AskUserQuestion", args={"questions": [question]})]), DONE],
    }
    with _model(scripts) as model, environment(folder, claude_environment(model.url, folder)):
        yield AgentUnderTest(
            create=ClaudeAdapter,
            workspace=workspace,
            tasks=_tasks(scripts),
            said=SAID,
            edit=edit_command,
            # Its default model is not given the tools with which it keeps a checklist.
            turn={"model": "claude-sonnet-4-5"},
        )


@contextlib.contextmanager
def _model(scripts: Mapping[str, Script]) -> Iterator[FakeLLM]:
    with FakeLLM({"say": [Reply(text="Hello.")], "flood": [FLOOD], **scripts}) as model:
        yield model


def _tasks(scripts: Mapping[str, Script]) -> Any:
    return {name: f"SCRIPT:{name}" for name in ("say", "flood", *scripts)}


def _exec(command: str) -> Call:
    asking = {"sandbox_permissions": "require_escalated", "justification": "it must"}
    return Call(tool="exec_command", args={"cmd": command, **asking})


def _bash(command: str) -> Call:
    return Call(tool="Bash", args={"command": command, "description": "Do it"})


def edit_command(args: Any) -> Any:
    """Return the arguments of a command that makes the other file."""
    return {**args, "command": args["command"].replace(RAN, EDITED)}


def _options(*labels: str) -> list[dict[str, str]]:
    return [{"label": label, "description": label} for label in labels]
