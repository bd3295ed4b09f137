"""Checks of how turns end when they do not end well: stopped, killed, flooded, fed with rubbish."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nbharness.budget import Budget, total_tokens
from nbharness.events import TERMINAL_EVENTS, ApprovalRequired, Event, ToolEnd, Unknown, UsageUpdated
from nbharness.handle import CodingHandle
from nbharness.testing.conformance.bench import Bench, NotCheckedError, Ran, approves, expect, ignores
from nbharness.testing.conformance.processes import survivors
from nbharness.testing.conformance.subject import WAITING, Task
from nbharness.testing.conformance.turns import completed

__all__ = [
    "aborted_while_asking",
    "aborted_while_running",
    "flooded",
    "killed_at_each_step",
    "long_line",
    "malformed",
    "stops_at_its_budget",
]

_GONE_S = 2.0
_SETTLED_S = 2.5
_POLL_S = 0.02
_MAX_GROWTH_BYTES = 64 * 1024 * 1024


def aborted_while_asking(bench: Bench) -> None:
    """A turn that waits for an answer can be aborted; nothing is changed, and the conversation goes on."""
    _needs_asking(bench)
    ran, took_s = _aborted_at(bench, "write", ApprovalRequired)
    expect(took_s < _SETTLED_S, f"it took {took_s:.1f} s to settle")
    expect(not bench.written.exists(), f"{bench.written.name} was written after the abort")
    completed(bench.run("say", conversation=ran.conversation))


def aborted_while_running(bench: Bench) -> None:
    """A command that runs is gone 2 s after the abort, and the conversation goes on."""
    handle = bench.start("wait")
    ids: list[int] = []
    aborted_at = 0.0

    def abort_when_it_runs() -> None:
        nonlocal aborted_at
        ids.append(_process_id(bench.file(WAITING), handle, bench.agent.patience_s))
        aborted_at = time.monotonic()
        handle.abort()

    with ThreadPoolExecutor(1) as beside:
        watching = beside.submit(abort_when_it_runs)
        ran = bench.follow(handle, approves)
        watching.result()
    took_s = time.monotonic() - aborted_at
    expect(ran.result.status == "aborted", f"the turn ended {ran}")
    left = survivors(ids, max(0.1, _GONE_S - took_s))
    expect(not left, f"the command still runs {_GONE_S:g} s after the abort, process {left}")
    expect(took_s < _SETTLED_S, f"it took {took_s:.1f} s to settle")
    completed(bench.run("say", conversation=ran.conversation))


def stops_at_its_budget(bench: Bench) -> None:
    """A turn that uses more than it may is stopped by the usage that says so, and the conversation goes on."""
    first = completed(bench.run("say"))
    if not any(isinstance(event, UsageUpdated) and (total_tokens(event.usage) or 0) > 1 for event in first.events):
        raise NotCheckedError("does not say while it works how many tokens it uses")
    ran = bench.run("say", budget=Budget(max_tokens=1), conversation=first.conversation)
    expect((ran.result.status, ran.code) == ("aborted", "budget"), f"with a budget of 1 token, the turn ended {ran}")
    completed(bench.run("say", conversation=first.conversation))


def killed_at_each_step(bench: Bench) -> None:
    """Killed at any step of a turn, the agent fails that turn, once; the next one takes the session up again."""
    first = bench.run("write")
    if not bench.processes.agents():
        raise NotCheckedError("there is no process to kill")
    steps = list(dict.fromkeys(first.types[1:-1]))
    conversation, failures = first.conversation, 0
    for step in steps:
        bench.written.unlink(missing_ok=True)
        ran = _killed_at(bench, step, conversation)
        failures += ran.code == "agent_exited"
        told = f"killed at {step}, the turn ended {ran}"
        expect(ran.code in {"", "agent_exited"}, told)
        expect(step != "approval.required" or ran.code == "agent_exited", told)
        after = bench.run("say", conversation=conversation)
        expect(after.result.status == "completed", f"the turn after the one killed at {step} ended {after}")
        if bench.adapter.capabilities.resume:
            ids = (first.result.session_id, after.result.session_id)
            expect(ids[0] == ids[1], f"killed at {step}, session {ids[0]!r} came back as {ids[1]!r}")
    expect(failures, f"no kill at {steps} was noticed")


def flooded(bench: Bench) -> None:
    """A great many small pieces arrive whole and in order."""
    ran = completed(bench.run("flood"))
    wanted, got = bench.agent.said.get("flood"), ran.result.output.text
    expect(wanted in {None, got}, f"{len(wanted or '')} characters were said, {len(got)} arrived, or not the same")


def malformed(bench: Bench) -> None:
    """Lines that are no messages do not end the turn."""
    completed(bench.run("malformed"))


def long_line(bench: Bench) -> None:
    """A line of 300 MB costs little memory, and the turn settles."""
    bench.run("say")
    before = _peak_bytes()
    bench.run("long_line")
    grown = _peak_bytes() - before
    expect(grown < _MAX_GROWTH_BYTES, f"memory grew by {grown / 2**20:.0f} MiB")


def _aborted_at(bench: Bench, task: Task, kind: type[Event]) -> tuple[Ran, float]:
    at = 0.0

    def abort(event: Event | Unknown, handle: CodingHandle) -> None:
        nonlocal at
        if isinstance(event, kind) and not at:
            at = time.monotonic()
            handle.abort()

    ran = bench.run(task, person=ignores, watch=abort)
    expect(ran.result.status == "aborted", f"the turn ended {ran}")
    return ran, time.monotonic() - at


def _killed_at(bench: Bench, step: str, conversation: str) -> Ran:
    killed = 0

    def kill(event: Event | Unknown, _handle: CodingHandle) -> None:
        nonlocal killed
        if event.type == step and not killed:
            killed = bench.processes.kill_agent()

    waits = step == "approval.required"
    ran = bench.run("write", person=ignores if waits else None, watch=kill, conversation=conversation)
    left = survivors([killed], _GONE_S)
    expect(not left, f"process {left} lives though it was killed")
    ends = [event for event in ran.events if isinstance(event, TERMINAL_EVENTS)]
    expect(len(ends) == 1, f"{len(ends)} terminal events")
    made = any(isinstance(event, ToolEnd) and not event.is_error for event in ran.events)
    expect(made or not waits or not bench.written.exists(), "the file was written though nobody approved")
    return ran


def _process_id(file: Path, handle: CodingHandle, patience_s: float) -> int:
    """Wait until a command has written its process id."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline and not handle.done:
        if file.exists() and (text := file.read_text().strip()):
            return int(text)
        time.sleep(_POLL_S)
    return 0


def _peak_bytes() -> int:
    """Return the most memory that this process ever held; Linux."""
    status = Path(f"/proc/{os.getpid()}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def _needs_asking(bench: Bench) -> None:
    if not bench.adapter.capabilities.approvals:
        raise NotCheckedError("does not ask for approvals")
