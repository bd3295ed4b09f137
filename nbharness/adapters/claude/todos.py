"""Claude's checklist, folded from the calls with which it keeps one. Pure."""

from __future__ import annotations

from typing import Any, get_args

from nbharness.adapters.claude.fields import items, obj, text
from nbharness.events import Todo, TodoStatus, TodosUpdated

__all__ = ["Checklist"]

_STATUSES = get_args(TodoStatus)


class Checklist:
    """The checklist of one turn; what an earlier turn put on it comes back with the next list of Claude's."""

    def __init__(self) -> None:
        self._tasks: dict[str, Todo] = {}

    def take(self, tool: str, args: Any, result: Any) -> TodosUpdated | None:
        """Take note of a call that succeeded; return the checklist when it changed.

        Args:
            tool: The tool.
            args: Its arguments.
            result: Its structured result.
        """
        before = list(self._tasks.values())
        match tool:
            case "TodoWrite":
                todos = items(args, "todos")
                self._tasks = {str(at): _todo(text(todo, "content"), todo) for at, todo in enumerate(todos)}
            case "TaskCreate":
                task = obj(result, "task")
                self._tasks[text(task, "id")] = _todo(text(task, "subject") or text(args, "subject"), task)
            case "TaskUpdate":
                self._update(text(args, "taskId"), args)
            case "TaskList" if "tasks" in obj(result):
                tasks = items(result, "tasks")
                self._tasks = {text(task, "id"): _todo(text(task, "subject"), task) for task in tasks}
            case _:
                return None
        after = list(self._tasks.values())
        return TodosUpdated(todos=after) if after != before else None

    def _update(self, id_: str, args: Any) -> None:
        if text(args, "status") == "deleted":
            self._tasks.pop(id_, None)
            return
        known = self._tasks.get(id_)
        # One from an earlier turn is known by its number only, until Claude lists it.
        subject = text(args, "subject") or (known.content if known else f"Task {id_}")
        status = args if text(args, "status") else {"status": known.status if known else "pending"}
        self._tasks[id_] = _todo(subject, status)


def _todo(content: str, fields: Any) -> Todo:
    status = text(fields, "status")
    return Todo(content=content, status=next((known for known in _STATUSES if known == status), "pending"))
