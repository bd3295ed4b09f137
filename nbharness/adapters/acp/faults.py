"""Errors on the wire: an agent's, as ours; and ours, as the agent gets to read them."""

from __future__ import annotations

import json
import re

from nbharness.adapters.acp.values import mapping, mappings, text_of
from nbharness.adapters.program import retry_after
from nbharness.errors import AdapterError, AuthNeeded, ContextExhausted, RateLimited

__all__ = ["AUTH_REQUIRED", "Refusal", "adapter_error", "failure", "login_words"]

AUTH_REQUIRED = -32000
INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
RESOURCE_NOT_FOUND = -32002
INTERNAL_ERROR = -32603

_AUTH = re.compile(r"authenticat|unauthori[sz]ed|log(ged)? ?in|sign(ed)? ?in|credential|api key|\b401\b", re.IGNORECASE)
_RATE = re.compile(r"rate.?limit|too many requests|\b429\b|overloaded|quota", re.IGNORECASE)
_CONTEXT = re.compile(r"context.{0,12}(length|window|limit)|prompt is too long|too many tokens", re.IGNORECASE)
_SHOWN_CHARS = 600


class Refusal(Exception):
    """A request of the agent's that we answer with an error.

    Attributes:
        code: JSON-RPC error code.
        message: What is wrong and what would be right.
        data: More about it, JSON-like.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        super().__init__(message)


def adapter_error(agent: str, doing: str, error: Exception, how_to_log_in: str) -> AdapterError:
    """Return what an agent's error means for the turn.

    Args:
        agent: The agent.
        doing: What it was asked to do, as ``session/new``.
        error: Its error: text, and perhaps ``code`` and ``data``.
        how_to_log_in: What to do when nobody is signed in.
    """
    code, data = getattr(error, "code", None), getattr(error, "data", None)
    text = f"{error} {_details(data)}".strip()
    if _AUTH.search(text) and (code == AUTH_REQUIRED or doing != "session/prompt"):
        return AuthNeeded(agent, f"{how_to_log_in}  (it said: {text[:_SHOWN_CHARS]})")
    other = f"the agent {agent!r} answered {doing} with an error: {text[:_SHOWN_CHARS]} ({code})"
    return failure(agent, text, how_to_log_in) or AdapterError(other)


def failure(agent: str, text: str, how_to_log_in: str) -> AdapterError | None:
    """Return what a sentence in which an agent or its provider gives up means; ``None`` for nothing of its own.

    Args:
        agent: The agent.
        text: What it says.
        how_to_log_in: What to do when nobody is signed in.
    """
    said = text[:_SHOWN_CHARS]
    if _AUTH.search(text) and "401" in text:
        return AuthNeeded(agent, f"{how_to_log_in}  (it said: {said})")
    if _CONTEXT.search(text):
        message = f"the conversation does not fit into the model of {agent!r} any more; start a new one"
        return ContextExhausted(f"{message}  (it said: {said})")
    if _RATE.search(text):
        return RateLimited(f"the provider of {agent!r} takes no requests for now: {said}", retry_after(text))
    return None


def login_words(auth_methods: object) -> str:
    """Return how an agent says that one signs in; ``""`` when it does not."""
    ways = [
        f"{text_of(method.get('name')) or text_of(method.get('id'))}: {text_of(method.get('description'))}".rstrip(": ")
        for method in mappings(auth_methods)
    ]
    return "; ".join(way for way in ways if way)[:_SHOWN_CHARS]


def _details(data: object) -> str:
    if isinstance(data, str):
        return data
    for key in ("details", "message", "errorMessage", "error"):
        if said := text_of(mapping(data).get(key)):
            return said
    return "" if data in (None, {}) else json.dumps(data, default=str)[:_SHOWN_CHARS]
