"""``nbharness usage``: what kept conversations consumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from nbharness.cli.exit_codes import DONE
from nbharness.cli.keeping import is_store_there, open_store
from nbharness.cli.options import CommandParser
from nbharness.errors import ConfigError
from nbharness.store import Store
from nbharness.usage import TurnUsage, by_conversation
from nbharness.usage_table import usage_lines

__all__ = ["main"]

_EPILOG = """\
A cost that an agent does not tell is unknown, not nothing: "≥" stands before what is known at least.
"""


def main(arguments: Sequence[str]) -> int:
    """Print what was consumed.

    Raises:
        ConfigError: There is no such conversation or file.
        StoreError: The store cannot be read.
    """
    parser = CommandParser("usage", "Tell what kept conversations consumed, oldest first.", _EPILOG)
    parser.add_argument("id", nargs="?", help="only this conversation: its id, or the start of it")
    parser.add_argument("--notebook", metavar="FILE", help="only turns that were started from this notebook")
    parser.add_argument("--json", action="store_true", help="one JSON array")
    options = parser.parse_args(arguments)
    found = by_conversation(_turns(options.id, _path(options.notebook)))
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        print("\n".join(usage_lines(found)))
    return DONE


def _path(notebook: str | None) -> str | None:
    if notebook is None:
        return None
    path = Path(notebook).expanduser().absolute()
    if not path.is_file():
        raise ConfigError(f"there is no notebook {str(path)!r}")
    return str(path)


def _turns(id_: str | None, notebook: str | None) -> list[TurnUsage]:
    if id_ is None and not is_store_there():
        return []
    with open_store() as kept:
        return kept.wait(_read(kept.store, id_, notebook))


async def _read(store: Store, id_: str | None, notebook: str | None) -> list[TurnUsage]:
    conversation = None if id_ is None else (await store.get_conversation(id_)).id
    return await store.usage(notebook=notebook, conversation_id=conversation)
