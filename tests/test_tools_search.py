"""``glob``, ``grep`` and their patterns."""

import asyncio
import time
from pathlib import Path

import pytest
from support.tools import Caller

from nbharness.tools import ToolContext, ToolError, load_tools
from nbharness.tools.patterns import Ignored, matches, pattern_of


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    place = tmp_path / "ws"
    files = {
        "README.md": "total = 1\n", "src/shop.py": "def total(items):\n    return sum(items)\n", "src/web/app.tsx": "x",
        "src/web/app.ts": "x", "build/out.py": "total", "build/keep.py": "total", ".hidden/a.py": "hidden total",
        ".gitignore": "/build/*\n!keep.py\n*.log\n", "src/.gitignore": "web/*.ts\n", "a.log": "total",
        ".git/config": "total",
    }  # fmt: skip
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (place / "binary").write_bytes(b"total\0")
    (tmp_path / "secret.py").write_text("total secret")
    (place / "link.py").symlink_to("../secret.py")
    (place / "up").symlink_to("..")
    return Caller(place)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", [".hidden/a.py", "build/keep.py", "src/shop.py"]),
        ("src/*", ["src/.gitignore", "src/shop.py"]),
        ("src/**/*.{ts,tsx}", ["src/web/app.tsx"]),
        ("**/shop.py", ["src/shop.py"]),
        ("./README.md", ["README.md"]),
        ("nothing", ["(no files)"]),
    ],
)
async def test_glob(call: Caller, pattern: str, found: list[str]) -> None:
    assert sorted((await call("glob", pattern=pattern)).text.splitlines()) == found


async def test_glob_below_a_directory_keeps_the_rules_above_it(call: Caller) -> None:
    assert (await call("glob", pattern="*", path="build")).text == "build/keep.py"
    assert (await call("glob", pattern="*", path="build", ignored=True)).text == "build/keep.py\nbuild/out.py"


async def test_glob_says_how_many_more_there_are(call: Caller) -> None:
    for number in range(503):
        (call.workspace / f"n{number:03}.dat").write_text("")
    assert (await call("glob", pattern="*.dat")).text.endswith("n499.dat\n[3 more files]")


async def test_grep_names_file_and_line(call: Caller) -> None:
    text = (await call("grep", pattern="^def total|SUM", ignore_case=True, files="*.py")).text
    assert text == "src/shop.py:1:def total(items):\nsrc/shop.py:2:    return sum(items)"


async def test_grep_searches_neither_links_nor_git_nor_what_is_ignored_and_says_what_it_cannot(call: Caller) -> None:
    found = (await call("grep", pattern="total")).text.splitlines()
    files = [".hidden/a.py", "README.md", "build/keep.py", "src/shop.py"]
    assert sorted(line.partition(":")[0] for line in found[:-1]) == files
    assert found[-1].startswith("[1 files were not searched")


async def test_grep_of_one_file_and_of_none(call: Caller) -> None:
    assert (await call("grep", pattern="total", path="a.log")).text == "a.log:1:total"
    assert (await call("grep", pattern="nowhere")).text.startswith("(nothing found)")
    with pytest.raises(ToolError, match="no regular expression"):
        await call("grep", pattern="(")
    with pytest.raises(ToolError, match="no such file"):
        await call("grep", pattern="x", path="none")


async def test_grep_counts_what_it_leaves_out(call: Caller) -> None:
    (call.workspace / "many").write_text("hit\n" * 1000)
    text = (await call("grep", pattern="hit", path="many")).text
    assert text.endswith("many:300:hit\n[700 more lines]")


async def test_a_pattern_that_never_ends_is_given_up_and_holds_nobody_up(call: Caller) -> None:
    (call.workspace / "bad").write_text("a" * 5000 + "!")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())  # noqa: TID251 (a test's own)
    with pytest.raises(ToolError, match="takes too long"):
        await call("grep", pattern="(a|a)+(a|aa)+$", path="bad")
    ticking.cancel()
    assert ticks > 10


async def test_an_aborted_search_ends(call: Caller) -> None:
    (call.workspace / "bad").write_text("a" * 5000 + "!")
    tool = load_tools(["grep"])["grep"]
    context = ToolContext(workspace=call.workspace, write=print, environment={})
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await tool.run(context, {"pattern": "(a|a)+(a|aa)+$"})


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "src/../../*", "{a,b}" * 10])
async def test_a_pattern_that_leads_elsewhere_is_refused(call: Caller, pattern: str) -> None:
    with pytest.raises(ToolError):
        await call("glob", pattern=pattern)


def test_no_pattern_blows_up() -> None:
    began = time.process_time()
    assert not matches(pattern_of("*a" * 100 + "b"), ["a" * 250])
    assert not matches(pattern_of("**/" * 100 + "b"), ["a"] * 250)
    assert time.process_time() - began < 30


@pytest.mark.parametrize(
    ("line", "path", "holds"),
    [
        ("*.py", "a/b.py", True), ("/a", "x/a", False), ("a/b", "x/a/b", False), ("**/a", "x/y/a", True),
        ("a/**", "a", False), ("a/**", "a/b", True), ("a/**/b", "a/b", True), ("\\#x", "#x", True),
        ("# x", "# x", False), ("[ab]", "b", True), ("[!a]", "a", False), ("a?", "ab", True),
        ("x  ", "x", True), ("doc/", "doc", True),
    ],
)  # fmt: skip
def test_lines_of_gitignore(line: str, path: str, *, holds: bool) -> None:
    assert any(matches(each.pattern, path.split("/")) for each in Ignored.read(line)) is holds
