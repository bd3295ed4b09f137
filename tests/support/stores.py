"""Stores, turns and damage for the tests of the store."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

from nbharness.events import ApprovalRequired, Envelope, Event, MessageDelta, TurnStarted, Unknown
from nbharness.store import Store, TurnRecord

WRITER = Path(__file__).parents[1] / "fakes" / "store_writer.py"
AT = 1_700_000_000.0


def envelope(seq: int, event: Event | Unknown, turn_id: str = "t1") -> Envelope:
    return Envelope(seq, turn_id, AT + seq, event)


def deltas(start: int, count: int, turn_id: str = "t1") -> list[Envelope]:
    return [envelope(seq, MessageDelta(delta=f"text {seq} "), turn_id) for seq in range(start, start + count)]


def approval(id_: str = "a1", **fields: Any) -> ApprovalRequired:
    return ApprovalRequired(
        id=id_, tool_name="shell", args={"command": "ls"}, message=None, auto_approvable=False, args_hash="h1", **fields
    )


async def begin(store: Store, turn_id: str = "t1", prompt: str = "Fix the parser", **fields: Any) -> str:
    """Begin a turn in a new conversation; return the conversation's id."""
    conversation = await store.create_conversation("demo", "/work")
    await store.begin_turn(
        TurnRecord(id=turn_id, conversation_id=conversation.id, prompt=prompt, agent="demo", **fields)
    )
    await store.append(turn_id, [envelope(0, TurnStarted(prompt=prompt), turn_id)])
    return conversation.id


@contextlib.asynccontextmanager
async def opened(path: Path | None, **options: Any) -> AsyncIterator[Store]:
    """Open a store and close it whatever happens: its thread would keep the test run from ending."""
    store = await Store.open(path, **options)
    try:
        yield store
    finally:
        await store.close()


class Notices:
    """Collects a store's notices and waits for one."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._more = asyncio.Event()

    def __call__(self, text: str) -> None:
        self.texts.append(text)
        self._more.set()

    async def wait_for(self, part: str) -> None:
        async with asyncio.timeout(20):
            while not any(part in text for text in self.texts):
                self._more.clear()
                await self._more.wait()


class Writer:
    """A process that writes to a database and is killed in the end; see ``fakes/store_writer.py``."""

    def __init__(self, database: Path, turn_id: str, rounds: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WRITER), str(database), turn_id, str(rounds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def wait_for(self, line: str) -> None:
        """Wait until the process has printed a line."""
        assert self.process.stdout is not None
        assert any(printed == f"{line}\n" for printed in self.process.stdout)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def damage(path: Path, start: int, length: int) -> str:
    """Overwrite a part of a file and return its digest.

    Done by another process: a descriptor that is closed in this one would drop SQLite's locks.
    """
    program = (
        "import hashlib, sys; file = open(sys.argv[1], 'r+b'); file.seek(int(sys.argv[2]));"
        "file.write(b'\\xa5' * int(sys.argv[3])); file.seek(0); print(hashlib.sha256(file.read()).hexdigest())"
    )
    command = [sys.executable, "-c", program, str(path), str(start), str(length)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def all_bytes(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in directory.iterdir())


def mode(path: Path) -> str:
    return oct(path.stat().st_mode & 0o777)


def put_aside(directory: Path) -> list[Path]:
    """Return the databases that were put aside in a directory, without their sidecars."""
    return sorted(path for path in directory.iterdir() if re.fullmatch(r".*\.corrupt-\w+(-\d+)?", path.name))


def exists(path: Path | str) -> bool:
    return Path(path).exists()


def move(old: Path, new: Path) -> None:
    old.rename(new)
