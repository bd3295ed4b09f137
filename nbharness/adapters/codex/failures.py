"""Codex's errors as the ends of turns. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from nbharness.adapters.codex.messages import Failure
from nbharness.adapters.program import retry_after
from nbharness.events import TurnFailed

__all__ = ["LOGIN", "failure"]

LOGIN = (
    "run `codex login`, or set the key of its model provider (OPENAI_API_KEY is read by `codex login --with-api-key`)"
)

_CODES = {
    "contextWindowExceeded": "context_exhausted",
    "usageLimitExceeded": "rate_limited",
    "rateLimitExceeded": "rate_limited",
    "serverOverloaded": "rate_limited",
    "unauthorized": "auth",
}
_STATUS_CODES = {401: "auth", 403: "auth", 429: "rate_limited"}
_ADVICE = {
    "context_exhausted": "The conversation no longer fits into the model; with the next message Codex summarizes it.",
    "rate_limited": "The conversation stays as it is; send the message again later.",
    "auth": f"To sign in, {LOGIN}.",
}
_MAX_CHARS = 2000


def failure(error: Failure | None) -> TurnFailed:
    """Return how a turn failed.

    Args:
        error: What Codex says; ``None`` when it gave no reason.
    """
    if error is None:
        return TurnFailed(error="codex failed and gave no reason", code="sdk_error")
    said = error.message.strip()[:_MAX_CHARS] or "codex failed"
    code = _code(error.codex_error_info)
    advice = _ADVICE.get(code)
    return TurnFailed(
        error=f"{said.rstrip('.')}. {advice}" if advice else said,
        code=code,
        retry_after=_wait_s(said, code),
    )


def _code(info: Any) -> str:
    if isinstance(info, str):
        return _CODES.get(info, "sdk_error")
    if not isinstance(info, dict):
        return "sdk_error"
    for name, facts in info.items():
        status = facts.get("httpStatusCode") if isinstance(facts, dict) else None
        if isinstance(status, int) and status in _STATUS_CODES:
            return _STATUS_CODES[status]
        if name in _CODES:
            return _CODES[name]
    return "sdk_error"


def _wait_s(said: str, code: str) -> float | UnsetType:
    seconds = retry_after(said) if code == "rate_limited" else None
    return UNSET if seconds is None else seconds
