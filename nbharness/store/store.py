"""The store: what was said and done, kept in one SQLite file."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from nbharness.config import load
from nbharness.errors import ConfigError, StoreError
from nbharness.events import Envelope
from nbharness.store import queries, statements
from nbharness.store.database import Database, Statement
from nbharness.store.event_rows import Redact, redacted_json
from nbharness.store.failures import Corrupt, NoRoom
from nbharness.store.group_commit import GroupCommit
from nbharness.store.interrupted import settle_interrupted
from nbharness.store.records import ApprovalRecord, ConversationRecord, TurnRecord
from nbharness.store.split_secrets import masked_across
from nbharness.usage import TurnUsage

__all__ = ["Store"]

_log = logging.getLogger(__name__)

_CLOSE_S = 0.8
"""Seconds that closing may spend writing; a process that exits waits no longer than a second in all."""

_TITLE_CHARS = 200
_KEPT = "Nothing is lost: what happens is kept in memory and written when possible."


class Store:
    """Conversations, turns, events and approvals. Made by :meth:`open`.

    Everything belongs to the loop that opened it, closing too. The event log is the truth; the tables beside it answer
    questions fast. A disk that fails does not raise where turns are recorded: what cannot be written waits in memory,
    :attr:`notice` says so, and it is written as soon as that works.

    Attributes:
        location: Path of the database, or ``:memory:``.
    """

    def __init__(self, redactor: Redact | None, on_notice: Callable[[str], None] | None) -> None:
        self.location = ""
        self._redact = redactor
        self._on_notice = on_notice
        self._lasting: str | None = None
        self._trouble: str | None = None
        self._running: dict[str, TurnRecord] = {}
        self._database: Database
        self._writes: GroupCommit

    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        redactor: Redact | None = None,
        on_notice: Callable[[str], None] | None = None,
    ) -> Store:
        """Open the store, created when needed, and settle the turns of processes that died.

        Where nothing can be written it is kept in memory, and a damaged file is put aside for a new one; `notice` says
        so.

        Args:
            path: Database file; ``None`` is the configured one.
            redactor: Masks secrets in everything before it is written.
            on_notice: Called with each notice, on the loop.

        Raises:
            StoreError: The file belongs to a newer nbharness or to another program (nothing was changed), or another
                process holds it.
            ConfigError: No path is given and the settings are wrong.
        """
        store = cls(redactor, on_notice)
        await store._open(load().database if path is None else Path(path))
        return store

    @property
    def notice(self) -> str | None:
        """What the user should know about the store now, or ``None``."""
        return f"{self._trouble}. {_KEPT}" if self._trouble else self._lasting

    async def close(self) -> None:
        """Write what waits and close, within a second. A second call changes nothing."""
        lost = await self._writes.close(_CLOSE_S)
        if lost:
            _log.error("%d events could not be written and are lost: %s", lost, self._trouble)
        await self._database.close()

    async def create_conversation(
        self, agent: str, workspace: str, title: str = "", definition: str = ""
    ) -> ConversationRecord:
        """Begin a conversation; without a title its first turn names it."""
        now, id_ = time.time(), os.urandom(6).hex()
        await self._writes.commit(statements.create_conversation(id_, title, agent, workspace, now, definition))
        return ConversationRecord(
            id=id_,
            title=title,
            definition=definition,
            agent=agent,
            workspace=workspace,
            archived=False,
            session_id="",
            created_at=now,
            updated_at=now,
            turn_count=0,
        )

    async def get_conversation(self, name: str) -> ConversationRecord:
        """Return a conversation by its id, its title, or the beginning of its id.

        Raises:
            UnknownName: There is none.
            ConfigError: There are several; the message lists them.
        """
        return await queries.find_conversation(self._database, name)

    async def list_conversations(self, *, archived: bool | None = False) -> list[ConversationRecord]:
        """Return conversations, newest first.

        Args:
            archived: Only those that are put away, only those that are not, or with ``None`` all.
        """
        return await queries.conversations(self._database, archived=archived)

    async def rename(self, name: str, title: str) -> None:
        """Give a conversation (see :meth:`get_conversation`) another title.

        Raises:
            ConfigError: No such conversation, or the title is empty.
        """
        line = " ".join(title.split())[:_TITLE_CHARS]
        if not line:
            raise ConfigError(f"a conversation's title must not be empty: {title!r}")
        await self._writes.commit(statements.rename(await self._id_of(name), line))

    async def archive(self, name: str, *, archived: bool = True) -> None:
        """Put a conversation away, or with ``archived=False`` take it out again.

        Raises:
            ConfigError: No such conversation.
        """
        await self._writes.commit(statements.archive(await self._id_of(name), archived=archived))

    async def delete(self, name: str) -> None:
        """Delete a conversation with everything in it.

        Raises:
            ConfigError: No such conversation.
            StoreError: A turn of it is running.
        """
        id_ = await self._id_of(name)
        running = [turn for turn in await self.turns(id_) if turn.status == "running"]
        if running:
            raise StoreError(
                f"conversation {id_} has a running turn ({running[0].id}, process {running[0].pid}); stop it first"
            )
        await self._writes.commit(*statements.delete_conversation(id_))

    async def set_session(self, conversation_id: str, session_id: str) -> None:
        """Note the agent's session, which resumes the conversation later."""
        await self._writes.commit(statements.set_session(conversation_id, session_id))

    async def begin_turn(self, turn: TurnRecord) -> None:
        """Note that a turn begins; durable on return."""
        self._running[turn.id] = turn
        await self._writes.commit(*statements.begin_turn(turn, self._redact))

    async def end_turn(self, turn_id: str, status: str, result: str | None = None) -> None:
        """Note how a turn ended; durable on return. The first time counts.

        Args:
            turn_id: The turn.
            status: How it ended.
            result: JSON of its result.
        """
        self._running.pop(turn_id, None)
        ending = statements.end_turn(turn_id, status, result, time.time())
        if self._redact is not None:
            masked = redacted_json(result, self._redact) if result else result
            split = masked_across(await self.events(turn_id), self._redact)
            ending = [
                statements.rewrite_events(split, self._redact),
                *statements.end_turn(turn_id, status, masked, time.time()),
            ]
        await self._writes.commit(*ending)

    async def get_turn(self, turn_id: str) -> TurnRecord:
        """Return a turn.

        Raises:
            UnknownName: There is none of that id.
        """
        return await queries.find_turn(self._database, turn_id)

    async def turns(self, conversation_id: str) -> list[TurnRecord]:
        """Return the turns of a conversation, oldest first."""
        return await queries.turns_of(self._database, conversation_id)

    async def latest_turn(self, notebook: str | None, cell_id: str | None = None) -> TurnRecord | None:
        """Return the turn that was started last: by a cell, with ``None`` by any cell, of a notebook or of whatever."""
        return await queries.latest_turn(self._database, notebook, cell_id)

    async def usage(self, *, notebook: str | None = None, conversation_id: str | None = None) -> list[TurnUsage]:
        """Return what each turn consumed, oldest first, those that run included.

        Args:
            notebook: Only turns that were started from this notebook, by its path.
            conversation_id: Only turns of this conversation.
        """
        await self.flush()
        return await queries.usage_of(self._database, notebook=notebook or "", conversation_id=conversation_id or "")

    async def append(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Take envelopes of a turn; they are durable in about 50 ms. One whose seq is there already changes nothing."""
        del turn_id  # each envelope has it
        self._writes.put(envelopes)

    async def commit(self, turn_id: str, envelopes: Sequence[Envelope]) -> None:
        """Take envelopes of a turn and return when they, and all before them, are durable."""
        del turn_id  # each envelope has it
        self._writes.put(envelopes)
        await self._writes.commit()

    async def flush(self) -> None:
        """Return when everything taken so far is durable."""
        await self._writes.commit()

    async def events(self, turn_id: str, after: int = -1, limit: int | None = None) -> list[Envelope]:
        """Return the events of a turn, in order, those just taken included.

        Args:
            turn_id: The turn.
            after: Only events whose seq is above it.
            limit: How many at most.
        """
        await self.flush()
        return await queries.events_of(self._database, turn_id, after, limit)

    async def last_seq(self, turn_id: str) -> int:
        """Return the seq of a turn's last event, -1 when it has none."""
        await self.flush()
        return await queries.last_seq(self._database, turn_id)

    async def approvals(self, turn_id: str) -> list[ApprovalRecord]:
        """Return the approvals of a turn in the order they were asked."""
        await self.flush()
        return await queries.approvals_of(self._database, turn_id)

    async def _open(self, path: Path) -> None:
        try:
            await self._use(Database(path, self._say, self._seed))
        except (NoRoom, Corrupt, OSError) as error:
            await self._use(Database(None, self._say))
            self._say(
                f"{path} cannot be written ({error}). Conversations are kept in memory and end with this process; "
                "set NBHARNESS_HOME to a directory that can be written to keep them."
            )

    async def _use(self, database: Database) -> None:
        await database.open()
        async with contextlib.AsyncExitStack() as undo:
            undo.push_async_callback(database.close)
            await settle_interrupted(database)
            undo.pop_all()
        self._database, self.location = database, database.location
        self._writes = GroupCommit(database, self._append_events, self._set_trouble)

    async def _id_of(self, name: str) -> str:
        return (await self.get_conversation(name)).id

    def _append_events(self, envelopes: Sequence[Envelope]) -> list[Statement]:
        return statements.append_events(envelopes, self._redact)

    def _seed(self) -> list[Statement]:
        """What a new file must know of the turns that run, when it stands in for one that was lost."""
        return [each for turn in self._running.values() for each in statements.begin_turn(turn, self._redact)]

    def _say(self, notice: str) -> None:
        self._lasting = notice
        self._tell(notice)

    def _set_trouble(self, trouble: str | None) -> None:
        self._trouble = trouble
        recovered = f"{self.location} can be written again; what waited was written."
        self._tell(f"{trouble}. {_KEPT}" if trouble else recovered)

    def _tell(self, text: str) -> None:
        _log.warning("%s", text)
        if self._on_notice:
            self._on_notice(text)
