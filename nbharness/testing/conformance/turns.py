"""Checks of what an agent says and of the sessions in which it says it."""

from __future__ import annotations

import asyncio
import time

from nbharness.events import ApprovalRequired, Event, MessageQueued, MessageUser, Unknown, Usage
from nbharness.handle import CodingHandle
from nbharness.inputs import Message
from nbharness.testing.conformance.bench import Bench, NotCheckedError, Ran, expect

__all__ = [
    "forks",
    "hears_what_waited",
    "opening_starts_nothing",
    "says",
    "second_turn_starts_nothing",
    "status_is_quick",
    "steers",
    "takes_up_a_session",
]

_STATUS_S = 1.0
_USAGE_SLACK = 1.5


def status_is_quick(bench: Bench) -> None:
    """The status comes within a second, says that the agent is there, and starts nothing."""
    began = time.monotonic()
    status = bench.adapter.status()
    took_s = time.monotonic() - began
    expect(took_s < _STATUS_S, f"status() took {took_s:.1f} s")
    expect(status.installed, f"status() says that the agent is not installed: {status}")
    expect(not bench.processes.all(), "status() left a process")


def opening_starts_nothing(bench: Bench) -> None:
    """Opening a session starts no process, and closing it right away is fine."""

    async def open_and_close() -> None:
        session = await bench.adapter.open_session(bench.agent.workspace)
        expect(not bench.processes.all(), "opening a session started a process")
        await session.close()

    asyncio.run(open_and_close())


def says(bench: Bench) -> None:
    """A turn completes with the agent's answer, every character of it."""
    ran = completed(bench.run("say"))
    wanted = bench.agent.said.get("say")
    expect(wanted in {None, ran.result.output.text}, f"the answer is {ran.result.output.text!r}, not {wanted!r}")


def second_turn_starts_nothing(bench: Bench) -> None:
    """A second turn uses the same process and session, and counts its own tokens, not the session's."""
    first = completed(bench.run("say"))
    agents = bench.processes.agents()
    second = completed(bench.run("say", conversation=first.conversation))
    expect(bench.processes.agents() == agents, f"agents {agents} became {bench.processes.agents()}")
    expect(first.result.session_id == second.result.session_id, "the session id changed")
    spent, again = _tokens(first), _tokens(second)
    told = f"the same turn cost {spent} tokens and then {again}: usage must be of one turn, not of the session"
    expect(not spent or again <= spent * _USAGE_SLACK, told)


def takes_up_a_session(bench: Bench) -> None:
    """A session is taken up by its id, by another process of ours."""
    if not bench.adapter.capabilities.resume:
        raise NotCheckedError("does not resume")
    first = completed(bench.run("say"))
    bench.close()
    with Bench(bench.agent, bench.processes) as later:
        second = completed(later.run("say", session_id=first.result.session_id))
        ids = (first.result.session_id, second.result.session_id)
        expect(ids[0] == ids[1], f"session {ids[0]!r} was taken up as {ids[1]!r}")


def forks(bench: Bench) -> None:
    """A fork has a session of its own, and the original goes on."""
    if not bench.adapter.capabilities.fork:
        raise NotCheckedError("does not fork")
    first = completed(bench.run("say"))
    copy = completed(bench.run("say", conversation=first.conversation, fork=True))
    expect(copy.result.session_id != first.result.session_id, "the fork has the id of the original")
    again = completed(bench.run("say", conversation=first.conversation))
    expect(again.result.session_id == first.result.session_id, "the original changed its id")


def steers(bench: Bench) -> None:
    """A message sent while the agent works reaches it in the same turn."""
    if not bench.adapter.capabilities.steer:
        raise NotCheckedError("takes no messages while it works")
    said = False

    def speak(event: object, handle: object) -> None:
        nonlocal said
        if getattr(event, "type", "") == "tool.start" and not said:
            said = True
            handle.send(Message(text="and one more thing"))  # type: ignore[attr-defined]

    ran = completed(bench.run("write", watch=speak))
    heard = [event.text for event in ran.events if isinstance(event, MessageUser)]
    expect(said, "no tool call, so there was no moment to speak")
    expect(heard == ["and one more thing"], f"the agent heard {heard}")


def hears_what_waited(bench: Bench) -> None:
    """A message that waits for the end of the answer is heard then, in the same turn."""
    if not bench.adapter.capabilities.approvals:
        raise NotCheckedError("does not ask for approvals, so there is no sure moment to speak")
    said = False

    def speak(event: Event | Unknown, handle: CodingHandle) -> None:
        nonlocal said
        if isinstance(event, ApprovalRequired) and not said:
            said = True
            handle.send(Message(text=bench.prompt("say"), when="after"))

    ran = completed(bench.run("write", watch=speak))
    queued = [event.id for event in ran.events if isinstance(event, MessageQueued)]
    heard = [event.id for event in ran.events if isinstance(event, MessageUser)]
    expect(len(queued) == 1 and heard == queued, f"messages {queued} waited, and {heard} were heard")
    expect(bench.written.is_file(), f"{bench.written.name} was not written, so the message did not wait for the answer")
    wanted = bench.agent.said.get("say")
    expect(wanted in {None, ran.result.output.text}, f"the answer is {ran.result.output.text!r}, not {wanted!r}")


def completed(ran: Ran) -> Ran:
    """Return a turn that must have completed."""
    expect(ran.result.status == "completed", f"the turn ended {ran}")
    return ran


def _tokens(ran: Ran) -> int:
    usage = ran.result.usage
    return usage.output_tokens if isinstance(usage, Usage) and isinstance(usage.output_tokens, int) else 0
