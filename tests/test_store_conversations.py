"""Conversations and turns in the store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from support.stores import begin, deltas

from nbharness.errors import ConfigError, StoreError, UnknownName
from nbharness.store import Store, TurnRecord, guess_title


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "store.db")
    yield opened
    await opened.close()


async def test_a_conversation_is_kept(store: Store, tmp_path: Path) -> None:
    made = await store.create_conversation("demo", "/work")
    assert await store.get_conversation(made.id) == made
    await store.set_session(made.id, "session-7")
    await store.close()
    again = await Store.open(tmp_path / "store.db")
    kept = await again.get_conversation(made.id)
    assert (kept.session_id, kept.agent, kept.workspace, kept.archived) == ("session-7", "demo", "/work", False)
    await again.close()


async def test_the_first_turn_names_it_and_a_given_title_stays(store: Store) -> None:
    untitled = await begin(store, prompt="\n  Fix   the parser\nand the tests")
    titled = (await store.create_conversation("demo", "/work", title="Mine")).id
    await store.begin_turn(TurnRecord(id="t2", conversation_id=titled, prompt="Something", agent="demo"))
    await store.begin_turn(TurnRecord(id="t3", conversation_id=untitled, prompt="Another thing", agent="demo"))
    assert (await store.get_conversation(untitled)).title == "Fix the parser"
    assert (await store.get_conversation(titled)).title == "Mine"
    assert (await store.get_conversation(untitled)).turn_count == 2


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("", ""),
        ("short", "short"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("word " * 20, "word word word word word word word word word word word…"),
        ("a " + "b" * 80, "a " + "b" * 57 + "…"),
    ],
)
def test_title_guess(prompt: str, title: str) -> None:
    assert guess_title(prompt) == title


async def test_newest_first_by_last_activity(store: Store) -> None:
    first = (await store.create_conversation("demo", "/work")).id
    second = (await store.create_conversation("demo", "/work")).id
    assert [one.id for one in await store.list_conversations()] == [second, first]
    await store.begin_turn(TurnRecord(id="t1", conversation_id=first, prompt="more", agent="demo"))
    assert [one.id for one in await store.list_conversations()] == [first, second]


async def test_archive_hides_and_brings_back(store: Store) -> None:
    kept, away = [(await store.create_conversation("demo", "/work")).id for _ in range(2)]
    await store.archive(away)
    assert [one.id for one in await store.list_conversations()] == [kept]
    assert [one.id for one in await store.list_conversations(archived=True)] == [away]
    assert len(await store.list_conversations(archived=None)) == 2
    await store.archive(away, archived=False)
    assert len(await store.list_conversations()) == 2


async def test_rename(store: Store) -> None:
    made = await store.create_conversation("demo", "/work", title="Old")
    await store.rename(made.id[:5], "  New\nname ")
    assert (await store.get_conversation(made.id)).title == "New name"
    with pytest.raises(ConfigError, match="must not be empty: ' '"):
        await store.rename(made.id, " ")


async def test_delete_removes_everything_of_it_and_nothing_else(store: Store) -> None:
    gone, kept = await begin(store, "t1"), await begin(store, "t2")
    await store.append("t1", deltas(1, 3, "t1"))
    with pytest.raises(StoreError, match="has a running turn"):
        await store.delete(gone)
    await store.end_turn("t1", "completed")
    await store.delete(gone)
    assert [one.id for one in await store.list_conversations(archived=None)] == [kept]
    assert (await store.turns(gone), await store.events("t1")) == ([], [])
    assert len(await store.events("t2")) == 1


async def test_found_by_id_title_or_beginning_of_the_id(store: Store) -> None:
    one = await store.create_conversation("demo", "/work", title="Parser")
    assert await store.get_conversation("parser") == one
    assert await store.get_conversation(one.id[:6]) == one
    with pytest.raises(UnknownName) as unknown:
        await store.get_conversation("%")
    assert str(unknown.value) == f"unknown conversation: '%'. Valid: {one.id} (Parser)"
    with pytest.raises(UnknownName):
        await store.get_conversation("")


async def test_several_matches_are_listed(store: Store) -> None:
    first, second = [await store.create_conversation("demo", "/work", title="Same") for _ in range(2)]
    with pytest.raises(ConfigError) as caught:
        await store.get_conversation("same")
    assert f"'same' could be any of: {second.id} (Same), {first.id} (Same). Use more of the id." in str(caught.value)
    for _ in range(16):  # 17 ids have 16 first digits at most, so two begin alike
        await store.create_conversation("demo", "/work")
    ids = [one.id for one in await store.list_conversations()]
    shared = next(id_[0] for id_ in ids if sum(other.startswith(id_[0]) for other in ids) > 1)
    with pytest.raises(ConfigError, match=f"'{shared}' could be any of"):
        await store.get_conversation(shared)


async def test_turns_in_order_with_their_facts(store: Store) -> None:
    conversation = await begin(store, "t1", started_at=10.0, model="m", notebook="a.ipynb", cell_id="c1")
    await store.begin_turn(
        TurnRecord(
            id="t2",
            conversation_id=conversation,
            prompt="two",
            agent="demo",
            started_at=11.0,
            notebook="a.ipynb",
            cell_id="c1",
        )
    )
    await store.end_turn("t1", "completed", '{"status":"completed"}')
    await store.end_turn("t1", "error", None)
    first, second = await store.turns(conversation)
    assert (first.id, first.status, first.result, first.model) == ("t1", "completed", '{"status":"completed"}', "m")
    assert first.ended_at is not None
    assert (second.status, second.ended_at, second.result) == ("running", None, None)
    assert await store.latest_turn("a.ipynb", "c1") == second
    assert await store.latest_turn("a.ipynb") == second
    assert await store.latest_turn("a.ipynb", "c2") is None
    assert await store.get_turn("t1") == first
    with pytest.raises(UnknownName, match=r"unknown turn: 't9'\. Valid: t1, t2"):
        await store.get_turn("t9")


async def test_using_a_closed_store_is_one_clear_error(store: Store) -> None:
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        await store.list_conversations()
    with pytest.raises(StoreError, match="the store is closed"):
        await store.append("t1", deltas(0, 1))
    with pytest.raises(StoreError, match="the store is closed"):
        await store.set_session("c", "s")
