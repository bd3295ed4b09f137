"""How Claude's turns end, as ours do. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType

from nbharness.adapters.claude.fields import number, obj, text
from nbharness.adapters.program import retry_after
from nbharness.events import TurnAborted, TurnCompleted, TurnFailed, Usage

__all__ = ["LOGIN", "ending", "wait_s"]

LOGIN = "run `claude` in a terminal and sign in with /login, or set ANTHROPIC_API_KEY"
_RATE_LIMITED, _UNAUTHORIZED = 429, {401, 403}
_TOO_LONG = "prompt is too long"


def ending(
    result: dict[str, Any], usage: Usage, said_error: str, wait: float | None = None
) -> TurnCompleted | TurnFailed | TurnAborted:
    """Return how the turn ended.

    Args:
        result: Claude's last message. That it is an error beats what its subtype says.
        usage: Totals of the turn.
        said_error: The error that Claude named before, such as ``rate_limit``; ``""`` when it named none.
        wait: Seconds until the limit that it named then is no more.
    """
    subtype, answer = text(result, "subtype"), text(result, "result")
    if result.get("is_error") is not True and subtype in {"success", ""}:
        return TurnCompleted(response=answer, usage=usage)
    if subtype == "error_max_budget_usd":
        reason = "the turn reached the cost that it may have (--max-cost); continue the conversation to let it go on"
        return TurnAborted(code="budget", reason=reason, usage=usage)
    code = _code(result, subtype, answer, said_error)
    said = answer or _errors(result) or subtype
    return TurnFailed(error=_words(code, said), code=code, usage=usage, retry_after=_retry_after(code, said, wait))


def wait_s(message: dict[str, Any]) -> float | None:
    """Return the seconds until a limit of the subscription is no more, or ``None`` when a message names none.

    The message says itself when it was said, so that no clock is needed.
    """
    resets_at = number(obj(message, "api_error_params", "rate_limit_info"), "resetsAt")
    try:
        said_at = datetime.fromisoformat(text(message, "timestamp")).timestamp()
    except (ValueError, OverflowError):
        return None
    return None if resets_at is None else max(0.0, round(resets_at - said_at, 3))


def _retry_after(code: str, said: str, wait: float | None) -> float | UnsetType:
    seconds = wait if wait is not None else retry_after(said)
    return UNSET if seconds is None or code != "rate_limited" else seconds


def _code(result: dict[str, Any], subtype: str, answer: str, said_error: str) -> str:
    status = number(result, "api_error_status")
    if subtype == "error_max_turns":
        return "max_turns"
    if status == _RATE_LIMITED or said_error == "rate_limit":
        return "rate_limited"
    if status in _UNAUTHORIZED or said_error == "authentication_failed":
        return "auth"
    return "context_exhausted" if _TOO_LONG in answer.lower() else "sdk_error"


def _words(code: str, said: str) -> str:
    match code:
        case "auth":
            return f"claude is not signed in: {LOGIN}. It says: {said}"
        case "context_exhausted":
            return f"the conversation does not fit into the model any more; start a new one. Claude says: {said}"
        case "max_turns":
            return "Claude reached its limit of steps; continue the conversation to let it go on"
        case _:
            return said or "Claude ended without saying why"


def _errors(result: dict[str, Any]) -> str:
    errors = result.get("errors")
    return "; ".join(error for error in errors if isinstance(error, str)) if isinstance(errors, list) else ""
