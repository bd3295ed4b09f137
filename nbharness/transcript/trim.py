"""Making a turn small enough to be kept in a notebook, with an exact count of what that cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from nbharness.events import ApprovalOption, Choice, FileDiff
from nbharness.state import (
    ApprovalItem,
    ChangesItem,
    Item,
    MessageItem,
    NoticeItem,
    PlanItem,
    QuestionItem,
    ThinkingItem,
    TodosItem,
    ToolItem,
    TurnState,
    UnknownItem,
)
from nbharness.transcript.limits import Limits
from nbharness.transcript.screen import screen_text
from nbharness.transcript.texts import clip, head, left_out_words, line_count, readable, size, tail
from nbharness.transcript.verbs import describe

__all__ = ["Cut", "LeftOut", "Trimmed", "answer_place", "trim"]

_MAX_WARNINGS = 20
_MAX_OPTIONS = 20


class Cut(NamedTuple):
    """What was left out of one tool's output.

    Attributes:
        end: Which end is still there.
        lines: Lines there were.
        bytes: Bytes left out.
    """

    end: Literal["first", "last"]
    lines: int
    bytes: int


class LeftOut(NamedTuple):
    """What a trimmed turn lacks.

    Attributes:
        bytes: UTF-8 bytes of text, that of the missing items included.
        items: Items that are missing.
    """

    bytes: int
    items: int


class Trimmed(NamedTuple):
    """A turn that was made smaller.

    Attributes:
        state: What is left.
        cuts: By tool call id, what is missing from its output.
        left_out: The sum of it.
    """

    state: TurnState
    cuts: dict[str, Cut]
    left_out: LeftOut


def trim(state: TurnState, limits: Limits) -> Trimmed:
    """Return the turn within the limits: the newest items and, whatever its place, the agent's last message.

    Args:
        state: Any turn, without thinking.
        limits: What may stay.
    """
    trimmer = _Trimmer(limits)
    answer = answer_place(state.items)
    first = len(state.items) - limits.items
    kept: list[Item] = []
    for place, item in enumerate(state.items):
        if place == answer and isinstance(item, MessageItem):
            kept.append(replace(item, text=trimmer.text(item.text, limits.answer)))
        elif place >= first:
            kept.append(trimmer.item(item))
        else:
            trimmer.drop(item)
    response = state.response
    if response is not None:
        said = state.items[answer] if answer >= 0 else None
        repeats = isinstance(said, MessageItem) and said.text == response
        response = clip(response, limits.answer)[0] if repeats else trimmer.text(response, limits.answer)
    small = replace(
        trimmer.labels(state),
        items=kept,
        queued=[
            replace(queued, id=trimmer.label(queued.id), text=trimmer.text(queued.text, limits.text))
            for queued in state.queued[: limits.items]
        ],
        # What the session offers besides is no part of what happened.
        modes=_chosen(state.mode, state.modes, trimmer.label),
        models=_chosen(state.model, state.models, trimmer.label),
        commands=[],
        prompt=trimmer.text(state.prompt, limits.text),
        error=None if state.error is None else trimmer.text(state.error, limits.answer),
        response=response,
        metadata=trimmer.record(state.metadata),
    )
    return Trimmed(small, trimmer.cuts, LeftOut(trimmer.bytes, trimmer.items))


def _chosen(chosen: str, choices: list[Choice], label: Callable[[str], str]) -> list[Choice]:
    """Return the one that was chosen, for its name."""
    return [Choice(id=label(choice.id), name=label(choice.name)) for choice in choices if choice.id == chosen][:1]


def answer_place(items: list[Item]) -> int:
    """Return where the agent's last message of its own is; -1 when there is none."""
    return max(
        (
            n
            for n, item in enumerate(items)
            if isinstance(item, MessageItem) and item.role == "agent" and not item.parent_id
        ),
        default=-1,
    )


