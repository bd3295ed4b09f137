"""An agent's plans, which in this protocol are checklists. Pure."""

from __future__ import annotations

import re
from typing import Any

from nbharness.adapters.acp.values import mapping, mappings, name_of, text_of
from nbharness.events import Todo, TodoStatus, TodosUpdated

__all__ = ["Checklist"]

_STATUS: dict[str, TodoStatus] = {"pending": "pending", "in_progress": "in_progress", "completed": "completed"}
_LINE = re.compile(r"\s{0,12}(?:[-*+]|\d{1,4}[.)])\s+(?:\[([ xX~/-])\]\s+)?(\S.*)")
_BOXES: dict[str, TodoStatus] = {"x": "completed", "X": "completed", "~": "in_progress", "/": "in_progress"}


class Checklist:
    """All plans of a session, shown as one list in the order in which they came."""

    def __init__(self) -> None:
        self._plans: dict[str, list[Todo]] = {}

    def replace(self, update: dict[str, Any]) -> TodosUpdated:
        """Take a ``plan``: the only one, whole."""
        self._plans[""] = _todos(update.get("entries"))
        return self._all()

    def update(self, update: dict[str, Any]) -> TodosUpdated | None:
        """Take a ``plan_update``; ``None`` when its plan is kept elsewhere."""
        plan = mapping(update.get("plan"))
        if plan.get("type") == "file":
            return None
        text = plan.get("content")
        todos = _lines(text) if isinstance(text, str) else _todos(plan.get("entries"))
        self._plans[name_of(plan.get("planId"))] = todos
        return self._all()

    def remove(self, update: dict[str, Any]) -> TodosUpdated:
        """Take a ``plan_removed``."""
        self._plans.pop(name_of(update.get("planId")), None)
        return self._all()

    def _all(self) -> TodosUpdated:
        return TodosUpdated(todos=[todo for plan in self._plans.values() for todo in plan])


def _todos(entries: object) -> list[Todo]:
    return [
        Todo(content=text_of(entry.get("content")), status=_STATUS.get(text_of(entry.get("status")), "pending"))
        for entry in mappings(entries)
    ]


def _lines(text: str) -> list[Todo]:
    found = (_LINE.match(line) for line in text.splitlines())
    return [Todo(content=line[2].strip(), status=_BOXES.get(line[1] or "", "pending")) for line in found if line]
