"""From a turn's state to the document that every form of its transcript is written from."""

from __future__ import annotations

from msgspec.structs import replace

from nbharness.state import (
    ApprovalItem,
    ChangesItem,
    Item,
    MessageItem,
    PlanItem,
    QuestionItem,
    ThinkingItem,
    ToolItem,
    TurnState,
)
from nbharness.transcript.changed import change_sections
from nbharness.transcript.decisions import approval_counts
from nbharness.transcript.ending import footer_of, head_of
from nbharness.transcript.outline import Diff, Entry, Outline, Prose, Section, Steps
from nbharness.transcript.patch import diff_of
from nbharness.transcript.steps import entry_of, tool_step
from nbharness.transcript.trim import Trimmed, answer_place
from nbharness.transcript.words import plural

__all__ = ["compose"]

_MAX_DEPTH = 6


def compose(whole: TurnState, trimmed: Trimmed) -> Outline:
    """Return the document: the log folded, the answer and the last diff open, all in the order in which it came.

    Args:
        whole: The turn before it was trimmed; what is counted is counted here.
        trimmed: The same turn, small enough to be shown.
    """
    log = _Log(trimmed)
    all_before, _, all_after = _around_answer(whole.items)
    before, said, after = _around_answer(trimmed.state.items)
    response = trimmed.state.response or ""
    answers = [said, response] if response.strip() != said.strip() else [said]
    sections: list[Section] = [
        *log.steps(all_before, before),
        *(Prose(text) for text in answers if text.strip()),
        *log.steps(all_after, after),
        *map(diff_of, log.last_edit.diffs if log.last_edit else []),
        *(change_sections(log.changes, whole.items, whole.workspace) if log.changes else []),
    ]
    # Numbers are those of the whole turn, texts those that fit.
    ending = replace(whole, error=trimmed.state.error, code=trimmed.state.code)
    undoable = whole.turn_id if log.changes and log.changes.undoable else ""
    return Outline(head_of(trimmed.state), sections, _missing(trimmed), footer_of(ending), undoable)


def _around_answer(items: list[Item]) -> tuple[list[Item], str, list[Item]]:
    place = answer_place(items)
    answer = items[place] if place >= 0 else None
    if not isinstance(answer, MessageItem):
        return items, "", []
    return items[:place], answer.text, items[place + 1 :]


class _Log:
    """Makes the entries of a turn; knows which call belongs to which."""

    def __init__(self, trimmed: Trimmed) -> None:
        self._cuts = trimmed.cuts
        items = trimmed.state.items
        self._calls = {item.id for item in items if isinstance(item, ToolItem)}
        self._approvals = {item.id: item for item in items if isinstance(item, ApprovalItem)}
        self._inside: dict[str, tuple[list[Entry], int]] = {}
        self.changes = next((item for item in reversed(items) if isinstance(item, ChangesItem)), None)
        edits = [item for item in items if isinstance(item, ToolItem) and item.status == "ok" and item.diffs]
        # Once the workspace itself was looked at, that is shown instead of what the last call says.
        self.last_edit = edits[-1] if edits and self.changes is None else None

    def steps(self, whole: list[Item], items: list[Item]) -> list[Section]:
        """Return a run of items, folded; nothing when there never was anything to fold.

        Args:
            whole: The run before it was trimmed.
            items: What is left of it.
        """
        top: list[Entry] = []
        for item in items:
            if not isinstance(item, ThinkingItem | ChangesItem) and not self._is_shown_with_its_call(item):
                self._add(item, top)
        count = sum(isinstance(item, ToolItem | PlanItem | QuestionItem) for item in whole)
        asked = approval_counts(item for item in whole if isinstance(item, ApprovalItem | PlanItem))
        if not count and not top:
            return []
        return [Steps(plural(count, "step") if count else "Earlier", asked, top)]

    def _is_shown_with_its_call(self, item: Item) -> bool:
        return isinstance(item, ApprovalItem) and item.tool_call_id in self._calls

    def _add(self, item: Item, top: list[Entry]) -> None:
        into, depth = self._inside.get(getattr(item, "parent_id", ""), (top, 0))
        if not isinstance(item, ToolItem):
            into.append(entry_of(item))  # type: ignore[arg-type]
            return
        approval = self._approvals.get(item.approval_id)
        step = tool_step(item, approval, self._cuts.get(item.id))
        if item is self.last_edit:
            step.bodies[:] = [body for body in step.bodies if not isinstance(body, Diff)]
        into.append(step)
        # Deeper sub-agents stand beside their callers.
        self._inside[item.id] = (step.children, depth + 1) if depth < _MAX_DEPTH else (into, depth)


def _missing(trimmed: Trimmed) -> str:
    left_out, state = trimmed.left_out, trimmed.state
    parts = [plural(left_out.items, "item")] if left_out.items else []
    parts += [plural(left_out.bytes, "byte")] if left_out.bytes else []
    if not parts:
        return ""
    where = f"; nbharness show {state.conversation_id} has all of it" if state.conversation_id else ""
    return f"Shortened for the notebook: {' and '.join(parts)} left out{where}."
