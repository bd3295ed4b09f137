"""The size budgets: small files, short functions, no import cycles, a package that costs nothing to import."""

import ast
import graphlib
import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import grimp
import pytest

import nbharness

Node = TypeVar("Node", bound=ast.AST)

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "nbharness"

FILE_LINES, FILE_MEDIAN = 400, 150
FUNCTION_LINES, FUNCTION_P90 = 50, 30
PUBLIC_NAMES = 20

# A broad except turns whatever a foreign part did into an event: only where foreign code is called
# (repair calls the `__str__` of what an SDK handed over, load runs a project's Python).
BOUNDARIES = re.compile(
    r"nbharness/(adapters/.*|agents/load|turn|notebook/.*|server/.*|tool_server/offer|watch/inbox|events/repair)\.py"
)

# Heavy, or a host's: none of them may be loaded by `import nbharness`.
HEAVY = {
    *("IPython", "acp", "aiosqlite", "anthropic", "anywidget", "claude_agent_sdk", "comm", "google", "ipykernel"),
    *("ipywidgets", "jupyter_client", "jupyter_server", "nbformat", "openai", "platformdirs", "pydantic", "pygments"),
    *("sqlite3", "tornado", "traitlets", "zmq"),
}


def code_files() -> list[Path]:
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "js").glob("*.py")]
    for kind in ("*.ts", "*.tsx", "*.css"):
        files += (ROOT / "js" / "src").rglob(kind)
    return sorted(file for file in files if ".gen." not in file.name and "golden" not in file.parts)


def length(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def nodes(kind: type[Node]) -> Iterator[tuple[Path, Node]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, kind):
                yield file, node


def functions() -> dict[str, int]:
    return {
        f"{file.relative_to(ROOT)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file, node in nodes(ast.stmt)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_no_file_is_long() -> None:
    long = {str(file.relative_to(ROOT)): n for file in code_files() if (n := length(file)) > FILE_LINES}
    assert not long


def test_the_usual_file_is_short() -> None:
    assert statistics.median(map(length, PACKAGE.rglob("*.py"))) <= FILE_MEDIAN


def test_no_function_is_long() -> None:
    assert not {name: lines for name, lines in functions().items() if lines > FUNCTION_LINES}


def test_the_usual_function_is_short() -> None:
    lengths = sorted(functions().values())
    assert lengths[len(lengths) * 9 // 10] <= FUNCTION_P90


def test_no_import_cycle() -> None:
    graph = grimp.build_graph("nbharness", cache_dir=None)
    edges = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        pytest.fail("import cycle: " + " <- ".join(error.args[1]))


def test_broad_except_only_at_the_boundaries() -> None:
    strays = [
        f"{name}:{node.lineno}"
        for file, node in nodes(ast.ExceptHandler)
        if ast.unparse(node.type or ast.Name("Exception")) in {"Exception", "BaseException"}
        if not BOUNDARIES.fullmatch(name := file.relative_to(ROOT).as_posix())
    ]
    assert not strays


def test_few_public_names() -> None:
    assert len(nbharness.__all__) <= PUBLIC_NAMES


def test_importing_does_nothing_and_loads_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import json, sys, threading, nbharness;"
        "print(json.dumps([sorted({m.partition('.')[0] for m in sys.modules}), threading.active_count()]))"
    )
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | home, capture_output=True, text=True, check=True
    )
    loaded, threads = json.loads(done.stdout)
    assert not HEAVY & set(loaded)
    assert threads == 1
    assert done.stderr == ""
    assert not list(tmp_path.iterdir())