class _Trimmer:
    """Cuts texts and counts what it cuts."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.cuts: dict[str, Cut] = {}
        self.bytes = 0
        self.items = 0

    def drop(self, item: Item) -> None:
        self.items += 1
        self.bytes += sum(map(size, _texts(item)))

    def text(self, text: str, limit: int) -> str:
        kept, missing = clip(text, limit)
        self.bytes += missing
        return kept

    def label(self, text: str) -> str:
        kept = head(text, self._limits.label)
        self.bytes += size(text) - size(kept)
        return kept if kept == text else f"{kept}…"

    def labels(self, state: TurnState) -> TurnState:
        names = ("agent", "model", "workspace", "conversation_id", "session_id", "turn_id", "mode", "title")
        code = None if state.code is None else self.label(state.code)
        return replace(state, code=code, **{name: self.label(getattr(state, name)) for name in names})

    def args(self, value: Any) -> Any:
        """Cut the long texts of a JSON-like value; a value that is large even so becomes a text."""
        small = self._shortened(value)
        encoded = msgspec.json.encode(small)
        limit = self._limits.args * 4
        if len(encoded) <= limit:
            return small
        kept = head(encoded.decode(), limit)
        self.bytes += len(encoded) - size(kept)
        return f"{kept} {left_out_words(len(encoded) - size(kept))}"

    def record(self, value: dict[str, Any]) -> dict[str, Any]:
        kept = self.args(value) if value else value
        return kept if isinstance(kept, dict) else {"shortened": kept}

    def item(self, item: Item) -> Item:
        text = self._limits.text
        match item:
            case MessageItem() | ThinkingItem():
                return replace(item, text=self.text(item.text, text))
            case ToolItem():
                return self._tool(item)
            case ApprovalItem():
                return self._approval(item)
            case PlanItem():
                plan, proposed = self.text(item.plan, text), self.text(item.proposed_plan, text)
                return replace(item, plan=plan, proposed_plan=proposed, reason=self.label(item.reason))
            case TodosItem():
                shown, rest = item.todos[: self._limits.items], item.todos[self._limits.items :]
                self.bytes += sum(size(todo.content) for todo in rest)
                return replace(item, todos=[replace(todo, content=self.label(todo.content)) for todo in shown])
            case QuestionItem() | ChangesItem():
                return self._question(item) if isinstance(item, QuestionItem) else self._changes(item)
            case NoticeItem():
                return replace(item, message=self.text(item.message, text), code=self.label(item.code))
            case UnknownItem():
                return replace(item, type=self.label(item.type), raw=self.args(item.raw))

    def _tool(self, tool: ToolItem) -> ToolItem:
        raw = readable(tool.stream if tool.output is None else tool.output)
        small = replace(tool, name=self.label(tool.name), title=self.label(tool.title))
        small = replace(small, args=self.args(tool.args), diffs=self._diffs(tool.diffs))
        if size(raw) <= self._limits.output:
            return small if tool.output is None else replace(small, stream="")
        # Of a command the end matters, of a file the beginning. Escapes take room, so begin with more than may stay.
        limit = self._limits.output
        if describe(tool.name, tool.args, tool.tool_kind).kind == "command":
            kept = tail(screen_text(tail(raw, 4 * limit)), limit)
            self._cut(tool.id, "last", raw, kept)
        else:
            kept = head(screen_text(head(raw, 4 * limit)), limit)
            self._cut(tool.id, "first", raw, kept)
        return replace(small, stream="", output=kept)

    def _cut(self, tool_id: str, end: Literal["first", "last"], raw: str, kept: str) -> None:
        missing = size(raw) - size(kept)
        self.cuts[tool_id] = Cut(end, line_count(raw), missing)
        self.bytes += missing

    def _question(self, item: QuestionItem) -> QuestionItem:
        limit = self._limits.items
        questions = [
            replace(
                question,
                id=self.label(question.id),
                text=self.text(question.text, self._limits.text),
                header=self.label(question.header) if isinstance(question.header, str) else UNSET,
                options=[
                    replace(option, label=self.label(option.label), description=UNSET)
                    for option in question.options[:limit]
                ],
            )
            for question in item.questions[:limit]
        ]
        answers = {
            self.label(id_): [self.label(text) for text in given[:limit]]
            for id_, given in list(item.answers.items())[:limit]
        }
        return replace(item, questions=questions, answers=answers)

    def _changes(self, item: ChangesItem) -> ChangesItem:
        limit = self._limits.items
        return replace(
            item,
            diffs=self._diffs(item.diffs),
            ignored=[self.label(path) for path in item.ignored[:limit]],
            nested=[self.label(path) for path in item.nested[:limit]],
            stale_modules=[self.label(name) for name in item.stale_modules[:limit]],
        )

    def _approval(self, item: ApprovalItem) -> ApprovalItem:
        return replace(
            item,
            tool_name=self.label(item.tool_name),
            args=self.args(item.args),
            edited_args=self.args(item.edited_args),
            message=None if item.message is None else self.text(item.message, self._limits.text),
            reason=self.label(item.reason),
            warnings=[self.label(warning) for warning in item.warnings[:_MAX_WARNINGS]],
            choices=list(dict.fromkeys(item.choices)),
            options=[self._option(option) for option in item.options[:_MAX_OPTIONS]],
            option_id=self.label(item.option_id),
            diffs=self._diffs(item.diffs),
        )

    def _option(self, option: ApprovalOption) -> ApprovalOption:
        return replace(option, id=self.label(option.id), name=self.label(option.name))

    def _diffs(self, diffs: list[FileDiff]) -> list[FileDiff]:
        self.bytes += sum(size(diff.patch) for diff in diffs[self._limits.items :])
        return [self._diff(diff) for diff in diffs[: self._limits.items]]

    def _diff(self, diff: FileDiff) -> FileDiff:
        path = self.label(diff.path)
        kept = head(diff.patch, self._limits.diff)
        missing = size(diff.patch) - size(kept)
        if not missing:
            return replace(diff, path=path)
        self.bytes += missing
        before = diff.truncated if isinstance(diff.truncated, int) else 0
        return replace(diff, path=path, patch=kept, truncated=before + missing)

    def _shortened(self, value: Any) -> Any:
        if isinstance(value, str):
            kept = head(value, self._limits.args)
            missing = size(value) - size(kept)
            self.bytes += missing
            return f"{kept}{left_out_words(missing)}" if missing else value
        if isinstance(value, dict):
            return {key: self._shortened(item) for key, item in value.items()}
        return [self._shortened(item) for item in value] if isinstance(value, list) else value


def _texts(item: Item) -> list[str]:
    """The texts of an item that count as left out when it is."""
    match item:
        case MessageItem() | ThinkingItem():
            return [item.text]
        case ToolItem():
            output = readable(item.stream if item.output is None else item.output)
            return [output, *(diff.patch for diff in item.diffs)]
        case PlanItem():
            return [item.plan]
        case ChangesItem():
            return [diff.patch for diff in item.diffs]
        case QuestionItem():
            return [question.text for question in item.questions]
        case TodosItem():
            return [todo.content for todo in item.todos]
        case NoticeItem():
            return [item.message]
        case _:
            return []
