"""``nbharness show ID``: a kept conversation, turn by turn."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from nbharness.cli.colour import wants_colour
from nbharness.cli.exit_codes import DONE
from nbharness.cli.keeping import open_store
from nbharness.cli.options import CommandParser
from nbharness.events import Envelope
from nbharness.store import Store, TurnRecord
from nbharness.transcript import PlainWriter

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print a conversation.

    Raises:
        ConfigError: There is no such conversation, or several begin so.
        StoreError: The store cannot be read.
    """
    parser = CommandParser("show", "Print a kept conversation.")
    parser.add_argument("id", help="its id, or the start of it; nbharness sessions lists them")
    parser.add_argument("--json", action="store_true", help="as `run --json` prints its turns, one after another")
    options = parser.parse_args(arguments)
    with open_store() as kept:
        turns = kept.wait(_turns(kept.store, options.id))
    if options.json:
        _print_json(turns)
    else:
        _print_text(turns)
    return DONE


async def _turns(store: Store, id_or_prefix: str) -> list[tuple[TurnRecord, list[Envelope]]]:
    conversation = await store.get_conversation(id_or_prefix)
    return [(turn, await store.events(turn.id)) for turn in await store.turns(conversation.id)]


def _print_json(turns: Sequence[tuple[TurnRecord, Sequence[Envelope]]]) -> None:
    for turn, envelopes in turns:
        sys.stdout.buffer.writelines(envelope.encode() + b"\n" for envelope in envelopes)
        if turn.result is not None:
            sys.stdout.buffer.write(b'{"type":"result","data":%b}\n' % turn.result.encode())


def _print_text(turns: Sequence[tuple[TurnRecord, Sequence[Envelope]]]) -> None:
    for index, (_turn, envelopes) in enumerate(turns):
        if index:
            print()
        writer = PlainWriter(sys.stdout.write, colour=wants_colour(sys.stdout))
        for envelope in envelopes:
            writer.event(envelope)
