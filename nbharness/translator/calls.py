"""Which tool call a message means, though agents leave ids out, use them twice, or answer what they never asked."""

from __future__ import annotations

from collections import Counter

import msgspec

from nbharness.translator.values import number


class Call(msgspec.Struct, frozen=True):
    """A tool call that is open.

    Attributes:
        id: Ours: a string, unique in the turn.
        native_id: The agent's, as a string; ``""`` when it gave none.
        name: Tool name.
        args_text: Its arguments as a text, to tell calls of one tool apart.
    """

    id: str
    native_id: str
    name: str
    args_text: str


class Ids:
    """Hands out the ids of one turn.

    Args:
        namespace: Put before each id, for a turn that several streams feed.
    """

    def __init__(self, namespace: str) -> None:
        self._prefix = f"{namespace}:" if namespace else ""
        self._taken: set[str] = set()
        self._counts: Counter[str] = Counter()

    def new(self, native_id: str, kind: str) -> str:
        """Return an id that was not handed out before, such as ``t7``, ``t7-2`` when it comes again, or ``call-1``.

        Args:
            native_id: The agent's id, kept if it can be; ``""`` when there is none.
            kind: What to number then.
        """
        stem = f"{self._prefix}{native_id or kind}"
        chosen = ""
        while not chosen or chosen in self._taken:
            self._counts[stem] += 1
            count = self._counts[stem]
            chosen = stem if native_id and count == 1 else f"{stem}-{count}"
        self._taken.add(chosen)
        return chosen


def as_id(value: object) -> str:
    """Return the agent's id as a string, ``""`` when it is none."""
    if isinstance(value, str):
        return value
    found = number(value)
    return "" if found is None else str(found)


class OpenCalls:
    """The tool calls of one turn that have begun and not ended, oldest first."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._open: dict[str, Call] = {}
        self._by_native_id: dict[str, Call] = {}
        self._ended: set[str] = set()

    def start(self, native_id: str, name: str, args_text: str = "") -> Call | None:
        """Open a call; None when one with that native id is open already."""
        if native_id in self._by_native_id:
            return None
        call = Call(self._ids.new(native_id, "call"), native_id, name, args_text)
        self._open[call.id] = call
        if native_id:
            self._by_native_id[native_id] = call
        return call

    def find(self, native_id: str, name: str) -> Call | None:
        """Return the open call that a delta or a result belongs to, or None.

        That is the one with its id, else the oldest of its name that may have the id. A message without a name may be
        of any.
        """
        if native_id in self._by_native_id:
            return self._by_native_id[native_id]
        return next(
            (call for call in self._open.values() if name in {"", call.name} and not (native_id and call.native_id)),
            None,
        )

    def find_asking(self, name: str, args_text: str) -> Call | None:
        """Return the oldest open call of that name with those arguments, or None."""
        return next((call for call in self._open.values() if (call.name, call.args_text) == (name, args_text)), None)

    def has_ended(self, native_id: str) -> bool:
        """Tell whether a call with that native id has ended."""
        return native_id in self._ended

    def end(self, call: Call) -> None:
        """Close a call."""
        del self._open[call.id]
        if call.native_id:
            del self._by_native_id[call.native_id]
            self._ended.add(call.native_id)

    def end_all(self) -> list[Call]:
        """Close all calls and return them, the newest first."""
        calls = [*reversed(self._open.values())]
        for call in calls:
            self.end(call)
        return calls
