"""A turn's state under construction."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from nbharness.state.items import (
    ApprovalItem,
    Item,
    MessageItem,
    PlanItem,
    QuestionItem,
    QueuedMessage,
    ThinkingItem,
    TodosItem,
    ToolItem,
    TurnState,
)


class Draft:
    """Collects changes to a state and leaves that state alone.

    Growing texts are lists of parts until `finish` joins them, and items are found by id, so that folding a whole turn
    takes linear time.
    """

    def __init__(self, state: TurnState) -> None:
        self._state = state
        self._items = list(state.items)
        self._changes: dict[str, Any] = {}
        self._parts: dict[int, list[str]] = {}
        self._index: dict[tuple[type[Item], str], int] | None = None

    @property
    def last(self) -> tuple[int, Item | None]:
        """Place of the newest item, and that item; its growing text may lag behind."""
        return len(self._items) - 1, self._items[-1] if self._items else None

    @property
    def queued(self) -> list[QueuedMessage]:
        """Messages that wait, as they stand now."""
        queued: list[QueuedMessage] = self._changes.get("queued", self._state.queued)
        return queued

    def set(self, **fields: object) -> None:
        """Set fields of the turn itself; one that is UNSET stays as it was."""
        self._changes.update({name: value for name, value in fields.items() if value is not UNSET})

    def add(self, item: Item) -> int:
        """Put a new item at the end and return its place."""
        place = len(self._items)
        self._items.append(item)
        if self._index is not None:
            self._index.update(dict.fromkeys(_keys(item), place))
        return place

    def find(self, kind: type[Item], item_id: str = "") -> int | None:
        """Return where the latest item of a kind with that id is.

        Args:
            kind: Tool, approval, question, plan or todos.
            item_id: Its id; for plans ``""`` means any.
        """
        if self._index is None:
            self._index = {key: place for place, item in enumerate(self._items) for key in _keys(item)}
        return self._index.get((kind, item_id))

    def update(self, place: int, **fields: object) -> None:
        """Change fields of the item at `place`."""
        self._items[place] = replace(self._items[place], **fields)

    def append(self, place: int, text: str) -> None:
        """Let the growing text of the item at `place` grow."""
        self._parts.setdefault(place, []).append(text)

    def finish(self) -> TurnState:
        """Return the new state; the draft is used up."""
        for place, parts in self._parts.items():
            match self._items[place]:
                case ToolItem() as item:
                    self._items[place] = replace(item, stream="".join([item.stream, *parts]))
                case (MessageItem() | ThinkingItem()) as item:
                    self._items[place] = replace(item, text="".join([item.text, *parts]))
        return replace(self._state, items=self._items, **self._changes)


def _keys(item: Item) -> list[tuple[type[Item], str]]:
    """Return what an item is found by."""
    match item:
        case ToolItem() | ApprovalItem() | QuestionItem():
            return [(type(item), item.id)]
        case PlanItem():
            return [(PlanItem, item.id), (PlanItem, "")]
        case TodosItem():
            return [(TodosItem, "")]
        case _:
            return []
