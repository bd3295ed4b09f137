"""The first line of a transcript and its last: who worked, where and when; how it ended and what it took."""

from __future__ import annotations

from collections.abc import Iterable

from nbharness.events import Choice, Usage
from nbharness.state import ApprovalItem, ChangesItem, PlanItem, QuestionItem, ToolItem, TurnState
from nbharness.transcript.outline import Footer, Head
from nbharness.transcript.visible import one_line, printable
from nbharness.transcript.words import changes, clock_time, compact, date_and_time, dollars, plural

__all__ = ["footer_of", "head_of"]

_MODES = {"require": "asks first", "auto": "approves by itself", "off": "asks nothing"}
_FAILED = {
    "rate_limited": "Rate limited",
    "auth": "Sign-in needed",
    "context_exhausted": "Context full",
    "max_turns": "Turn limit reached",
}
_ABORTED = {"timeout": "Timed out", "budget": "Budget reached", "interrupted": "Interrupted"}
_SHORT = 60  # longer explanations go on a line of their own


def head_of(state: TurnState) -> Head:
    """Return the line on top; what is not known is left out."""
    mode = "plans first" if state.plan_mode else _MODES.get(state.approval_mode, "")
    # What the agent calls its usual mode says nothing, and that it plans is said.
    is_usual = state.mode in ("", "default") or (state.plan_mode and state.mode == "plan")
    own = "" if is_usual else f"mode {one_line(_name_of(state.mode, state.modes))}"
    date = "" if state.started_at is None else date_and_time(state.started_at)
    model = one_line(_name_of(state.model, state.models))
    facts = [one_line(state.definition), model, mode, own, one_line(state.title), one_line(state.workspace), date]
    return Head(one_line(state.agent) or "agent", [fact for fact in facts if fact], printable(state.prompt))


def _name_of(chosen: str, choices: Iterable[Choice]) -> str:
    """Return what the agent calls one of its choices."""
    return next((choice.name for choice in choices if choice.id == chosen and choice.name), chosen)


def footer_of(state: TurnState) -> Footer:
    """Return the line at the end: what happened, then why, then what it took."""
    mark, verdict = _verdict(state)
    reason = printable(state.error or "").strip()
    is_short = len(reason) <= _SHORT and "\n" not in reason
    files = _files(state)
    facts = [reason.rstrip(".") if is_short else "", _elapsed(state), *_usage(state.usage), files]
    more = ["" if is_short else reason, _wait(state), _refused(state), "" if files else _kept(state)]
    return Footer(mark, verdict, [fact for fact in facts if fact], " ".join(filter(None, more)))


def _verdict(state: TurnState) -> tuple[str, str]:
    match state.status:
        case "completed":
            return "✓", "Done in part" if _refused(state) else "Done"
        case "failed":
            return "✗", _FAILED.get(state.code or "", "Failed")
        case "aborted":
            return "⊘", _ABORTED.get(state.code or "", "Stopped")
        case _:
            return "…", "Not finished"


def _wait(state: TurnState) -> str:
    return "" if state.retry_after is None else f"The provider asked to wait {clock_time(state.retry_after)}."


def _elapsed(state: TurnState) -> str:
    """How long the agent worked: the turn's clock stands still while a person is asked."""
    if state.started_at is None or state.ended_at is None:
        return ""
    until, waited = state.started_at, 0.0
    asked = (item for item in state.items if isinstance(item, ApprovalItem | PlanItem | QuestionItem))
    for item in sorted(asked, key=lambda each: each.asked_at):
        decided = min(state.ended_at, state.ended_at if item.decided_at is None else item.decided_at)
        waited += max(0.0, decided - max(item.asked_at, until))
        until = max(until, decided)
    return clock_time(state.ended_at - state.started_at - waited)


def _usage(usage: Usage | None) -> list[str]:
    if usage is None:
        return []
    parts = [count for count in (usage.input_tokens, usage.output_tokens) if isinstance(count, int)]
    tokens = usage.total_tokens if isinstance(usage.total_tokens, int) else sum(parts)
    facts = [f"{compact(tokens)} tokens"] if tokens > 0 else []
    if isinstance(usage.cost_usd, int | float):
        return [*facts, dollars(usage.cost_usd)]
    return [*facts, "cost unknown"] if facts else []


def _files(state: TurnState) -> str:
    found = next((item for item in reversed(state.items) if isinstance(item, ChangesItem)), None)
    if found is not None:
        return f"{plural(found.files, 'file')} {changes(found.added, found.removed)}" if found.files else ""
    tools = (item for item in state.items if isinstance(item, ToolItem) and item.status == "ok")
    diffs = [diff for tool in tools for diff in tool.diffs]
    if not diffs:
        return ""
    files = plural(len({diff.path for diff in diffs}), "file")
    return f"{files} {changes(sum(diff.added for diff in diffs), sum(diff.removed for diff in diffs))}"


def _kept(state: TurnState) -> str:
    """What a turn that did not complete leaves behind; only what is known of it."""
    is_known = not any(isinstance(item, ToolItem) for item in state.items)
    return "Nothing was changed." if is_known and state.status in {"failed", "aborted"} else ""


def _refused(state: TurnState) -> str:
    refused = state.metadata.get("refused")
    if not isinstance(refused, int) or isinstance(refused, bool) or refused <= 0:
        return ""
    return f"{plural(refused, 'approval')} refused because nobody could answer."
