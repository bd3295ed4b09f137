"""Ends the turns whose process died: their log gets what closes the open cards, then ``turn.aborted``."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

import msgspec

from nbharness.events import TERMINAL_EVENTS, Envelope, TurnAborted, TurnStarted
from nbharness.ledger import Ledger
from nbharness.outcome import OutcomeBuilder
from nbharness.store.database import Database, Statement
from nbharness.store.failures import Busy
from nbharness.store.liveness import is_dead
from nbharness.store.queries import events_of, find_turn, last_event_at, running_turns
from nbharness.store.records import TurnRecord
from nbharness.store.statements import append_events, end_turn

__all__ = ["ending", "missing_end", "settle_interrupted"]

_GIVE_UP_S = 86_400.0
"""Silence after which a turn counts as interrupted when its process cannot be seen from here."""

_REASON = "the process that ran this turn ended"


async def settle_interrupted(database: Database) -> None:
    """Settle every running turn whose process is dead.

    Several processes may do so at once: each writes the same rows, and a row is written once. While another program
    holds the database it is left to the next start.

    Raises:
        StoreError: The database cannot be read or written.
    """
    for turn_id, process in await running_turns(database):
        dead = is_dead(process)
        turn = await find_turn(database, turn_id)
        if dead is None:
            dead = time.time() - await last_event_at(database, turn) > _GIVE_UP_S
        if dead:
            statements = ending(turn, await events_of(database, turn_id))
            with contextlib.suppress(Busy):
                await database.write(statements, patience_s=0.5)


def ending(turn: TurnRecord, log: Sequence[Envelope]) -> list[Statement]:
    """Return what settles a turn that will go on no more.

    Its last sign of life is when it ended; so everybody who computes this gets the same.

    Args:
        turn: The turn.
        log: Its events; a turn that got as far as its terminal event gets the status of that.
    """
    begun = [] if log else [_first_envelope(turn)]
    added = [*begun, *missing_end([*log, *begun])]
    whole = [*log, *added]
    builder = OutcomeBuilder(turn.conversation_id)
    for envelope in whole:
        builder.observe(envelope.event)
    at = whole[-1].at
    terminal = next(envelope.event for envelope in reversed(whole) if isinstance(envelope.event, TERMINAL_EVENTS))
    result = builder.result(terminal, round(1000 * max(0.0, at - turn.started_at)))
    return [
        *append_events(added, None),
        *end_turn(turn.id, result.status, msgspec.json.encode(result).decode(), at),
    ]


def missing_end(log: Sequence[Envelope]) -> list[Envelope]:
    """Return what ends a log that stops in the middle, as of its last event; nothing when it has its end.

    Args:
        log: Events of a turn whose process died, at least one.
    """
    last = log[-1]
    if isinstance(last.event, TERMINAL_EVENTS):
        return []
    ledger = Ledger()
    for envelope in log:
        ledger.admit(envelope.event)
    events = [*ledger.close(), TurnAborted(code="interrupted", reason=_REASON)]
    return [Envelope(last.seq + n, last.turn_id, last.at, event) for n, event in enumerate(events, start=1)]


def _first_envelope(turn: TurnRecord) -> Envelope:
    started = TurnStarted(
        prompt=turn.prompt, agent=turn.agent, workspace=turn.workspace, conversation_id=turn.conversation_id
    )
    return Envelope(0, turn.id, turn.started_at, started)
