"""``nbharness sessions``: the kept conversations, newest first; rename, archive or delete one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from nbharness.cli.exit_codes import ABORTED, DONE
from nbharness.cli.keeping import SHORT_ID, is_store_there, open_store
from nbharness.cli.options import CommandParser
from nbharness.cli.table import print_table
from nbharness.errors import ConfigError
from nbharness.store import ConversationRecord
from nbharness.transcript.visible import visible

__all__ = ["main"]

_EPILOG = """\
one conversation, by its id or the start of it:
  nbharness sessions rename ID TITLE
  nbharness sessions archive ID [--undo]
  nbharness sessions delete ID [--yes]
"""


def main(arguments: Sequence[str]) -> int:
    """List the conversations, or change one.

    Raises:
        ConfigError: There is no such conversation.
        StoreError: The store cannot be read.
    """
    if arguments and arguments[0] in _ACTIONS:
        return _ACTIONS[arguments[0]](arguments[1:])
    parser = CommandParser("sessions", "List the kept conversations, newest first.", _EPILOG)
    parser.add_argument("--all", action="store_true", help="archived ones too")
    parser.add_argument("--json", action="store_true", help="one JSON array")
    options = parser.parse_args(arguments)
    records = _list(archived=None if options.all else False) if is_store_there() else []
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(records), indent=2).decode())
    elif records:
        print_table(("id", "title", "agent", "turns", "updated"), [_row(record) for record in records])
    else:
        print("no conversations yet", file=sys.stderr)
    return DONE


def _list(*, archived: bool | None) -> list[ConversationRecord]:
    with open_store() as kept:
        return kept.wait(kept.store.list_conversations(archived=archived))


def _row(record: ConversationRecord) -> tuple[str, ...]:
    title = f"{record.title} (archived)" if record.archived else record.title
    updated = datetime.fromtimestamp(record.updated_at).astimezone().strftime("%Y-%m-%d %H:%M")
    return (record.id[:SHORT_ID], title or "(untitled)", record.agent, str(record.turn_count), updated)


def _rename(arguments: Sequence[str]) -> int:
    parser = CommandParser("sessions rename", "Give a conversation another title.")
    parser.add_argument("id", help="its id, or the start of it")
    parser.add_argument("title", help="the title")
    options = parser.parse_args(arguments)
    with open_store() as kept:
        kept.wait(kept.store.rename(options.id, options.title))
    return DONE


def _archive(arguments: Sequence[str]) -> int:
    parser = CommandParser("sessions archive", "Leave a conversation out of the list; it is kept.")
    parser.add_argument("id", help="its id, or the start of it")
    parser.add_argument("--undo", action="store_true", help="put it back into the list")
    options = parser.parse_args(arguments)
    with open_store() as kept:
        kept.wait(kept.store.archive(options.id, archived=not options.undo))
    return DONE


def _delete(arguments: Sequence[str]) -> int:
    parser = CommandParser("sessions delete", "Delete a conversation with everything in it, for good.")
    parser.add_argument("id", help="its id, or the start of it")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    options = parser.parse_args(arguments)
    with open_store() as kept:
        record = kept.wait(kept.store.get_conversation(options.id))
        if not options.yes and not _is_sure(record):
            return ABORTED
        kept.wait(kept.store.delete(record.id))
    return DONE


def _is_sure(record: ConversationRecord) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(f"deleting {record.id} cannot be undone; say --yes where nobody can be asked")
    what = f"{visible(record.title) or 'untitled'}, {record.turn_count} turns"
    print(f"Delete {record.id} ({what}) for good? Type delete: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "delete"


_ACTIONS: dict[str, Callable[[Sequence[str]], int]] = {"rename": _rename, "archive": _archive, "delete": _delete}
