"""``bash`` and ``python``: output as it comes, its limits, how they end, and that nothing stays."""

import asyncio
import os
from pathlib import Path

import pytest
from support.tools import Caller, names

from nbharness.tools import Tool, ToolContext, ToolError, ToolOutput, load_tools
from nbharness.tools.output import Capped


async def run(tool: Tool, context: ToolContext, args: dict[str, str]) -> ToolOutput:
    return await tool.run(context, args)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    return Caller(tmp_path)


async def test_bash_runs_in_the_workspace_and_shows_what_it_returns(call: Caller) -> None:
    done = await call("bash", command="pwd; echo oops >&2; exit 3")
    assert done.text == f"{call.workspace}\noops\n[exit code 3]"
    assert done.exit_code == 3
    assert "".join(call.shown) == f"{call.workspace}\noops\n"


async def test_output_comes_before_the_end(tmp_path: Path) -> None:
    seen = asyncio.Event()
    tool = load_tools(["bash"])["bash"]
    context = ToolContext(workspace=tmp_path, write=lambda _: seen.set(), environment=os.environ)
    os.mkfifo(tmp_path / "go")
    running = asyncio.create_task(run(tool, context, {"command": "echo first; cat go"}))  # noqa: TID251 (a test's own)
    await asyncio.wait_for(seen.wait(), 20)
    assert not running.done()
    (tmp_path / "go").write_text("second\n")
    assert (await running).text == "first\nsecond\n"


async def test_long_output_loses_its_middle_and_says_exactly_how_much(call: Caller) -> None:
    done = await call("bash", command="head -c 3000000 /dev/zero | tr '\\0' x; echo end")
    for text in (done.text, "".join(call.shown)):
        head, _, rest = text.partition("\n[")
        count, _, tail = rest.partition(" bytes omitted]\n")
        assert len(head) + int(count) + len(tail) == 3_000_004
        assert tail.endswith("xend\n")
    assert len(done.text) < 40_000
    assert len("".join(call.shown)) < 300_000


def test_capped_cuts_no_character_and_counts_each_byte() -> None:
    for limit in range(3, 40):
        for size in range(30):
            whole = "ä€😀x" * size
            output = Capped(limit)
            for character in whole:
                output.add(character)
            text = output.text()
            if text == whole:
                assert len(whole.encode()) <= limit
                continue
            head, _, rest = text.partition("\n[")
            count, _, tail = rest.partition(" bytes omitted]\n")
            assert whole.startswith(head)
            assert whole.endswith(tail)
            assert len(head.encode()) + int(count) + len(tail.encode()) == len(whole.encode())


async def test_a_command_that_takes_too_long_is_stopped(call: Caller) -> None:
    done = await call("bash", command="echo begun; exec sleep 600", timeout=0.5)
    assert done.text == "begun\n[stopped: it took longer than 0.5 s]"
    assert done.exit_code != 0


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("bash", {"command": "sleep 600 & setsid sleep 600 & echo $! > pid; echo up; wait"}),
        (
            "python",
            {
                "code": "import subprocess, pathlib\n"
                "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
                "pathlib.Path('pid').write_text(str(child.pid))\nprint('up')\nchild.wait()"
            },
        ),
    ],
)
async def test_an_abort_ends_the_whole_tree(tmp_path: Path, tool: str, args: dict[str, str]) -> None:
    up = asyncio.Event()
    found = load_tools([tool])[tool]
    environment = {"PATH": os.environ["PATH"]}
    context = ToolContext(workspace=tmp_path, write=lambda _: up.set(), environment=environment)
    running = asyncio.create_task(run(found, context, args))  # noqa: TID251 (a test's own)
    await asyncio.wait_for(up.wait(), 20)
    pid = int((tmp_path / "pid").read_text())
    assert is_alive(pid)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not is_alive(pid)


async def test_what_is_left_in_the_background_ends(call: Caller) -> None:
    done = await call("bash", command="sleep 600 >/dev/null 2>&1 & echo $!", timeout=20)
    assert not is_alive(int(done.text))


async def test_python_is_the_kernels_own_and_fresh(call: Caller) -> None:
    (call.workspace / "mine.py").write_text("value = 7\n")
    done = await call("python", code="import mine, msgspec\nprint(mine.value)\nx = 1")
    assert (done.text, done.exit_code) == ("7\n", 0)
    again = await call("python", code="print(x)")
    assert "NameError" in again.text
    assert again.exit_code == 1
    assert names(call.workspace) == ["mine.py"]


async def test_code_that_is_no_argument_is_refused(call: Caller) -> None:
    with pytest.raises(ToolError, match="write it to a file"):
        await call("python", code="#" * 200_000)
    with pytest.raises(ToolError, match="null byte"):
        await call("python", code="\0")
    with pytest.raises(ToolError, match="null"):
        await call("bash", command="\0")
