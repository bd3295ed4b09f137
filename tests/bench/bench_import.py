"""P11: what it costs to have nbharness, before it does anything.

Imports are measured where they happen, each in a fresh process: a running kernel, which has most of what both need, and
a bare interpreter, which has nothing.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.measure import Ratio, ratio
from bench.table import Row
from support.kernels import start_kernel

__all__ = ["run"]

HEAVY = ("acp", "anthropic", "claude_agent_sdk", "nbformat", "openai", "pydantic", "pygments", "tornado.web")
GOAL, VERSION_GOAL = 1.3, 4.0

_IMPORT = "import anywidget"
_LOAD = "get_ipython().run_line_magic('load_ext', 'nbharness')"
_SHELL = "from IPython.core.interactiveshell import InteractiveShell as S; get_ipython = S.instance; get_ipython()"
# Prints the processor seconds, and which of the heavy modules came in with it.
_TIMED = f"""
import json as _json, sys as _sys, time as _time
_had = set(_sys.modules)
_began = _time.process_time()
{{code}}
_spent = _time.process_time() - _began
print("SPENT", _json.dumps([_spent, sorted(set({HEAVY!r}) & (set(_sys.modules) - _had))]))
"""


def run() -> list[Row]:
    """Measure in kernels, in bare interpreters, and from the command line."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        in_kernel, brought = _compare(lambda code: _in_kernel(code, home))
        bare, brought_bare = _compare(lambda code: _in_python(code, home))
        program = str(Path(sys.executable).with_name("nbharness"))
        version = ratio(lambda: (_program([sys.executable, "-c", "pass"]), _program([program, "--version"])))
    heavy = sorted({*brought, *brought_bare})
    return [
        _row("import nbharness + %load_ext in a kernel, CPU", GOAL, in_kernel, "import anywidget there"),
        _row("the same in a bare IPython shell, CPU", GOAL, bare, "import anywidget there"),
        Row(
            bar="P11", what=f"heavy modules that come with it {heavy or ''}", goal=0, result=len(heavy), unit="modules"
        ),
        _row("nbharness --version, CPU", VERSION_GOAL, version, "python -c pass"),
    ]


def _row(what: str, goal: float, measured: Ratio, yardstick: str) -> Row:
    return Row(
        bar="P11",
        what=what,
        goal=goal,
        result=measured.value,
        yardstick=f"{yardstick}, {1000 * measured.yardstick:.0f} ms",
        spread=measured.spread,
    )


def _compare(measure: Callable[[str], tuple[float, list[str]]]) -> tuple[Ratio, set[str]]:
    """Return how loading the extension compares with importing anywidget, and the heavy modules that it brought."""
    brought: set[str] = set()

    def both() -> tuple[float, float]:
        yardstick, _ = measure(_IMPORT)
        ours, heavy = measure(_LOAD)
        brought.update(heavy)
        return yardstick, ours

    return ratio(both), brought


def _in_kernel(code: str, home: Path) -> tuple[float, list[str]]:
    with tempfile.TemporaryDirectory(dir=home) as place, start_kernel("python3", Path(place)) as kernel:
        return _spent(kernel.run(_TIMED.format(code=code)))


def _in_python(code: str, home: Path) -> tuple[float, list[str]]:
    program = f"{_SHELL}\n{_TIMED.format(code=code)}"
    environment = {**os.environ, "IPYTHONDIR": str(home / "ipython"), "NBHARNESS_HOME": str(home / "nbharness")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return _spent(done.stdout)


def _spent(said: str) -> tuple[float, list[str]]:
    _, found, figures = said.partition("SPENT ")
    assert found, said
    seconds, heavy = json.loads(figures)
    return seconds, heavy


def _program(command: list[str]) -> float:
    """Return the processor seconds of a program, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
