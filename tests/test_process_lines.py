import os
import random
import sys
from pathlib import Path

import pytest

from nbharness.process import Line, LineSplitter, LineTooLong, PartialLine, read_lines, spawn
from nbharness.process.pipes import PipeReader

ENV = dict(os.environ)


def split(*blocks: bytes, max_line_bytes: int = 8) -> list[Line]:
    splitter = LineSplitter(max_line_bytes)
    return [line for block in blocks for line in splitter.feed(block)] + splitter.end()


@pytest.mark.parametrize(
    ("blocks", "lines"),
    [
        ([], []),
        ([b"a\nb\n"], [b"a", b"b"]),
        ([b"a", b"", b"b\n", b"c\n"], [b"ab", b"c"]),
        ([b"\n\na\n"], [b"", b"", b"a"]),
        ([b"a\nrest"], [b"a", PartialLine(b"rest")]),
        ([b"cut\r"], [PartialLine(b"cut\r")]),
    ],
)
def test_lines_end_at_line_feeds_and_a_cut_last_line_is_marked(blocks: list[bytes], lines: list[Line]) -> None:
    assert split(*blocks) == lines


def test_crlf_ends_a_line_wherever_the_blocks_part_and_other_cr_stay() -> None:
    assert split(b"a\r\nb\r\nc\rd\n") == [b"a", b"b", b"c\rd"]
    assert split(b"a\r", b"\nb", b"\r\n", b"\r\n") == [b"a", b"b", b""]


def test_a_line_of_exactly_the_limit_is_kept_with_either_end() -> None:
    assert split(b"12345678\n12345678\r\n") == [b"12345678", b"12345678"]
    assert split(b"12345678\r", b"\n") == [b"12345678"]


def test_an_overlong_line_is_counted_once_and_the_next_is_whole() -> None:
    assert split(b"123456789\nok\n") == [LineTooLong(9), b"ok"]
    assert split(b"12345", b"67890", b"abc", b"de\nok", b"\n") == [LineTooLong(15), b"ok"]
    assert split(b"ok\n123456789012345\nok\n") == [b"ok", LineTooLong(15), b"ok"]
    assert split(b"1234567890", b"12") == [LineTooLong(12)]
    assert split(b"123456789") == [LineTooLong(9)]
    assert split(b"123456789\r\n") == split(b"123456789", b"\r", b"\n") == [LineTooLong(10)]


def test_any_cut_into_blocks_gives_the_same_lines() -> None:
    chance = random.Random(7)  # noqa: S311 (no secret)
    text = b"".join(chance.choice([b"ab", b"\n", b"\r\n", b"\r", b"123456789"]) for _ in range(400))
    whole = split(text)
    for _ in range(50):
        cuts = sorted(chance.sample(range(len(text)), 30))
        blocks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert split(*blocks) == whole


async def test_lines_of_a_real_process_come_in_order_and_complete() -> None:
    script = "seq 1 50000; printf tail"
    async with await spawn(["sh", "-c", script], cwd="/", env=ENV) as process:
        lines = [line async for line in read_lines(process.stdout)]
    assert lines == [*(b"%d" % n for n in range(1, 50001)), PartialLine(b"tail")]


async def test_a_closed_reader_ends_the_lines_of_a_waiting_reader() -> None:
    readable, writable = os.pipe()
    reader = PipeReader(readable)
    reader._loop.call_soon(reader.close)
    assert [line async for line in read_lines(reader)] == []
    os.close(writable)


HUGE_LINE = """
import asyncio, os, resource, sys
from nbharness.process import read_lines, spawn

def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

async def main():
    write = "head -c 300000000 /dev/zero | tr '\\\\0' x; printf '\\\\nnext\\\\n'"
    async with await spawn(["sh", "-c", write], cwd="/", env=dict(os.environ)) as process:
        before = peak_mib()
        lines = [line async for line in read_lines(process.stdout)]
    assert [lines[0].bytes_dropped, *lines[1:]] == [300000000, b"next"], lines
    print(peak_mib() - before)

asyncio.run(main())
"""


async def test_a_line_of_300_mb_costs_less_than_64_mib(tmp_path: Path) -> None:
    script = tmp_path / "huge_line.py"
    script.write_text(HUGE_LINE)
    async with await spawn([sys.executable, str(script)], cwd=Path.cwd(), env=ENV) as process:
        said = [line async for line in read_lines(process.stdout)]
        status = await process.wait()
    assert status.code == 0, process.stderr_tail
    assert isinstance(said[0], bytes)
    assert float(said[0]) < 64
