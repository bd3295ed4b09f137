"""What a turn looks like so far: a pure fold of its envelopes into ordered items.

The widget, the transcript and the tests all draw this; `js/src/state.ts` is its twin on the same golden files.
"""

from nbharness.state.fold import fold, fold_all
from nbharness.state.items import (
    ApprovalItem,
    ChangesItem,
    Item,
    MessageItem,
    NoticeItem,
    PlanItem,
    QuestionItem,
    QueuedMessage,
    ThinkingItem,
    TodosItem,
    ToolItem,
    TurnState,
    UnknownItem,
)

__all__ = [
    "ApprovalItem",
    "ChangesItem",
    "Item",
    "MessageItem",
    "NoticeItem",
    "PlanItem",
    "QuestionItem",
    "QueuedMessage",
    "ThinkingItem",
    "TodosItem",
    "ToolItem",
    "TurnState",
    "UnknownItem",
    "fold",
    "fold_all",
]
