"""A feed is a log: every reader sees every envelope once, in order, whenever it comes."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from nbharness.events import Envelope, MessageDelta
from nbharness.feed import Feed


def envelopes(first: int, count: int) -> list[Envelope]:
    return [Envelope(seq, "t", 0.0, MessageDelta(delta=str(seq))) for seq in range(first, first + count)]


async def read(feed: Feed, after: int = -1) -> list[int]:
    return [envelope.seq async for batch in feed.follow(after) for envelope in batch]


async def test_late_and_early_readers_see_the_same() -> None:
    feed = Feed()
    early = asyncio.gather(read(feed), read(feed, 4))
    await asyncio.sleep(0)
    for first in range(0, 100, 10):
        feed.extend(envelopes(first, 10))
        await asyncio.sleep(0)
    feed.close()
    from_start, from_five = await early
    assert from_start == list(range(100))
    assert from_five == list(range(5, 100))
    assert await read(feed, 97) == [98, 99]
    assert await read(feed, 1000) == []


async def test_a_writer_in_another_thread() -> None:
    feed = Feed()
    go = threading.Event()

    def write() -> None:
        go.wait(10)
        for first in range(0, 5000, 5):
            feed.extend(envelopes(first, 5))
        feed.close()

    writer = threading.Thread(target=write)
    writer.start()
    readers = asyncio.gather(*(read(feed) for _ in range(5)))
    go.set()
    assert await readers == [list(range(5000))] * 5
    writer.join()


def test_a_reader_in_a_thread_of_its_own_and_a_loop_that_is_gone() -> None:
    feed = Feed()

    async def first_only() -> int:
        async for batch in feed.follow():
            return batch[0].seq
        return -1

    feed.extend(envelopes(0, 1))
    assert asyncio.run(first_only()) == 0
    gc.collect()
    feed.extend(envelopes(1, 1))
    feed.close()
    assert asyncio.run(read(feed)) == [0, 1]


def test_waiting_blocks_until_there_is_more() -> None:
    feed = Feed()
    assert not feed.wait(-1, 0.01)
    later = threading.Timer(0.05, lambda: feed.extend(envelopes(0, 1)))
    later.start()
    assert feed.wait(-1, 20)
    assert not feed.wait(0, 0.01)
    feed.close()
    assert feed.wait(0, 20)


def test_a_gap_or_an_end_is_refused() -> None:
    feed = Feed()
    with pytest.raises(ValueError, match="seq 1"):
        feed.extend(envelopes(1, 1))
    feed.close()
    with pytest.raises(ValueError, match="closed: True"):
        feed.extend(envelopes(0, 1))
