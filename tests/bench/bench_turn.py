"""P7: a turn takes hardly longer than the bare program needs for it.

The real Claude Code, Codex and Copilot; a model of ours answers each of them with the same script: it thinks for a
second, asks for a command, thinks for a second, and says that it is done. Two turns in one conversation: the first
starts the program, the second finds it running. The yardstick is the same program with a client that does nothing but
allow what is asked, kept alive between the turns too. Ours is everything that a turn is: approval rules, feed, store,
and what changed in the workspace, which is a git repository. Once more with the first agent as ``%coder`` in a new
kernel, where the cell is timed from the request that it run to the word that it has.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import resource
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bench.bare import Bare, BareAcp, BareClaude, BareCodex
from bench.measure import ROUNDS, Ratio, Round, ratios, weather
from bench.table import Row
from support.acp import NODE, claude_environment, copilot_environment
from support.kernels import start_kernel
from support.real_agents import codex_environment

from nbharness.adapters.claude import install as claude_install
from nbharness.adapters.codex import install as codex_install
from nbharness.runtime import Runtime
from nbharness.spec import TurnSpec
from nbharness.testing.conformance.builtin import environment
from nbharness.testing.fakellm import Call, FakeLLM, Reply

__all__ = ["run"]

FIRST_GOAL, SECOND_GOAL = 1.05, 1.02
TASK = "SCRIPT:work"
THINKS_S = 1.0
AT_MOST = ROUNDS + 5


class _Time(NamedTuple):
    wall_s: float
    cpu_s: float


Times = tuple[_Time, _Time]
"""Of the first and the second turn."""


@dataclass(frozen=True, kw_only=True)
class _Agent:
    """An agent, and how it is driven bare.

    Attributes:
        name: Its name.
        command: The call with which its model runs a command.
        variables: Environment, given the model's address and a home.
        bare: The bare client.
        program: Returns its program.
        fields: Further fields of the turn's spec.
    """

    name: str
    command: Call
    variables: Callable[[str, Path], Mapping[str, str]]
    bare: type[Bare]
    program: Callable[[], Path]
    fields: Mapping[str, Any]


_AGENTS = (
    _Agent(
        name="claude",
        command=Call(tool="Bash", args={"command": "touch ran.txt", "description": "Make a file"}),
        variables=claude_environment,
        bare=BareClaude,
        program=claude_install.find_program,
        fields={"model": "claude-sonnet-4-5"},
    ),
    _Agent(
        name="codex",
        command=Call(tool="exec_command", args={"cmd": "touch ran.txt"}),
        variables=codex_environment,
        bare=BareCodex,
        program=codex_install.find_program,
        fields={},
    ),
    _Agent(
        name="copilot",
        command=Call(tool="bash", args={"command": "touch ran.txt", "description": "Make a file"}),
        variables=copilot_environment,
        bare=BareAcp,
        program=lambda: NODE / "node_modules" / ".bin" / "copilot",
        fields={},
    ),
)


def run() -> list[Row]:
    """Measure each agent, bare and with us in turns."""
    return [row for agent in _AGENTS for row in _rows(agent)]


def _rows(agent: _Agent) -> Iterator[Row]:
    goals = {"first turn": FIRST_GOAL, "second turn": SECOND_GOAL}
    names = [agent.name, f"%coder, {agent.name}"]
    with weather() as seen:
        measured, cpu_s = _measured(agent)
    for (name, (turn, goal)), found in zip(itertools.product(names, goals.items()), measured, strict=False):
        yield Row(
            bar="P7",
            what=f"{name}, {turn}, {1000 * found.more:+.0f} ms, median of {found.rounds}",
            goal=goal,
            result=found.value,
            yardstick=f"the bare program, {found.yardstick:.2f} s",
            spread=found.spread,
            is_disturbed=seen.is_bad,
        )
    yield Row(
        bar="P7",
        what=f"{agent.name}, second turn, CPU of ours over that of the bare client, git included",
        result=1000 * cpu_s,
        unit="ms",
    )


def _measured(agent: _Agent) -> tuple[list[Ratio], float]:
    """Return ratios of both turns, for the first agent those in a cell too; and the CPU that the second turn costs."""
    script = [Reply(delay_s=THINKS_S, calls=[agent.command]), Reply(delay_s=THINKS_S, text="All of it is done.")]
    with tempfile.TemporaryDirectory() as place, FakeLLM({"work": script}) as model:
        folder = Path(place)
        with environment(folder, agent.variables(model.url, folder)):
            workspace = _workspace(folder / "workspace")
            sides = [functools.partial(_bare, agent, workspace), functools.partial(_ours, agent, workspace, folder)]
            if agent is _AGENTS[0]:
                sides.append(functools.partial(_in_cells, agent, workspace))
            for side in sides:
                side()  # what is unpacked, imported and compiled once and for all is nobody's turn
            cpu_s: list[float] = []

            def measure() -> list[Round]:
                # Whoever comes second finds the files of the program in memory.
                order = 1 if len(cpu_s) % 2 else -1
                bare, *others = [side() for side in sides[::order]][::order]
                cpu_s.append(others[0][1].cpu_s - bare[1].cpu_s)
                return [
                    (before.wall_s, after.wall_s) for ours in others for before, after in zip(bare, ours, strict=True)
                ]

            return ratios(measure, at_most=AT_MOST), statistics.median(cpu_s)


def _workspace(folder: Path) -> Path:
    folder.mkdir()
    for number in range(100):
        (folder / f"module{number}.py").write_text(f"VALUE = {number}\n")
    git = ["git", "-C", str(folder), "-c", "user.name=b", "-c", "user.email=b@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True)
    return folder


def _bare(agent: _Agent, workspace: Path) -> Times:
    with agent.bare(agent.program(), workspace, os.environ) as bare:
        return _both(workspace, lambda: bare.turn(TASK))


def _ours(agent: _Agent, workspace: Path, folder: Path) -> Times:
    conversation: str | None = None

    def turn() -> None:
        nonlocal conversation
        spec = TurnSpec(
            task=TASK,
            agent=agent.name,
            workspace=workspace,
            approval_mode="off",
            trust_project=True,
            conversation=conversation,
            **agent.fields,
        )
        handle = runtime.start(spec)
        result = handle.result(timeout=60)
        assert result.status == "completed", result
        conversation = handle.conversation_id

    with contextlib.closing(Runtime(folder / "store.db")) as runtime:
        return _both(workspace, turn)


def _in_cells(agent: _Agent, workspace: Path) -> Times:
    options = ["--agent", agent.name, "--approval", "off", "--workspace", str(workspace)]
    for name, value in agent.fields.items():
        options += [f"--{name}", str(value)]
    with tempfile.TemporaryDirectory() as place, start_kernel("python3", Path(place)) as kernel:
        said = kernel.run("%load_ext nbharness")
        assert not said, said
        return _both(workspace, lambda: kernel.finish(kernel.submit(f"%coder {shlex.join(options)} {TASK}")))


def _both(workspace: Path, turn: Callable[[], object]) -> Times:
    return _timed(workspace, turn), _timed(workspace, turn)


def _timed(workspace: Path, turn: Callable[[], object]) -> _Time:
    made = workspace / "ran.txt"
    made.unlink(missing_ok=True)
    wall_s, cpu_s = time.perf_counter(), _cpu_s()
    turn()
    took = _Time(time.perf_counter() - wall_s, _cpu_s() - cpu_s)
    assert made.exists(), "the command did not run"
    return took


def _cpu_s() -> float:
    """Return the processor seconds of this process and of its children that have ended; an agent that runs is none."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
